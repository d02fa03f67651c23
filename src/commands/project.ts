import { isLeftoverFile, isLeftoverFolder } from '../evidence/never-published.ts';
import { readFiles } from '../git/blobs.ts';
import { computeChange } from '../git/change.ts';
import { baseFiles } from '../git/commit-files.ts';
import { type IgnoreRules, openIgnoreRules } from '../git/ignore.ts';
import { nearestTag, type Repository } from '../git/repository.ts';
import { readTree, type Tree, type TreeEntry } from '../git/tree.ts';
import { pathProblem } from '../sandbox/path-rules.ts';
import type { CopyOutResult, Sandbox } from '../sandbox/sandbox.ts';
import type { BaseFiles, FileChange, TreeFile } from '../types.ts';

/** One commit of the repository, as the work starts from it. The host's view: nothing here ever reads what a sandbox wrote by path. */
export interface Project {
  readonly repository: Repository;
  readonly baseSha: string;
  readonly tree: Tree;
  /** Tracked paths that can not enter a sandbox, each with its reason. They stay in the commit as they are. */
  readonly unusable: readonly { readonly path: string; readonly reason: string }[];
  readonly files: BaseFiles;
  readonly tag: string | undefined;
  readonly read: () => AsyncIterable<TreeFile>;
  /** The sandbox's work folder as differences from the base, and what could not be read. */
  readonly difference: (
    sandbox: Sandbox,
  ) => Promise<{ readonly change: readonly FileChange[]; readonly refused: CopyOutResult['refused'] }>;
}

export async function openProject(repository: Repository, baseSha: string): Promise<Project> {
  const tree = await readTree(repository, baseSha);
  const ignore = await openIgnoreRules(repository, tree);
  const limits = readLimits(tree);
  const prune = pruner(tree, ignore);
  const unusable = tree.entries.flatMap(({ path }) => {
    const reason = pathProblem(path);
    return reason === undefined ? [] : [{ path, reason }];
  });
  const odd = new Set(unusable.map(({ path }) => path));
  return {
    repository,
    baseSha,
    tree,
    unusable,
    files: baseFiles(repository, tree),
    tag: await nearestTag(repository, baseSha),
    read: () =>
      readFiles(
        repository,
        tree.entries.filter(entry => !odd.has(entry.path)),
      ),
    difference: async sandbox => {
      const { files, refused } = await sandbox.copyOut({ prune, ...limits });
      const all = await computeChange({
        repository,
        base: tree,
        ignore,
        files,
        kept: [...refused.map(entry => entry.path), ...odd],
      });
      return { change: all.filter(file => file.status !== 'added' || !isLeftoverFile(file.path)), refused };
    },
  };
}

/** What may be read beside what the base itself has: a large repository is not what these guard against. */
function readLimits({ entries }: Tree) {
  const folders = new Set(entries.flatMap(entry => parents(entry.path)));
  return {
    maxFiles: 100_000 + entries.length,
    maxFolders: 200_000 + folders.size,
    maxTotalBytes: 512 * 1024 * 1024 + entries.reduce((sum, entry) => sum + (entry.sizeBytes ?? 0), 0),
  };
}

/**
 * Folders to leave out: submodules, those that tools leave behind, unless something in them is tracked, and those that the
 * base ignores. Git is asked last and about the rest alone, because it has to be shown every folder that it judges.
 */
function pruner(tree: Tree, ignore: IgnoreRules) {
  const holdsTracked = new Set(tree.entries.flatMap(entry => parents(entry.path)));
  const submodules = new Set(tree.submodules.map(({ path }) => path));
  const isLeftover = (folder: string) =>
    submodules.has(folder) ||
    (!holdsTracked.has(folder) && [folder, ...parents(folder)].some(isLeftoverFolder));
  return async (folders: readonly string[]): Promise<ReadonlySet<string>> => {
    const leftovers = folders.filter(isLeftover);
    const left = new Set(leftovers);
    const ignored = await ignore.ignoredFolders(folders.filter(folder => !left.has(folder)));
    return new Set([...leftovers, ...ignored]);
  };
}

/** Makes a sandbox that holds one commit's files hold another's. Both are of the same repository. */
export async function layOver(sandbox: Sandbox, from: Project, to: Project): Promise<void> {
  const [now, then] = [from, to].map(({ tree, unusable }) => {
    const odd = new Set(unusable.map(({ path }) => path));
    return new Map(tree.entries.filter(entry => !odd.has(entry.path)).map(entry => [entry.path, entry]));
  }) as [Map<string, TreeEntry>, Map<string, TreeEntry>];
  const isSame = (one: TreeEntry, other: TreeEntry | undefined) =>
    one.oid === other?.oid && one.mode === other.mode;
  const write = [...then.values()].filter(entry => !isSame(entry, now.get(entry.path)));
  const gone = [...now.keys()].filter(path => !then.has(path));
  // A folder may stand where a file belongs, and the other way round.
  await sandbox.remove([...gone, ...write.map(({ path }) => path)].sort());
  await sandbox.copyIn(readFiles(to.repository, write));
}

/** The folders above a path. */
export function parents(path: string): string[] {
  const parts = path.split('/');
  return parts.slice(1).map((_, i) => parts.slice(0, i + 1).join('/'));
}
