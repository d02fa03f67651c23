import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkout } from './checkout.ts';
import { clientGit, FULL, remoteUrl, type Sample, startSample } from './fixture.ts';
import type { Permissions } from './state.ts';

let sample: Sample;
let count = 0;
beforeAll(async () => {
  sample = await startSample({ protectedBranches: ['release'] });
});
afterAll(() => sample.close());

const tokenOf = (permissions: Permissions = FULL, login?: string) =>
  sample.github.token(permissions, login).value;

/** A clone with one commit more, that changes these files. */
async function cloneWith(files: Record<string, string | Buffer>, token = tokenOf()) {
  const folder = join(sample.folder, `clone-${++count}`);
  const cloned = await clientGit(sample.folder, 'clone', '--quiet', remoteUrl(sample, token), folder);
  if (cloned.code !== 0) throw new Error(cloned.stderr);
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  await clientGit(folder, 'add', '--all');
  await clientGit(folder, 'commit', '--quiet', '--message', 'Change');
  return folder;
}

const head = async (folder: string) => (await clientGit(folder, 'rev-parse', 'HEAD')).stdout.trim();
const onServer = async (ref: string) =>
  (await clientGit(sample.repository.folder, 'rev-parse', '--verify', ref)).stdout.trim();

it('a push arrives, and a fetch brings it back', async () => {
  const folder = await cloneWith({ 'new.txt': 'new\n' });
  const pushed = await clientGit(folder, 'push', remoteUrl(sample, tokenOf()), 'HEAD:refs/heads/topic');
  expect(pushed).toMatchObject({ code: 0 });
  expect(await onServer('refs/heads/topic')).toBe(await head(folder));
  const other = await cloneWith({});
  await clientGit(other, 'fetch', '--quiet', 'origin', 'topic');
  expect((await clientGit(other, 'show', 'FETCH_HEAD:new.txt')).stdout).toBe('new\n');
});

it('a push of many megabytes streams through', async () => {
  const folder = await cloneWith({ 'big.bin': randomBytes(6 * 1024 * 1024) });
  const pushed = await clientGit(
    folder,
    'push',
    remoteUrl(sample, tokenOf(), 'octo-org/hello'),
    'HEAD:refs/heads/big',
  );
  expect(pushed).toMatchObject({ code: 0 });
  expect(await onServer('refs/heads/big')).toBe(await head(folder));
});

describe('credentials of git:', () => {
  it.each([
    ['an unknown token', () => remoteUrl(sample, 'ghs_wrong'), /Authentication failed/],
    [
      'no token, for a push',
      () => `${sample.github.serverUrl}/octo-org/hello.git`,
      /could not read Username/,
    ],
    [
      'a token that may only read',
      () => remoteUrl(sample, tokenOf({ contents: 'read' })),
      /Write access to repository not granted/,
    ],
    [
      'a repository that is not there',
      () => remoteUrl(sample, tokenOf(), 'octo-org/none.git'),
      /Repository not found/,
    ],
  ])('%s is refused', async (_what, url, message) => {
    const folder = await cloneWith({ 'x.txt': 'x' });
    const pushed = await clientGit(folder, 'push', url(), 'HEAD:refs/heads/refused');
    expect(pushed.code).not.toBe(0);
    expect(pushed.stderr).toMatch(message);
  });

  it('two of them in one request are refused, as after a checkout that kept its own', async () => {
    const folder = await cloneWith({ 'x.txt': 'x' });
    const header = `http.extraHeader=Authorization: basic ${Buffer.from(`x:${tokenOf()}`).toString('base64')}`;
    const pushed = await clientGit(
      folder,
      '-c',
      header,
      '-c',
      header,
      'push',
      `${sample.github.serverUrl}/octo-org/hello`,
      'HEAD:refs/heads/two',
    );
    expect(pushed.stderr).toMatch(/error: 400/);
  });

  it('a public repository is read without', async () => {
    expect(
      await clientGit(sample.folder, 'ls-remote', `${sample.github.serverUrl}/octo-org/hello`, 'HEAD'),
    ).toMatchObject({ code: 0 });
  });
});

describe('a push that GitHub refuses', () => {
  it('touches a workflow with a token of an app', async () => {
    const folder = await cloneWith({ '.github/workflows/ci.yml': 'on: pull_request\n', 'x.txt': 'x' });
    const pushed = await clientGit(folder, 'push', remoteUrl(sample, tokenOf()), 'HEAD:refs/heads/workflow');
    expect(pushed.stderr).toContain(
      '[remote rejected] HEAD -> workflow (refusing to allow a GitHub App to create or update workflow ' +
        '`.github/workflows/ci.yml` without `workflows` permission)',
    );
    expect(await onServer('refs/heads/workflow')).toBe('');
    const allowed = tokenOf({ ...FULL, workflows: 'write' });
    expect(
      (await clientGit(folder, 'push', remoteUrl(sample, allowed), 'HEAD:refs/heads/workflow')).code,
    ).toBe(0);
  });

  it('goes to a protected branch', async () => {
    const folder = await cloneWith({ 'x.txt': 'x' });
    const pushed = await clientGit(folder, 'push', remoteUrl(sample, tokenOf()), 'HEAD:refs/heads/release');
    expect(pushed.stderr).toContain(
      'remote: error: GH006: Protected branch update failed for refs/heads/release.',
    );
    expect(pushed.stderr).toContain('[remote rejected] HEAD -> release (protected branch hook declined)');
  });

  it('goes to the head of a pull request', async () => {
    const folder = await cloneWith({ 'x.txt': 'x' });
    const pushed = await clientGit(folder, 'push', remoteUrl(sample, tokenOf()), 'HEAD:refs/pull/1/head');
    expect(pushed.stderr).toContain('(deny updating a hidden ref)');
  });

  it('is no fast-forward', async () => {
    const one = await cloneWith({ 'one.txt': '1' });
    const two = await cloneWith({ 'two.txt': '2' });
    const push = (folder: string, ...more: string[]) =>
      clientGit(folder, 'push', ...more, remoteUrl(sample, tokenOf()), 'HEAD:refs/heads/race');
    expect((await push(one)).code).toBe(0);
    expect((await push(two)).stderr).toMatch(/\[rejected\].*(fetch first|non-fast-forward)/);
    expect((await push(two, '--force')).code).toBe(0);
  });
});

it('an open pull request follows its branch, and closes when the branch is deleted', async () => {
  const { github, repository } = sample;
  const folder = await cloneWith({ 'p.txt': 'p' });
  const url = remoteUrl(sample, tokenOf());
  await clientGit(folder, 'push', url, 'HEAD:refs/heads/follow');
  const created = await fetch(`${github.apiUrl}/repos/octo-org/hello/pulls`, {
    method: 'POST',
    headers: { 'user-agent': 't', authorization: `Bearer ${tokenOf()}`, 'content-type': 'application/json' },
    body: JSON.stringify({ title: 'P', head: 'follow', base: 'main' }),
  });
  const { number } = (await created.json()) as { number: number };
  await clientGit(folder, 'commit', '--quiet', '--allow-empty', '--message', 'More');
  await clientGit(folder, 'push', url, 'HEAD:refs/heads/follow');
  expect((await github.pullRequest(repository, number)).head.sha).toBe(await head(folder));
  expect(await onServer(`refs/pull/${number}/head`)).toBe(await head(folder));
  await clientGit(folder, 'push', url, ':refs/heads/follow');
  expect(repository.issues.get(number)?.state).toBe('closed');
});

it('a checkout has the files, one commit, and no token', async () => {
  const workspace = join(sample.folder, 'workspace');
  const { github, repository } = sample;
  const token = github.token(FULL);
  const sha = await checkout({ workspace, serverUrl: github.serverUrl, repository, token });
  expect(sha).toBe(await onServer('refs/heads/main'));
  expect(existsSync(join(workspace, 'README.md'))).toBe(true);
  expect((await clientGit(workspace, 'rev-list', '--count', 'HEAD')).stdout.trim()).toBe('1');
  expect((await clientGit(workspace, 'status', '--porcelain')).stdout).toBe('');
  expect(await readFile(join(workspace, '.git', 'config'), 'utf8')).not.toMatch(/extraheader|ghs_/i);
});
