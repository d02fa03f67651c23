import { describe, expect, it } from 'vitest';
import { objections, publishObjections } from '../../src/evidence/change-policy.ts';
import { isLeftoverFile, isLeftoverFolder } from '../../src/evidence/never-published.ts';
import type { FileChange, FileMode } from '../../src/types.ts';

const file = (path: string, text: string, mode: FileMode = '100644') => ({
  path,
  mode,
  bytes: Buffer.from(text),
});
const added = (path: string, text = 'x', mode?: FileMode): FileChange => ({
  path,
  status: 'added',
  after: file(path, text, mode),
});
const changed = (path: string, before: string, after: string): FileChange => ({
  path,
  status: 'modified',
  before: file(path, before),
  after: file(path, after),
});
const anything = { objectTo: () => undefined };

describe('objections', () => {
  it.each([
    '.github/workflows/ci.yml',
    '.github/CODEOWNERS',
    'CODEOWNERS',
    'docs/CODEOWNERS',
    'AGENTS.md',
    'package-lock.json',
    'sub/yarn.lock',
    'requirements-dev.txt',
    '.npmrc',
    '.gitattributes',
  ])('protects %s in every step', path => {
    expect(objections([added(path)], anything).map(each => each.path)).toEqual([path]);
  });

  it.each(['src/a.ts', 'README.md', 'data.json', 'github/a.js', '.gitignore'])('lets %s pass', path => {
    expect(objections([added(path)], anything)).toEqual([]);
  });

  it('lets a manifest change its description but not its scripts or dependencies', () => {
    const manifest = (more: object) =>
      JSON.stringify({ name: 'x', scripts: { test: 'node --test' }, ...more });
    expect(
      objections([changed('package.json', manifest({}), manifest({ description: 'y' }))], anything),
    ).toEqual([]);
    expect(
      objections(
        [changed('package.json', manifest({}), manifest({ scripts: { test: 'exit 0' } }))],
        anything,
      )[0]?.reason,
    ).toContain('scripts');
    expect(
      objections(
        [changed('package.json', manifest({}), manifest({ dependencies: { evil: '1' } }))],
        anything,
      )[0]?.reason,
    ).toContain('dependencies');
    expect(objections([changed('package.json', manifest({}), '{')], anything)).toHaveLength(1);
  });

  it('does not publish new symbolic links', () => {
    expect(objections([added('link', '../../etc/passwd', '120000')], anything)).toHaveLength(1);
  });

  it("asks the step's own policy", () => {
    expect(
      objections([added('test/a.js')], {
        objectTo: path => (path.startsWith('test/') ? 'read-only' : undefined),
      }),
    ).toEqual([{ path: 'test/a.js', reason: 'read-only' }]);
  });
});

describe('publishObjections', () => {
  it('finds secrets in added lines only', () => {
    const key = `AKIA${'A1B2C3D4E5F6G7H8'}`;
    expect(publishObjections([added('a.txt', `key = ${key}`)])[0]?.reason).toContain('AWS');
    expect(publishObjections([changed('a.txt', `key = ${key}`, `key = ${key}\nmore`)])).toEqual([]);
    expect(publishObjections([added('a.pem', '-----BEGIN PRIVATE KEY-----')])).toHaveLength(1);
    expect(
      publishObjections([added('a.txt', `ghs_${'1_eyJhbGciOiJIUzI1NiJ9.payload-'.repeat(3)}`)]),
    ).toHaveLength(1);
  });

  it('refuses huge files and changes of too many files', () => {
    expect(publishObjections([added('big.bin', 'x'.repeat(6 * 1024 * 1024))])).toHaveLength(1);
    expect(publishObjections(Array.from({ length: 301 }, (_, i) => added(`f${i}`)))).toHaveLength(1);
  });
});

describe('leftovers', () => {
  it.each(['node_modules', 'a/__pycache__', 'x.egg-info', '.pytest_cache'])('%s is a leftover folder', path =>
    expect(isLeftoverFolder(path)).toBe(true),
  );
  it.each(['a/b.pyc', '.env', 'gha-creds-1.json', '.coverage', 'a/node_modules/x.js'])(
    '%s is a leftover file',
    path => expect(isLeftoverFile(path)).toBe(true),
  );
  it.each(['src', 'coverage-report', 'targets'])('%s is no leftover folder', path =>
    expect(isLeftoverFolder(path)).toBe(false),
  );
  it.each(['src/env.ts', 'a.py', '.envrc.md', '.env.example'])('%s is no leftover file', path =>
    expect(isLeftoverFile(path)).toBe(false),
  );
});
