import { describe, expect, it } from 'vitest';
import { typicalTests, vendoredFolder } from '../../src/test-runners/suite-facts.ts';
import { vitest } from '../../src/test-runners/vitest.ts';

describe('typicalTests', () => {
  it('takes none from committed folders of other people’s code', () => {
    const vendored = ['node_modules/m', 'vendor/v', 'third_party/t', '.venv/lib', 'lib/vendor/w'].flatMap(
      folder => ['a', 'b', 'c'].map(name => `${folder}/${name}.test.ts`),
    );
    const paths = [...vendored, 'src/vendors/own.test.ts'].sort();
    expect(typicalTests({ paths, text: async () => undefined }, vitest)).toEqual(['src/vendors/own.test.ts']);
    expect(typicalTests({ paths: vendored, text: async () => undefined }, vitest)).toEqual([]);
  });
});

describe('vendoredFolder', () => {
  it.each([
    ['node_modules/a/node_modules/b/x.js', 'node_modules'],
    ['packages/a/vendor/x.py', 'packages/a/vendor'],
    ['vendor', undefined],
    ['src/vendor.js', undefined],
    ['src/my-vendor/x.js', undefined],
  ])('%s lies in %s', (path, folder) => {
    expect(vendoredFolder(path)).toBe(folder);
  });
});
