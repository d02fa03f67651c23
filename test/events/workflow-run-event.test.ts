import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { UserError } from '../../src/errors.ts';
import { parseEvent } from '../../src/events/event.ts';
import { commitMessage } from '../../src/report/commit-message.ts';

const SHA = '5c2c0f8a3ed7c1e7f3f0a5b2cbbd7dd5a4c1a9e0';
const OTHER_SHA = '0000000000000000000000000000000000000001';

interface RunChange {
  readonly [field: string]: unknown;
}

const pullRequest = (
  number: number,
  change: { sha?: string; baseRepo?: unknown; headRepo?: unknown } = {},
) => {
  const here = {
    id: 186_853_002,
    url: 'https://api.github.com/repos/Codertocat/Hello-World',
    name: 'Hello-World',
  };
  const { sha = SHA, baseRepo = here, headRepo = here } = change;
  return {
    number,
    id: 279_147_437,
    url: `https://api.github.com/repos/Codertocat/Hello-World/pulls/${number}`,
    head: { ref: 'changes', sha, repo: headRepo },
    base: { ref: 'master', sha: 'f95f852bd8fca8fcc58a9a2d6c842781e32a215e', repo: baseRepo },
  };
};

/** GitHub's own example, made into a failed run of a pull request, and then changed. */
const failed = (run: RunChange = {}, payload: RunChange = {}) => {
  const path = '../../node_modules/@octokit/webhooks-examples/api.github.com/index.json';
  const definitions: { name: string; examples: { workflow_run?: object; repository?: object }[] }[] =
    JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8'));
  const example = definitions.find(({ name }) => name === 'workflow_run')?.examples[2];
  return {
    ...example,
    action: 'completed',
    repository: {
      ...example?.repository,
      id: 186_853_002,
      name: 'Hello-World',
      full_name: 'Codertocat/Hello-World',
      owner: { login: 'Codertocat' },
    },
    workflow_run: {
      ...example?.workflow_run,
      id: 289_782_451,
      run_attempt: 2,
      name: 'CI',
      html_url: 'https://github.com/Codertocat/Hello-World/actions/runs/289782451',
      event: 'pull_request',
      status: 'completed',
      conclusion: 'failure',
      head_branch: 'changes',
      head_sha: SHA,
      updated_at: '2026-11-20T10:05:00Z',
      head_commit: { id: SHA, message: 'Count the quantity' },
      head_repository: { full_name: 'Codertocat/Hello-World' },
      pull_requests: [pullRequest(2)],
      ...run,
    },
    ...payload,
  };
};
const decide = (payload: unknown) => parseEvent('workflow_run', payload);
const reasonOf = (payload: unknown) => {
  const decision = decide(payload);
  return decision.kind === 'ignored' ? decision.reason : decision;
};

it('a failed run of a pull request asks for a fix', () => {
  expect(decide(failed())).toEqual({
    kind: 'command',
    command: 'fix',
    words: '',
    sender: { login: expect.any(String), id: expect.any(Number) },
    repository: { owner: 'Codertocat', name: 'Hello-World', defaultBranch: 'master', private: false },
    source: {
      kind: 'workflow-run',
      pullRequest: 2,
      failed: {
        runId: 289_782_451,
        attempt: 2,
        name: 'CI',
        url: 'https://github.com/Codertocat/Hello-World/actions/runs/289782451',
        headSha: SHA,
        headBranch: 'changes',
        endedAt: '2026-11-20T10:05:00Z',
      },
    },
  });
});

describe('so does', () => {
  it.each([
    ['a run that took too long', { conclusion: 'timed_out' }],
    ['a run of a push to the branch of a pull request', { event: 'push' }],
    [
      'a run without attempt, name, branch and commit',
      { run_attempt: undefined, name: null, head_branch: null, head_commit: null },
    ],
    [
      'a run whose repository differs in case alone',
      { head_repository: { full_name: 'codertocat/hello-world' } },
    ],
    [
      'a commit that speaks of the trailer',
      { head_commit: { message: 'Explain the Redgreen-Run: trailer' } },
    ],
  ])('%s', (_what, run) => {
    expect(decide(failed(run))).toMatchObject({
      kind: 'command',
      source: { pullRequest: 2, failed: { headBranch: 'changes' } },
    });
  });

  it('a run that a bot started: the author is asked for later', () => {
    const sender = { login: 'dependabot[bot]', id: 49_699_333, type: 'Bot' };
    expect(decide(failed({}, { sender }))).toMatchObject({
      kind: 'command',
      sender: { login: 'dependabot[bot]' },
    });
  });

  it('the first of several pull requests that ends in the commit that failed', () => {
    const elsewhere = { id: 7, url: 'https://api.github.com/repos/other/Hello-World', name: 'Hello-World' };
    const pull_requests = [
      pullRequest(3, { sha: OTHER_SHA }),
      pullRequest(4, { baseRepo: elsewhere }),
      pullRequest(5),
      pullRequest(6),
    ];
    expect(decide(failed({ pull_requests }))).toMatchObject({ source: { pullRequest: 5 } });
  });
});

describe('nothing is started by', () => {
  it.each([
    ['a success', { conclusion: 'success' }, 'the workflow run succeeded'],
    ['a cancelled run', { conclusion: 'cancelled' }, 'the workflow run was cancelled'],
    ['a skipped run', { conclusion: 'skipped' }, 'the workflow run was skipped'],
    ['a run that waits', { conclusion: 'action_required' }, 'the workflow run waits for an approval'],
    [
      'a broken workflow file',
      { conclusion: 'startup_failure' },
      'the workflow run could not start: its workflow file is at fault, not the code',
    ],
    ['a stale run', { conclusion: 'stale' }, 'the workflow run was given up by GitHub'],
    [
      'a neutral run',
      { conclusion: 'neutral' },
      'the workflow run ended with "neutral", which is no failure',
    ],
    ['a run without conclusion', { conclusion: null }, 'the workflow run has no conclusion'],
    [
      'a run of our own workflow',
      { event: 'issue_comment' },
      'the workflow run was started by "issue_comment", not by a pull request or a push to its branch',
    ],
    [
      'a run on a timer',
      { event: 'schedule' },
      'the workflow run was started by "schedule", not by a pull request or a push to its branch',
    ],
    [
      'a push to a branch without a pull request',
      { event: 'push', pull_requests: [] },
      'the workflow run is of a push to a branch without an open pull request',
    ],
    [
      'a pull request with newer commits',
      { pull_requests: [pullRequest(2, { sha: OTHER_SHA })] },
      'the pull request has newer commits than the one that failed',
    ],
  ])('%s', (_what, run, reason) => {
    expect(reasonOf(failed(run))).toBe(reason);
  });

  it.each([
    ['requested', 'the workflow run was requested, and has not ended yet'],
    ['in_progress', 'the workflow run was in progress, and has not ended yet'],
  ])('a run that is %s', (action, reason) => {
    expect(reasonOf(failed({ conclusion: null }, { action }))).toBe(reason);
  });

  it.each([
    ['a fork', { head_repository: { full_name: 'stranger/Hello-World' } }],
    ['a fork that was deleted', { head_repository: null }],
    ['a fork, which GitHub does not name', { pull_requests: [] }],
    [
      'a fork with a pull request to another repository',
      { pull_requests: [pullRequest(9, { baseRepo: { id: 7 } })] },
    ],
    ['a fork that has a pull request here', { pull_requests: [pullRequest(9, { headRepo: { id: 7 } })] }],
    ['a pull request whose head is gone', { pull_requests: [pullRequest(9, { headRepo: null })] }],
  ])('%s; the reason says which comment helps', (_what, run) => {
    expect(reasonOf(failed(run))).toContain(
      'a maintainer\'s comment "/agent fix" on the pull request is the way',
    );
  });

  it('a commit of our own', () => {
    const message = commitMessage({
      title: 'Count the quantity',
      summary: 'The total now counts the quantity.',
      issue: 2,
      sender: { login: 'mona', id: 1 },
      runUrl: 'https://github.com/Codertocat/Hello-World/actions/runs/1',
    });
    expect(reasonOf(failed({ head_commit: { message } }))).toBe(
      'the commit that failed is one of our own, and we do not chase our own tail',
    );
    expect(reasonOf(failed({ head_commit: { message: message.replaceAll('\n', '\r\n') } }))).toMatch(
      /our own/,
    );
  });
});

it('a run that did not fail is decided by its action and conclusion alone', () => {
  const payload = { action: 'completed', workflow_run: { conclusion: 'success', event: 'pull_request' } };
  expect(reasonOf(payload)).toBe('the workflow run succeeded');
});

it.each([
  ['workflow_run.head_sha', failed({ head_sha: '' })],
  ['workflow_run.pull_requests', failed({ pull_requests: null })],
  ['repository.full_name', failed({}, { repository: { ...failed().repository, full_name: 7 } })],
  ['workflow_run', { action: 'completed' }],
])('a malformed payload is a mistake that names %s', (field, payload) => {
  expect(() => decide(payload)).toThrow(UserError);
  expect(() => decide(payload)).toThrow(field);
});
