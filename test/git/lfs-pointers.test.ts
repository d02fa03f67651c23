import { expect, it } from 'vitest';
import { lfsPointers } from '../../src/git/lfs-pointers.ts';
import { readTree } from '../../src/git/tree.ts';
import { head, open, repositoryWith } from './workbench.ts';

const POINTER = `version https://git-lfs.github.com/spec/v1\noid sha256:${'a'.repeat(64)}\nsize 12345\n`;

const pointersOf = async (files: Readonly<Record<string, string>>) => {
  const workspace = repositoryWith(files);
  const repository = await open(workspace);
  return lfsPointers(repository, await readTree(repository, head(workspace)));
};

it('finds the pointers of a commit, and takes nothing else for one', async () => {
  const rule = '*.psd filter=lfs diff=lfs merge=lfs -text\n';
  const files = {
    'art/.gitattributes': rule,
    'art/a.psd': POINTER,
    'art/b.psd': POINTER.replace('\n', `\next-0-x sha256:${'b'.repeat(64)}\n`),
    'art/real.psd': 'content that was never moved',
    empty: '',
    'docs/lfs.md': `A pointer:\n${POINTER}`,
    'long.txt': `${POINTER}${'x'.repeat(1000)}`,
  };
  expect(await pointersOf(files)).toEqual(['art/a.psd', 'art/b.psd']);
  expect(await pointersOf({ ...files, 'art/.gitattributes': '*.psd binary\n' })).toEqual([]);
  expect(await pointersOf({ 'a.psd': POINTER })).toEqual([]);
});
