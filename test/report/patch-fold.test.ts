import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { exec } from '../../src/lib/exec.ts';
import { patchFold } from '../../src/report/patch-fold.ts';
import { createRedactor } from '../../src/report/redact.ts';

const folder = mkdtempSync(join(tmpdir(), 'patch-fold-'));
afterAll(() => rmSync(folder, { recursive: true }));

const git = async (...args: string[]) => {
  const { exit, stdout, stderr } = await exec({
    file: 'git',
    args: ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args],
    cwd: folder,
    env: { PATH: process.env.PATH ?? '', HOME: folder, GIT_CONFIG_NOSYSTEM: '1' },
  });
  expect(exit, String(stderr)).toEqual({ kind: 'code', code: 0 });
  return String(stdout);
};

const patch = `diff --git a/a.md b/a.md
--- a/a.md
+++ b/a.md
@@ -1 +1 @@
-one
+two
`;

describe('patchFold', () => {
  it('shows a patch that git applies as it is copied from the block', async () => {
    const before = 'one\n```js\n````\n\ttab\n \n\n';
    const after = 'two @ada\n```js\n`````\n\ttab  \n \n\n';
    await git('init', '-q');
    writeFileSync(join(folder, 'a.md'), before);
    await git('add', '.');
    await git('commit', '-qm', 'a');
    writeFileSync(join(folder, 'a.md'), after);
    const text = patchFold(await git('diff', '--binary', '--full-index'), 10_000);
    await git('checkout', '-q', '.');

    expect(text).toMatch(
      /^<details>\n<summary>The change as a patch<\/summary>\n\nSave it as `change\.patch`/,
    );
    const [, , copied = ''] = /\n(`{3,})diff\n([\s\S]*?\n)\1\n\n<\/details>$/.exec(text) ?? [];
    writeFileSync(join(folder, 'change.patch'), copied);
    await git('apply', 'change.patch');
    expect(readFileSync(join(folder, 'a.md'), 'utf8')).toBe(after);
  });

  it.each([
    ['is too long', patch.repeat(100)],
    ['has line ends that a browser would not keep', patch.replace('two', 'two\r')],
    ['has invisible characters', patch.replace('two', 'two\u202e')],
    ['is not UTF-8', patch.replace('two', 'two\ufffd')],
    ['has a mark of ours', patch.replace('two', '<!-- redgreen:end -->')],
    ['has something to redact', patch.replace('two', 'supersecretvalue')],
  ])('says where the patch is when it %s', (_what, given) => {
    const text = patchFold(given, 1000, createRedactor(['supersecretvalue']));
    expect(text).toMatch(/^The change is `change\.patch` among the run’s files/);
    expect(text).not.toContain('```');
  });

  it('is nothing without a change', () => {
    expect(patchFold('\n', 1000)).toBe('');
  });
});
