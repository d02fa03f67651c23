import { expect, it } from 'vitest';
import { fallbackDescription, fileKind } from '../../src/report/file-kind.ts';

const isTest = (path: string) => path.startsWith('test/');

it.each([
  ['src/a.ts', 'code'],
  ['README.md', 'code'],
  ['package.json', 'code'],
  ['test/a.test.ts', 'test'],
  ['test/fixtures/a.png', 'test'],
  ['data/a.csv', 'data'],
  ['a.PARQUET', 'data'],
  ['data/a.json', 'data'],
  ['plots/a.png', 'image'],
  ['data/a.svg', 'image'],
] as const)('%s is %s', (path, kind) => {
  expect(fileKind(path, isTest)).toBe(kind);
});

it.each([
  [{ kind: 'code', status: 'added', added: 1, removed: 0 }, 'New file, 1 line.'],
  [
    { kind: 'test', status: 'modified', added: 2, removed: 1 },
    'Changed test file: 2 lines added, 1 removed.',
  ],
  [{ kind: 'data', status: 'deleted', added: 0, removed: 9 }, 'Deleted data file, 9 lines.'],
  [{ kind: 'image', status: 'added', added: undefined, removed: undefined }, 'New image, binary.'],
  [
    { kind: 'code', status: 'modified', added: 0, removed: 0 },
    'Changed file: its mode or its being a link, no lines.',
  ],
] as const)('%j is described by facts', (row, sentence) => {
  expect(fallbackDescription({ path: 'p', ...row })).toBe(sentence);
});
