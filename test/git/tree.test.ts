import { execFileSync } from 'node:child_process';
import { chmodSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { UserError } from '../../src/errors.ts';
import { readFiles } from '../../src/git/blobs.ts';
import { baseFiles } from '../../src/git/commit-files.ts';
import { readTree } from '../../src/git/tree.ts';
import { startGitServer } from './git-server.ts';
import { ODD_NAMES } from './odd-names.ts';
import { collect, git, gitAsync, head, open, repositoryWith, temporaryFolder } from './workbench.ts';

describe('readTree and readFiles', () => {
  it('give every name, mode and byte as committed', async () => {
    const contents = Object.fromEntries(ODD_NAMES.map((name, index) => [name, `content ${index}\r\n`]));
    const workspace = repositoryWith({
      ...contents,
      empty: '',
      binary: Buffer.from([0, 255, 10, 0, 13]),
      run: '#!/bin/sh\n',
    });
    chmodSync(join(workspace, 'run'), 0o755);
    symlinkSync('../outside', join(workspace, 'link'));
    git(workspace, 'add', '--all');
    git(workspace, 'commit', '--quiet', '--message=modes');
    const repository = await open(workspace);
    const tree = await readTree(repository, head(workspace));
    const files = new Map(
      (await collect(readFiles(repository, tree.entries))).map(file => [file.path, file]),
    );
    for (const [name, text] of Object.entries(contents)) expect(files.get(name)?.bytes.toString()).toBe(text);
    expect(files.get('empty')?.bytes).toHaveLength(0);
    expect([...(files.get('binary')?.bytes ?? [])]).toEqual([0, 255, 10, 0, 13]);
    expect(files.get('run')?.mode).toBe('100755');
    expect(files.get('link')).toMatchObject({ mode: '120000', bytes: Buffer.from('../outside') });
    expect(tree.entries.find(({ path }) => path === 'empty')?.sizeBytes).toBe(0);
    expect(files.size).toBe(ODD_NAMES.length + 4);
  });

  it('are not changed by attributes: no line ending, filter or export rule applies', async () => {
    const workspace = repositoryWith({
      '.gitattributes': '* text eol=crlf export-ignore\n',
      a: 'one\ntwo\n',
    });
    const repository = await open(workspace);
    const { entries } = await readTree(repository, head(workspace));
    const files = await collect(readFiles(repository, entries));
    expect(files.find(({ path }) => path === 'a')?.bytes.toString()).toBe('one\ntwo\n');
  });

  it('report submodules apart', async () => {
    const workspace = repositoryWith({ a: '' });
    git(workspace, 'update-index', '--add', '--cacheinfo', `160000,${'2'.repeat(40)},vendor/lib`);
    git(workspace, 'commit', '--quiet', '--message=submodule');
    const tree = await readTree(await open(workspace), head(workspace));
    expect(tree.submodules).toEqual([{ path: 'vendor/lib', oid: '2'.repeat(40) }]);
    expect(tree.entries.map(({ path }) => path)).toEqual(['a']);
  });

  it('report names that are not UTF-8 apart', async () => {
    const workspace = repositoryWith({ a: '' });
    execFileSync('git', ['update-index', '-z', '--index-info'], {
      cwd: workspace,
      input: Buffer.concat([
        Buffer.from(`100644 ${git(workspace, 'rev-parse', 'HEAD:a')}\tb`),
        Buffer.from([0xff, 0]),
      ]),
    });
    git(workspace, 'commit', '--quiet', '--message=latin1');
    const tree = await readTree(await open(workspace), head(workspace));
    expect(tree.entries.map(({ path }) => path)).toEqual(['a']);
    expect(tree.unreadable).toHaveLength(1);
  });

  it('stream many files, and end git when the reader leaves early', async () => {
    const workspace = repositoryWith(
      Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`f${n}`, `${n}`.repeat(20_000)])),
    );
    const repository = await open(workspace);
    const { entries } = await readTree(repository, head(workspace));
    expect(await collect(readFiles(repository, entries))).toHaveLength(300);
    const started = performance.now();
    for await (const file of readFiles(repository, entries)) {
      expect(file.path).toBe('f0');
      break;
    }
    expect(performance.now() - started).toBeLessThan(5000);
  });

  it('stop with the run', async () => {
    const workspace = repositoryWith({ a: '' });
    const controller = new AbortController();
    const repository = await open(workspace, { signal: controller.signal });
    const { entries } = await readTree(repository, head(workspace));
    controller.abort();
    await expect(collect(readFiles(repository, entries))).rejects.toThrow('stopped');
  });

  it('name the cure when a partial clone lacks the files', async () => {
    const origin = repositoryWith({ a: 'content', 'b/c': 'more' });
    const server = await startGitServer(join(origin, '..'));
    try {
      for (const filter of ['blob:none', 'tree:0']) {
        const clone = join(temporaryFolder(), 'clone');
        await gitAsync(
          origin,
          'clone',
          '--quiet',
          '--no-checkout',
          `--filter=${filter}`,
          `${server.url}/workspace/.git`,
          clone,
        );
        const repository = await open(clone);
        const error = await readTree(repository, head(clone))
          .then(tree => collect(readFiles(repository, tree.entries)))
          .catch(thrown => thrown);
        expect(error).toBeInstanceOf(UserError);
        expect(error.cure).toContain('filter:');
      }
    } finally {
      await server.close();
    }
  });
});

it('baseFiles reads texts of the commit, not of the work tree, and follows no link', async () => {
  const workspace = repositoryWith({ 'package.json': '{}', big: Buffer.alloc(1024 * 1024 + 1) });
  symlinkSync('package.json', join(workspace, 'link'));
  git(workspace, 'add', '--all');
  git(workspace, 'commit', '--quiet', '--message=link');
  const repository = await open(workspace);
  const files = baseFiles(repository, await readTree(repository, head(workspace)));
  expect(files.paths).toEqual(['big', 'link', 'package.json']);
  expect(await files.text('package.json')).toBe('{}');
  expect(await files.text('link')).toBeUndefined();
  expect(await files.text('big')).toBeUndefined();
  expect(await files.text('absent')).toBeUndefined();
});
