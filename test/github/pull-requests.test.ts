import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { chooseBranch, readBranch } from '../../src/github/branches.ts';
import type { GitHub } from '../../src/github/client.ts';
import { compareUrl } from '../../src/github/compare-url.ts';
import {
  findOpenPullRequest,
  publishPullRequest,
  updatePullRequest,
} from '../../src/github/pull-requests.ts';
import { type Sample, startSample } from '../local-github/fixture.ts';
import { git } from '../local-github/git-repository.ts';
import { addBranch, connect } from './connect.ts';

let sample: Sample;
let github: GitHub;
beforeAll(async () => {
  sample = await startSample();
});
beforeEach(() => {
  github = connect(sample);
  Object.assign(sample.repository.settings, {
    allowActionsToCreatePullRequests: true,
    draftsSupported: true,
  });
});
afterAll(() => sample.close());
afterEach(() => expect(sample.github.unknownRequests).toEqual([]));

const wanted = (head: string, more = {}) => ({
  head,
  base: 'main',
  title: 'Say goodbye',
  body: 'Closes #1',
  ...more,
});
const close = (number: number) => Object.assign(sample.repository.issues.get(number)!, { state: 'closed' });

describe('publishing', () => {
  it('opens a draft', async () => {
    const sha = await addBranch(sample, 'draft');
    const result = await publishPullRequest(github, wanted('draft'));
    expect(result).toMatchObject({
      kind: 'created',
      pullRequest: {
        draft: true,
        state: 'open',
        merged: false,
        title: 'Say goodbye',
        body: 'Closes #1',
        head: 'draft',
        headSha: sha,
        base: 'main',
      },
    });
  });

  it('opens a ready one with a title that says draft, where drafts are not supported', async () => {
    await addBranch(sample, 'ready');
    sample.repository.settings.draftsSupported = false;
    const result = await publishPullRequest(github, wanted('ready'));
    expect(result).toMatchObject({
      kind: 'created',
      pullRequest: { draft: false, title: '[draft] Say goodbye' },
    });
    const again = await publishPullRequest(github, wanted('ready', { title: 'Say more' }));
    expect(again).toMatchObject({ kind: 'updated', pullRequest: { title: '[draft] Say more' } });
  });

  it('updates the one that is open already', async () => {
    await addBranch(sample, 'again');
    const first = await publishPullRequest(github, wanted('again'));
    const second = await publishPullRequest(github, wanted('again', { title: 'New', body: 'New body' }));
    expect(first.kind).toBe('created');
    expect(second).toMatchObject({
      kind: 'updated',
      pullRequest: {
        number: first.kind === 'created' && first.pullRequest.number,
        title: 'New',
        body: 'New body',
      },
    });
  });

  it('says when there is nothing to propose', async () => {
    expect(await publishPullRequest(github, wanted('main'))).toEqual({ kind: 'no-commits' });
  });

  it('says how to allow it and gives a link, where Actions may not open pull requests', async () => {
    await addBranch(sample, 'forbidden');
    sample.repository.settings.allowActionsToCreatePullRequests = false;
    expect(await publishPullRequest(github, wanted('forbidden'))).toEqual({
      kind: 'not-permitted',
      message: 'GitHub Actions is not permitted to create or approve pull requests.',
      cure: expect.stringContaining('Settings → Actions → General → Workflow permissions'),
      compareUrl: `${sample.github.url}/octo-org/hello/compare/main...forbidden?quick_pull=1&title=Say%20goodbye&body=Closes%20%231`,
    });
  });

  it('names the permission that is missing, and gives a link', async () => {
    const poor = connect(sample, { permissions: { contents: 'write' } });
    expect(await publishPullRequest(poor, wanted('x'))).toMatchObject({
      kind: 'refused',
      error: { kind: 'forbidden', needs: 'pull-requests: write' },
      compareUrl: expect.stringContaining('/compare/main...x'),
    });
  });

  const notYet = {
    status: 422,
    body: {
      message: 'Validation Failed',
      errors: [{ message: 'Could not resolve to a node with the global id' }],
    },
  };
  it.each([
    [2, 'created'],
    [3, 'refused'],
  ])(
    'asks again when the branch is not known everywhere yet: after %i such answers it is %s',
    async (times, kind) => {
      const head = `eventual-${times}`;
      await addBranch(sample, head);
      sample.github.fail({ method: 'POST', path: /\/pulls$/, answer: notYet, times });
      expect(await publishPullRequest(github, wanted(head))).toMatchObject({ kind });
    },
  );

  it('cuts a title and a body that are too long', async () => {
    await addBranch(sample, 'long');
    const result = await publishPullRequest(
      github,
      wanted('long', { title: 't'.repeat(300), body: 'b'.repeat(70_000) }),
    );
    expect(
      result.kind === 'created' && [result.pullRequest.title.length, result.pullRequest.body.length],
    ).toEqual([256, 65_000]);
  });
});

it('a pull request is found while it is open, and can be changed', async () => {
  await addBranch(sample, 'find');
  const published = await publishPullRequest(github, wanted('find'));
  const number = published.kind === 'created' ? published.pullRequest.number : 0;
  expect(await findOpenPullRequest(github, 'find')).toMatchObject({ number });
  expect(await updatePullRequest(github, number, { body: 'Other' })).toMatchObject({
    ok: true,
    value: { title: 'Say goodbye', body: 'Other' },
  });
  close(number);
  expect(await findOpenPullRequest(github, 'find')).toBeUndefined();
  expect(await updatePullRequest(github, 9_999, { body: 'x' })).toMatchObject({
    ok: false,
    error: { kind: 'not-found' },
  });
});

describe('branches', () => {
  const publish = async (head: string) => {
    await addBranch(sample, head);
    const published = await publishPullRequest(github, wanted(head));
    return published.kind === 'created' ? published.pullRequest.number : 0;
  };

  it('are read by name, also with slashes', async () => {
    const sha = await addBranch(sample, 'agent/issue-100');
    expect(await readBranch(github, 'agent/issue-100')).toBe(sha);
    expect(await readBranch(github, 'agent/issue-10')).toBeUndefined();
  });

  it('are new where none was, whatever else begins alike', async () => {
    expect(await chooseBranch(github, 'agent/issue-10')).toEqual({ kind: 'new', branch: 'agent/issue-10' });
  });

  it('are continued while their pull request is open, and left when it is closed', async () => {
    const number = await publish('agent/issue-20');
    expect(await chooseBranch(github, 'agent/issue-20')).toMatchObject({
      kind: 'continue',
      branch: 'agent/issue-20',
      sha: await readBranch(github, 'agent/issue-20'),
      pullRequest: { number },
    });
    close(number);
    expect(await chooseBranch(github, 'agent/issue-20')).toEqual({ kind: 'new', branch: 'agent/issue-20-2' });
    const second = await publish('agent/issue-20-2');
    expect(await chooseBranch(github, 'agent/issue-20')).toMatchObject({
      kind: 'continue',
      pullRequest: { number: second },
    });
  });

  it('are left when they were merged and deleted', async () => {
    const number = await publish('agent/issue-30');
    await sample.github.mergePullRequest(sample.repository, number);
    await git(sample.repository.folder, ['update-ref', '-d', 'refs/heads/agent/issue-30']);
    expect(await chooseBranch(github, 'agent/issue-30')).toEqual({ kind: 'new', branch: 'agent/issue-30-2' });
  });

  it('without a pull request are left alone: they may hold saved work', async () => {
    await addBranch(sample, 'agent/issue-40');
    expect(await chooseBranch(github, 'agent/issue-40')).toEqual({ kind: 'new', branch: 'agent/issue-40-2' });
  });
});

describe('a compare link', () => {
  const link = {
    serverUrl: 'https://github.com',
    owner: 'o',
    repo: 'r',
    base: 'main',
    head: 'agent/issue-1',
    title: 'A & B',
    body: '',
  };

  it('is encoded, but for the slashes of a branch', () => {
    expect(compareUrl({ ...link, head: 'a/b#c', body: 'x (y)\n#1' })).toBe(
      'https://github.com/o/r/compare/main...a/b%23c?quick_pull=1&title=A%20%26%20B&body=x%20%28y%29%0A%231',
    );
  });

  it.each([['x'], ['é'], ['👍'], ['\n'], ['\ud800']])(
    'stays shorter than 8,000 characters with a body of %j',
    letter => {
      const url = compareUrl({ ...link, body: letter.repeat(20_000) });
      expect(url.length).toBeLessThanOrEqual(8_000);
      expect(url.length).toBeGreaterThan(7_980);
      expect(() => decodeURIComponent(url)).not.toThrow();
    },
  );
});
