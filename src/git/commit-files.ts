import type { BaseFiles } from '../types.ts';
import { readBlob } from './blobs.ts';
import type { Repository } from './repository.ts';
import type { Tree } from './tree.ts';

/** Read access to a commit for detection. Links are not followed, and a text above 1 MiB counts as absent. */
export function baseFiles(repository: Repository, tree: Tree): BaseFiles {
  const entries = new Map(tree.entries.map(entry => [entry.path, entry]));
  const texts = new Map<string, Promise<string | undefined>>();
  const load = async (path: string) => {
    const entry = entries.get(path);
    if (!entry || entry.mode === '120000' || (entry.sizeBytes ?? 0) > MAX_TEXT_BYTES) return undefined;
    return (await readBlob(repository, entry)).toString('utf8');
  };
  return {
    paths: tree.entries.map(entry => entry.path),
    text: path => {
      const text = texts.get(path) ?? load(path);
      texts.set(path, text);
      return text;
    },
  };
}

const MAX_TEXT_BYTES = 1024 * 1024;
