/** Pull requests of people, from branches and from forks, and what becomes of them. */
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { checkout } from './checkout.ts';
import { clientGit, FULL, remoteUrl, type Sample, startSample } from './fixture.ts';

let sample: Sample;
let count = 0;
beforeAll(async () => {
  sample = await startSample();
});
afterAll(() => sample.close());
afterEach(() => expect(sample.github.unknownRequests).toEqual([]));

const token = () => sample.github.token(FULL).value;
const remote = (path?: string, as = token()) => remoteUrl(sample, as, path);

async function emptyClone() {
  const folder = join(sample.folder, `client-${++count}`);
  await clientGit(sample.folder, 'init', '--quiet', folder);
  return folder;
}

/** What of a pull request can be fetched from the repository itself. */
async function fetched(what: string, path: string) {
  const folder = await emptyClone();
  const { code, stderr } = await clientGit(folder, 'fetch', '--quiet', '--depth=1', remote(), what);
  if (code !== 0) throw new Error(stderr);
  return (await clientGit(folder, 'show', `FETCH_HEAD:${path}`)).stdout;
}

const fromFork = (branch: string) =>
  sample.github.addPullRequest(sample.repository, {
    title: 'From afar',
    body: 'Please take it.',
    head: {
      branch,
      fork: 'visitor',
      commits: [
        { message: 'One', files: { [`${branch}.txt`]: 'one\n' } },
        { message: 'Two', files: { [`${branch}.txt`]: 'two\n', 'run.sh': null } },
      ],
    },
  });

describe('a pull request from a branch of the repository', () => {
  it('has its author, its commits and a merge that can be fetched', async () => {
    const { github, repository } = sample;
    const { number, pull } = await github.addPullRequest(repository, {
      title: 'Tidy',
      author: 'mona',
      draft: true,
      labels: ['tidy'],
      head: { branch: 'tidy', files: { 'tidy.txt': 'tidy\n' } },
    });
    expect(await github.pullRequest(repository, number)).toMatchObject({
      user: { login: 'mona', type: 'User' },
      draft: true,
      labels: [{ name: 'tidy' }],
      commits: 1,
      head: { label: 'octo-org:tidy', sha: pull.headSha, repo: { fork: false } },
      base: { label: 'octo-org:main' },
    });
    expect(await fetched(`refs/pull/${number}/merge`, 'tidy.txt')).toBe('tidy\n');
  });

  it('follows a commit, and closes when its branch is deleted; the head can be fetched still', async () => {
    const { github, repository } = sample;
    const issue = await github.addPullRequest(repository, {
      title: 'Short',
      head: { branch: 'short', files: { 'short.txt': '1\n' } },
    });
    const sha = await github.commit(repository, 'short', { 'short.txt': '2\n' });
    expect(issue.pull.headSha).toBe(sha);
    await github.deleteBranch(repository, 'short');
    expect(issue.state).toBe('closed');
    expect(await fetched(`refs/pull/${issue.number}/head`, 'short.txt')).toBe('2\n');
  });

  it('can be closed without a merge', async () => {
    const { github, repository } = sample;
    const { number } = await github.addPullRequest(repository, {
      title: 'No',
      head: { branch: 'no', files: { 'no.txt': 'n\n' } },
    });
    github.closeIssue(repository, number);
    expect(await github.pullRequest(repository, number)).toMatchObject({ state: 'closed', merged: false });
  });
});

describe('a pull request from a fork', () => {
  it('names the fork, and is fetched from the repository by its ref and by its commit', async () => {
    const { github, repository } = sample;
    const { number, pull } = await fromFork('afar');
    expect(await github.pullRequest(repository, number)).toMatchObject({
      user: { login: 'visitor' },
      author_association: 'NONE',
      commits: 2,
      head: {
        label: 'visitor:afar',
        user: { login: 'visitor' },
        repo: { full_name: 'visitor/hello', fork: true },
      },
      base: { repo: { full_name: 'octo-org/hello' } },
    });
    for (const what of [`refs/pull/${number}/head`, pull.headSha])
      expect(await fetched(what, 'afar.txt')).toBe('two\n');
    const branches = await clientGit(sample.folder, 'ls-remote', '--heads', remote());
    expect(branches.stdout).not.toContain('afar');
  });

  it('is found by its owner and branch, not by that of the repository', async () => {
    const { number } = await fromFork('found');
    const list = async (head: string) => {
      const response = await fetch(`${sample.github.apiUrl}/repos/octo-org/hello/pulls?head=${head}`, {
        headers: { 'user-agent': 't', authorization: `Bearer ${token()}` },
      });
      return ((await response.json()) as { number: number }[]).map(row => row.number);
    };
    expect(await list('visitor:found')).toEqual([number]);
    expect(await list('octo-org:found')).toEqual([]);
  });

  it('takes no push from a token of this repository, but from its owner, and then follows', async () => {
    const { github } = sample;
    const { number, pull } = await fromFork('push');
    const folder = await emptyClone();
    await clientGit(folder, 'fetch', '--quiet', remote(), `refs/pull/${number}/head`);
    await clientGit(folder, 'checkout', '--quiet', 'FETCH_HEAD');
    await clientGit(folder, 'commit', '--quiet', '--allow-empty', '--message', 'More');
    const push = (as: string) =>
      clientGit(folder, 'push', remote('visitor/hello.git', as), 'HEAD:refs/heads/push');
    const refused = await push(token());
    expect(refused.code).not.toBe(0);
    expect(refused.stderr).toContain('Permission to visitor/hello.git denied to github-actions[bot].');
    expect(refused.stderr).toContain('error: 403');
    expect((await push(github.token({ contents: 'write' }, 'visitor').value)).code).toBe(0);
    expect(pull.headSha).toBe((await clientGit(folder, 'rev-parse', 'HEAD')).stdout.trim());
    expect(await fetched(pull.headSha, 'push.txt')).toBe('two\n');
  });

  it('stays when the fork is deleted, without a head repository', async () => {
    const { github, repository } = sample;
    const { number, pull } = await fromFork('gone');
    github.deleteFork(await github.fork(repository, 'visitor'));
    expect(await github.pullRequest(repository, number)).toMatchObject({
      state: 'open',
      head: { label: 'visitor:gone', sha: pull.headSha, repo: null },
    });
    expect(await fetched(`refs/pull/${number}/head`, 'gone.txt')).toBe('two\n');
  });
});

it('a checkout of a pull request has its merge, and no branch', async () => {
  const { github, repository } = sample;
  const { number, pull } = await github.addPullRequest(repository, {
    title: 'Look',
    head: { branch: 'look', files: { 'look.txt': 'look\n' } },
  });
  const workspace = join(sample.folder, 'merge');
  const given = { workspace, serverUrl: github.serverUrl, repository, token: github.token(FULL) };
  expect(await checkout({ ...given, ref: `refs/pull/${number}/merge` })).toBe(pull.testMergeSha);
  expect((await clientGit(workspace, 'branch', '--show-current')).stdout).toBe('');
});

describe('a token that ends', () => {
  /** A public repository is read without credentials, so only a push shows what they are worth. */
  const push = (value: string) =>
    clientGit(
      sample.repository.folder,
      'push',
      '--dry-run',
      remote(undefined, value),
      'refs/heads/main:refs/heads/dry',
    );

  it('is refused by the API and by git from then on', async () => {
    const { github } = sample;
    const ending = github.token(FULL);
    const ask = async () =>
      (
        await fetch(`${github.apiUrl}/repos/octo-org/hello`, {
          headers: { 'user-agent': 't', authorization: `Bearer ${ending.value}` },
        })
      ).status;
    github.expire(ending, { afterRequests: 2 });
    expect((await push(ending.value)).code).toBe(0);
    expect([await ask(), await ask()]).toEqual([200, 401]);
    expect((await push(ending.value)).stderr).toMatch(/Authentication failed/);
  });

  it('at a moment is good until then', async () => {
    const { github } = sample;
    const ending = github.token(FULL);
    github.expire(ending, { at: new Date(Date.now() + 60_000) });
    expect((await push(ending.value)).code).toBe(0);
    github.expire(ending, { at: new Date(Date.now() - 1) });
    expect((await push(ending.value)).stderr).toMatch(/Authentication failed/);
  });
});
