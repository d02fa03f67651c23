import { chmodSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { UserError } from '../../src/errors.ts';
import { readIncluded } from '../../src/git/included-files.ts';
import { temporaryFolder, write } from './workbench.ts';

function workspaceWith(files: Readonly<Record<string, string>>): string {
  const workspace = join(temporaryFolder(), 'workspace');
  mkdirSync(workspace);
  write(workspace, files);
  return workspace;
}

const texts = async (workspace: string, paths: readonly string[]) =>
  (await readIncluded(workspace, paths)).map(({ path, mode, bytes }) => [path, mode, bytes.toString()]);

describe('readIncluded', () => {
  it('reads named files, with their modes, and all below named folders, in order', async () => {
    const workspace = workspaceWith({
      '.env.test': 'A=1\n',
      'gen/b.js': 'b',
      'gen/a/deep.js': 'deep',
      'gen/run.sh': '#!/bin/sh\n',
      'other/no.js': 'not named',
      '..odd': 'two dots begin a name',
    });
    chmodSync(join(workspace, 'gen/run.sh'), 0o755);
    expect(await texts(workspace, ['./.env.test', 'gen/', '..odd'])).toEqual([
      ['.env.test', '100644', 'A=1\n'],
      ['gen/a/deep.js', '100644', 'deep'],
      ['gen/b.js', '100644', 'b'],
      ['gen/run.sh', '100755', '#!/bin/sh\n'],
      ['..odd', '100644', 'two dots begin a name'],
    ]);
  });

  it('keeps links as links, of files and of folders, and leaves repositories inside out', async () => {
    const workspace = workspaceWith({ 'lib/.git/config': 'secret', 'lib/real.js': 'real', 'far/x': 'x' });
    symlinkSync('real.js', join(workspace, 'lib/file'));
    symlinkSync('../far', join(workspace, 'lib/folder'));
    symlinkSync('/etc/passwd', join(workspace, 'top'));
    expect(await texts(workspace, ['lib', 'top'])).toEqual([
      ['lib/file', '120000', 'real.js'],
      ['lib/folder', '120000', '../far'],
      ['lib/real.js', '100644', 'real'],
      ['top', '120000', '/etc/passwd'],
    ]);
  });

  it('refuses what lies behind a link', async () => {
    const workspace = workspaceWith({ 'real/deep/file': 'x' });
    write(join(workspace, '..'), { 'outside/deep/file': 'not ours' });
    symlinkSync('../outside', join(workspace, 'out'));
    symlinkSync('../outside/deep', join(workspace, 'real/link'));
    expect(await texts(workspace, ['out/'])).toEqual([['out', '120000', '../outside']]);
    for (const path of ['out/deep', 'out/deep/file', 'real/link/file'])
      await expect(readIncluded(workspace, [path])).rejects.toThrow(/behind a symbolic link/);
  });

  it.each([
    ['absent', /not in the workspace/],
    ['a/absent', /not in the workspace/],
    ['a/file/below', /not in the workspace/],
    ['..', /names "\.\."/],
    ['../secret', /names/],
    ['a/../../secret', /names/],
    ['/etc/passwd', /names/],
    ['.', /names/],
    ['', /names/],
    ['.git', /names/],
    ['./a/../.git/config', /names/],
    ['a/.git', /names/],
  ])('refuses %j', async (path, message) => {
    const workspace = workspaceWith({ 'a/file': 'x', '.git/config': 'x', 'a/.git/config': 'x' });
    write(join(workspace, '..'), { secret: 'not ours' });
    const error = await readIncluded(workspace, ['a/file', path]).catch(thrown => thrown);
    expect(error).toBeInstanceOf(UserError);
    expect(error.message).toMatch(message);
    expect(error.cure).not.toBe('');
  });
});
