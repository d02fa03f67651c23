import { readFiles } from './blobs.ts';
import type { Repository } from './repository.ts';
import type { Tree, TreeEntry } from './tree.ts';

/** Paths of which the commit holds only a pointer, because Git LFS stores the content. Empty where no `.gitattributes` names LFS. */
export async function lfsPointers(repository: Repository, tree: Tree): Promise<readonly string[]> {
  const files = tree.entries.filter(entry => entry.mode !== '120000');
  const rules = files.filter(entry => /(^|\/)\.gitattributes$/.test(entry.path));
  if (!(await someHold(repository, rules, /\bfilter=lfs\b/))) return [];
  const found: string[] = [];
  for await (const { path, bytes } of readFiles(repository, files.filter(isSmall)))
    if (POINTER.test(bytes.toString('latin1'))) found.push(path);
  return found;
}

async function someHold(
  repository: Repository,
  entries: readonly TreeEntry[],
  text: RegExp,
): Promise<boolean> {
  for await (const { bytes } of readFiles(repository, entries))
    if (text.test(bytes.toString('latin1'))) return true;
  return false;
}

/** A pointer is shorter than 1024 bytes and begins with its version: so says the format. */
const isSmall = ({ sizeBytes = 0 }: TreeEntry): boolean => sizeBytes > 0 && sizeBytes < 1024;
const POINTER =
  /^version https:\/\/git-lfs\.github\.com\/spec\/[^\n]{1,20}\n(?:[^\n]+\n)*oid sha256:[0-9a-f]{64}\n/;
