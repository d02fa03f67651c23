import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { readComparison } from '../../src/github/comparison.ts';
import { readPullRequest } from '../../src/github/pull-request-details.ts';
import { type Sample, startSample } from '../local-github/fixture.ts';
import type { NewPullRequest } from '../local-github/pull-requests.ts';
import { connect } from './connect.ts';

let sample: Sample;
beforeAll(async () => {
  sample = await startSample();
});
afterAll(() => sample.close());
afterEach(() => expect(sample.github.unknownRequests).toEqual([]));

const open = (branch: string, more: Partial<NewPullRequest['head']> = {}) =>
  sample.github.addPullRequest(sample.repository, {
    title: `Change ${branch}`,
    body: 'Please.',
    author: 'mona',
    head: { branch, files: { [`${branch}.txt`]: 'x\n' }, ...more },
  });

it('a pull request is read as it is now', async () => {
  const { number, pull, createdAt } = await open('own');
  expect(await readPullRequest(connect(sample), number)).toEqual({
    number,
    url: `${sample.github.url}/octo-org/hello/pull/${number}`,
    state: 'open',
    merged: false,
    draft: false,
    locked: false,
    title: 'Change own',
    body: 'Please.',
    author: { login: 'mona', id: sample.github.addUser('mona').id, isBot: false },
    createdAt,
    head: { branch: 'own', sha: pull.headSha, repository: 'octo-org/hello' },
    base: { branch: 'main', sha: pull.baseSha },
    autoMerge: false,
    isFork: false,
  });
});

it('one whose branch was deleted is closed, one that was merged is both', async () => {
  const { github, repository } = sample;
  const [deleted, merged] = [await open('deleted'), await open('merged')];
  await github.deleteBranch(repository, 'deleted');
  await github.mergePullRequest(repository, merged.number);
  const read = (number: number) => readPullRequest(connect(sample), number);
  expect(await read(deleted.number)).toMatchObject({ state: 'closed', merged: false });
  expect(await read(merged.number)).toMatchObject({ state: 'closed', merged: true });
});

it('one of a fork is seen as such, also when the fork is gone', async () => {
  const { github, repository } = sample;
  const { number } = await open('afar', { fork: 'visitor' });
  const read = () => readPullRequest(connect(sample), number);
  expect(await read()).toMatchObject({ isFork: true, head: { repository: 'visitor/hello' } });
  github.deleteFork(await github.fork(repository, 'visitor'));
  expect(await read()).toMatchObject({ isFork: true, head: { repository: undefined } });
});

it('an issue is no pull request, and what may not be read is told with its cure', async () => {
  expect(await readPullRequest(connect(sample), sample.issue.number)).toBeUndefined();
  const poor = connect(sample, { permissions: {} });
  await expect(readPullRequest(poor, 2)).rejects.toMatchObject({
    cure: expect.stringContaining('`pull-requests: read`'),
  });
});

it('what a head changed since it left its base is read with its patches', async () => {
  const { pull } = await open('compared');
  const base = pull.baseSha;
  await sample.github.commit(sample.repository, 'main', { 'after.txt': 'x\n' });
  expect(await readComparison(connect(sample), 'main', 'compared')).toEqual({
    ok: true,
    value: {
      mergeBase: base,
      files: [{ path: 'compared.txt', status: 'added', patch: '@@ -0,0 +1 @@\n+x' }],
    },
  });
  expect(await readComparison(connect(sample), 'main', 'none')).toMatchObject({
    ok: false,
    error: { kind: 'not-found' },
  });
});
