import { describe, expect, it } from 'vitest';
import { folderTree } from '../../src/commands/folder-tree.ts';

const many = (folder: string, count: number, ending = '.js'): string[] =>
  Array.from({ length: count }, (_, i) => `${folder}/f${String(i).padStart(4, '0')}${ending}`);
const tree = (...paths: string[]) => folderTree(paths.sort(), path => path.startsWith('test/'));

describe('the tree in a brief', () => {
  it('shows all paths of a small repository, but other people’s code and dot-folders as a line', () => {
    expect(
      tree(
        'README.md',
        '.gitignore',
        '.github/workflows/ci.yml',
        ...many('.idea', 5),
        ...many('node_modules/m', 200),
        'lib/vendor/x/y.js',
        'src/a/b/c/d.js',
      ),
    ).toEqual([
      '.github/ (1 file)',
      '.gitignore',
      '.idea/ (5 files)',
      'README.md',
      'lib/vendor/ (1 file)',
      'node_modules/ (200 files)',
      'src/a/b/c/d.js',
    ]);
  });

  it('opens source before tests and documents, and counts what does not fit', () => {
    const lines = tree(
      ...many('docs/en', 40, '.md'),
      ...many('examples/big', 50),
      ...many('src/deep/er', 60),
      ...many('src/other', 30),
      ...many('src/huge', 400),
      ...many('test/unit', 90),
      'index.js',
    );
    expect(lines).toContain('src/deep/er/f0059.js');
    expect(lines).toContain('src/other/f0000.js');
    expect(lines).toContain('src/huge/ (400 files)');
    expect(lines).toContain('docs/ (40 files)');
    expect(lines).toContain('examples/ (50 files)');
    expect(lines).toContain('test/ (90 files)');
    expect(lines.length).toBeLessThanOrEqual(120);
  });

  it('shows a folder of three files in full', () => {
    const lines = tree(...many('src', 90), ...many('test/a', 2), 'test/b/x.js', ...many('etc', 4, '.txt'));
    expect(lines.filter(line => line.startsWith('test'))).toEqual([
      'test/a/f0000.js',
      'test/a/f0001.js',
      'test/b/x.js',
    ]);
    expect(lines).toContain('etc/ (4 files)');
  });

  it('stays short and quick whatever the repository', () => {
    expect(tree(...many('.', 500).map(path => path.slice(2)))).toHaveLength(121);
    const large = Array.from({ length: 300 }, (_, i) => many(`packages/p${i}/src/a/b`, 300)).flat();
    const started = performance.now();
    expect(tree(...large)).toEqual(['packages/ (90000 files)']);
    expect(tree(`${'a/'.repeat(1_500)}x.js`, ...many('b', 100)).length).toBeLessThanOrEqual(120);
    expect(performance.now() - started).toBeLessThan(5_000);
  });
});
