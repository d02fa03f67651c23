import { isLeftoverFile, isLeftoverFolder } from '../evidence/never-published.ts';
import { readFiles } from '../git/blobs.ts';
import { computeChange } from '../git/change.ts';
import { baseFiles } from '../git/commit-files.ts';
import { type IgnoreRules, openIgnoreRules } from '../git/ignore.ts';
import { nearestTag, type Repository } from '../git/repository.ts';
import { readTree, type Tree } from '../git/tree.ts';
import type { CopyOutResult, Sandbox } from '../sandbox/sandbox.ts';
import type { BaseFiles, FileChange, TreeFile } from '../types.ts';

/** One commit of the repository, as the work starts from it. The host's view: nothing here ever reads what a sandbox wrote by path. */
export interface Project {
  readonly repository: Repository;
  readonly baseSha: string;
  readonly tree: Tree;
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
  const prune = pruner(tree, ignore);
  return {
    repository,
    baseSha,
    tree,
    files: baseFiles(repository, tree),
    tag: await nearestTag(repository, baseSha),
    read: () => readFiles(repository, tree.entries),
    difference: async sandbox => {
      const { files, refused } = await sandbox.copyOut({ prune });
      const all = await computeChange({
        repository,
        base: tree,
        ignore,
        files,
        kept: refused.map(entry => entry.path),
      });
      return { change: all.filter(file => file.status !== 'added' || !isLeftoverFile(file.path)), refused };
    },
  };
}

/** Folders to leave out: those that the base ignores, and those that tools leave behind, unless something in them is tracked. */
function pruner(tree: Tree, ignore: IgnoreRules) {
  const holdsTracked = new Set(tree.entries.flatMap(entry => parents(entry.path)));
  return async (folders: readonly string[]): Promise<ReadonlySet<string>> => {
    const ignored = await ignore.ignoredFolders(folders);
    return new Set(
      folders.filter(
        folder => ignored.has(folder) || (isLeftoverFolder(folder) && !holdsTracked.has(folder)),
      ),
    );
  };
}

function parents(path: string): string[] {
  const parts = path.split('/');
  return parts.slice(1).map((_, i) => parts.slice(0, i + 1).join('/'));
}
