import { readBlob } from '../git/blobs.ts';
import type { Tree, TreeEntry } from '../git/tree.ts';
import type { FileChange } from '../types.ts';
import type { Project } from './project.ts';

/** True when a change takes back all that a pull request did: its files are then as they were on the base. */
export async function emptiesPullRequest(
  head: Project,
  base: Project | undefined,
  change: readonly FileChange[],
): Promise<boolean> {
  if (!base) return false;
  const changed = new Map(change.map(file => [file.path, file]));
  const differing = differingPaths(head.tree, base.tree);
  // Each of them would have to be in the change: most often that is seen at once.
  if (differing.size === 0 || [...differing.keys()].some(path => !changed.has(path))) return false;
  for (const [path, entry] of differing)
    if (!(await isAsOnBase(base, entry, changed.get(path)?.after?.bytes))) return false;
  return true;
}

/** Path → the base's entry, undefined where the base has none. */
function differingPaths(head: Tree, base: Tree): ReadonlyMap<string, TreeEntry | undefined> {
  const [now, then] = [entriesOf(head), entriesOf(base)];
  const paths = new Set([...now.keys(), ...then.keys()]);
  const differing = [...paths].filter(path => now.get(path)?.oid !== then.get(path)?.oid);
  return new Map(differing.map(path => [path, then.get(path)]));
}

const entriesOf = ({ entries }: Tree) => new Map(entries.map(entry => [entry.path, entry]));

async function isAsOnBase(
  base: Project,
  entry: TreeEntry | undefined,
  bytes: Buffer | undefined,
): Promise<boolean> {
  if (!entry || !bytes) return entry === bytes;
  return (await readBlob(base.repository, entry)).equals(bytes);
}
