import type { FileChange, TreeFile } from '../types.ts';
import { readFiles } from './blobs.ts';
import type { IgnoreRules } from './ignore.ts';
import { blobId } from './object-id.ts';
import type { Repository } from './repository.ts';
import { byPath, type Tree, type TreeEntry } from './tree.ts';

/** Every path that differs from the base, sorted. */
export type Change = readonly FileChange[];

export interface ChangeInput {
  readonly repository: Repository;
  readonly base: Tree;
  readonly ignore: IgnoreRules;
  /** A full read of the sandbox's work folder. */
  readonly files: readonly TreeFile[];
  /** Paths, of files or folders, that could not be read or may not be published: they keep the base's version, and are never taken for deletions. */
  readonly kept?: readonly string[];
}

/**
 * What the sandbox's files change in the base tree, by content and mode. Untracked files that the base ignores are no part of it, and neither is
 * anything below a submodule.
 */
export async function computeChange(input: ChangeInput): Promise<Change> {
  const tracked = new Map(input.base.entries.map(entry => [entry.path, entry]));
  const isOurs = outside([...(input.kept ?? []), ...input.base.submodules.map(({ path }) => path)]);
  const files = input.files.filter(file => isOurs(file.path));
  const found = new Set(files.map(file => file.path));

  const untracked = files.filter(file => !tracked.has(file.path));
  const ignored = await input.ignore.ignoredPaths(untracked.map(file => file.path));
  const added = untracked.filter(file => !ignored.has(file.path));
  const modified = files.filter(file => differs(input.repository, tracked.get(file.path), file));
  const deleted = input.base.entries.filter(entry => !found.has(entry.path) && isOurs(entry.path));

  const before = await load(input.repository, [
    ...modified.flatMap(file => tracked.get(file.path) ?? []),
    ...deleted,
  ]);
  return [
    ...added.map((after): FileChange => ({ path: after.path, status: 'added', after })),
    ...modified.map(
      (after): FileChange => ({ path: after.path, status: 'modified', ...before(after.path), after }),
    ),
    ...deleted.map(({ path }): FileChange => ({ path, status: 'deleted', ...before(path) })),
  ].sort(byPath);
}

/** False for the given paths and everything below them. */
function outside(paths: readonly string[]): (path: string) => boolean {
  const tops = new Set(paths);
  return path => {
    for (let end = path.length; end > 0; end = path.lastIndexOf('/', end - 1))
      if (tops.has(path.slice(0, end))) return false;
    return true;
  };
}

function differs(repository: Repository, entry: TreeEntry | undefined, file: TreeFile): boolean {
  if (!entry) return false;
  if (entry.mode !== file.mode || entry.sizeBytes !== file.bytes.length) return true;
  return entry.oid !== blobId(repository.objectFormat, file.bytes);
}

async function load(repository: Repository, entries: readonly TreeEntry[]) {
  const files = new Map<string, TreeFile>();
  for await (const file of readFiles(repository, entries)) files.set(file.path, file);
  return (path: string) => {
    const before = files.get(path);
    return before ? { before } : {};
  };
}
