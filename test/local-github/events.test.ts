/** Payloads that we make have every field that GitHub's own examples have. */
import { createRequire } from 'node:module';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { issueCommentEvent, labeledEvent, type WorkflowEvent, workflowRunEvent } from './events.ts';
import { type Sample, startSample } from './fixture.ts';
import { refsOf } from './run-refs.ts';

let sample: Sample;
beforeAll(async () => {
  sample = await startSample();
});
afterAll(() => sample.close());

interface Example {
  readonly name: string;
  readonly examples: readonly Readonly<Record<string, unknown>>[];
}
const official = createRequire(import.meta.url)('@octokit/webhooks-examples') as readonly Example[];

function exampleOf(name: string, isMeant: (example: Readonly<Record<string, unknown>>) => boolean) {
  const example = official.find(event => event.name === name)?.examples.find(isMeant);
  if (!example) throw new Error(`there is no such example of ${name}`);
  return example;
}

/** Where the events were sent to, people that we have none of, and fields that come with some events only. */
const NOT_OURS =
  /^(organization|installation)\b|\.(assignees?|milestone|requested_\w+|license|performed_via_github_app)(\[\])?\./;
const DROPPED =
  /\.(draft|allow_(merge_commit|squash_merge|rebase_merge|auto_merge|update_branch)|delete_branch_on_merge)$/;

/** Every path of a payload; lists count as their first element. */
function pathsOf(value: unknown, at = ''): string[] {
  if (Array.isArray(value)) return value.length > 0 ? pathsOf(value[0], `${at}[]`) : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    const path = at === '' ? key : `${at}.${key}`;
    return [path, ...pathsOf(inner, path)];
  });
}

const missing = (payload: WorkflowEvent['payload'], example: unknown) => {
  const ours = new Set(pathsOf(payload));
  return pathsOf(example).filter(path => !ours.has(path) && !NOT_OURS.test(path) && !DROPPED.test(path));
};

const addPull = (branch: string, fork?: string) =>
  sample.github.addPullRequest(sample.repository, {
    title: `Change ${branch}`,
    body: 'Please.',
    head: { branch, files: { [`${branch}.txt`]: 'x\n' }, ...(fork && { fork }) },
  });
const mona = () => sample.github.addUser('mona');

describe('no field of the official example is missing in', () => {
  it('a comment on an issue and one on a pull request', async () => {
    const { github, repository, issue } = sample;
    const pull = await addPull('commented');
    const example = exampleOf('issue_comment', ({ action }) => action === 'created');
    for (const { number } of [issue, pull]) {
      github.addLabel(repository, number, 'bug');
      const comment = github.addComment(repository, { issue: number, body: '/agent fix', author: 'mona' });
      const { payload } = issueCommentEvent(github, repository, comment);
      expect(missing(payload, example)).toEqual([]);
      expect(Object.hasOwn(payload.issue as object, 'pull_request')).toBe(number === pull.number);
    }
  });

  it('a label on an issue', async () => {
    const { github, repository, issue } = sample;
    github.addLabel(repository, issue.number, 'agent:fix');
    const { name, payload } = await labeledEvent(github, repository, issue.number, 'agent:fix', mona());
    expect(name).toBe('issues');
    expect(
      missing(
        payload,
        exampleOf('issues', ({ action }) => action === 'labeled'),
      ),
    ).toEqual([]);
    expect(payload).toMatchObject({ label: { name: 'agent:fix' }, sender: { login: 'mona' } });
  });

  it('a label on a pull request', async () => {
    const { github, repository } = sample;
    const { number } = await addPull('labelled');
    github.addLabel(repository, number, 'agent:fix');
    const { name, payload } = await labeledEvent(github, repository, number, 'agent:fix', mona());
    expect(name).toBe('pull_request');
    expect(
      missing(
        payload,
        exampleOf('pull_request', ({ action }) => action === 'labeled'),
      ),
    ).toEqual([]);
    expect(payload).toMatchObject({ number, pull_request: { labels: [{ name: 'agent:fix' }] } });
  });

  it('a run that is over, which names the pull request of its branch', async () => {
    const { github, repository } = sample;
    const { number, pull } = await addPull('run-over');
    const run = github.addWorkflowRun(repository, {
      headSha: pull.headSha,
      headBranch: 'run-over',
      event: 'pull_request',
      jobs: [{ name: 'test', conclusion: 'failure' }],
    });
    const { payload } = workflowRunEvent(github, repository, run);
    const example = exampleOf(
      'workflow_run',
      ({ workflow_run: of }) => (of as { pull_requests: unknown[] }).pull_requests.length > 0,
    );
    expect(missing(payload, example)).toEqual([]);
    expect(payload).toMatchObject({
      action: 'completed',
      workflow_run: { conclusion: 'failure', pull_requests: [{ number, head: { sha: pull.headSha } }] },
    });
  });
});

it('of a run whose head lies in a fork no pull request is named', async () => {
  const { github, repository } = sample;
  const { pull } = await addPull('from-afar', 'visitor');
  const run = github.addWorkflowRun(repository, {
    headSha: pull.headSha,
    headBranch: 'from-afar',
    headRepository: await github.fork(repository, 'visitor'),
    event: 'pull_request',
  });
  expect(workflowRunEvent(github, repository, run).payload).toMatchObject({
    workflow_run: { pull_requests: [], head_repository: { full_name: 'visitor/hello', fork: true } },
  });
});

it('a run is told the default branch, but of pull_request the merge with its base', async () => {
  const { github, repository, issue } = sample;
  const { number, pull } = await addPull('refs');
  github.addLabel(repository, number, 'x');
  github.addLabel(repository, issue.number, 'x');
  const sha = 'b'.repeat(40);
  const onDefault = {
    ref: 'refs/heads/main',
    sha,
    headRef: '',
    baseRef: '',
    headBranch: 'main',
    headSha: sha,
  };
  const events = [
    await labeledEvent(github, repository, issue.number, 'x', mona()),
    workflowRunEvent(github, repository, github.addWorkflowRun(repository, { headSha: pull.headSha })),
  ];
  for (const event of events) expect(refsOf({ event, repository, sha })).toMatchObject(onDefault);
  const event = await labeledEvent(github, repository, number, 'x', mona());
  expect(refsOf({ event, repository, sha })).toMatchObject({
    ref: `refs/pull/${number}/merge`,
    sha: pull.testMergeSha,
    headRef: 'refs',
    baseRef: 'main',
    headSha: pull.headSha,
  });
});
