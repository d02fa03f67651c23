/** Runs, jobs, logs, checks, labels and refs over the API, with the refusals of the real one. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FULL, type Sample, startSample } from './fixture.ts';
import { readRef } from './git-repository.ts';
import type { NewJob } from './workflow-runs.ts';

let sample: Sample;
beforeAll(async () => {
  sample = await startSample();
});
afterAll(() => sample.close());

async function ask(path: string, method = 'GET', body?: unknown, token = sample.github.token(FULL).value) {
  const response = await fetch(`${sample.github.apiUrl}/repos/octo-org/hello${path}`, {
    method,
    redirect: 'manual',
    headers: {
      'user-agent': 'test',
      ...(token && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  // biome-ignore lint/suspicious/noExplicitAny: answers of every route
  const json: any = text === '' ? undefined : JSON.parse(text);
  return { status: response.status, location: response.headers.get('location') ?? '', json };
}

const addRun = (jobs: NewJob[], more = {}) =>
  sample.github.addWorkflowRun(sample.repository, { headSha: 'c'.repeat(40), jobs, ...more });

describe('jobs', () => {
  it('are those of the newest attempt, or of all, or of one', async () => {
    const red = { name: 'test', conclusion: 'failure' } as const;
    const { id } = addRun([], { attempts: [[red], [{ name: 'test' }]] });
    const conclusions = async (path: string) =>
      (await ask(`/actions/runs/${id}${path}`)).json.jobs.map(
        (job: { run_attempt: number; conclusion: string }) => `${job.run_attempt} ${job.conclusion}`,
      );
    expect(await conclusions('/jobs')).toEqual(['2 success']);
    expect(await conclusions('/jobs?filter=all')).toEqual(['1 failure', '2 success']);
    expect(await conclusions('/attempts/1/jobs')).toEqual(['1 failure']);
    expect((await ask(`/actions/runs/${id}/attempts/3/jobs`)).status).toBe(404);
    expect((await ask(`/actions/runs/${id}`)).json).toMatchObject({
      run_attempt: 2,
      conclusion: 'success',
      previous_attempt_url: expect.stringMatching(/attempts\/1$/),
    });
  });
});

describe('a log', () => {
  const link = async (log: NonNullable<NewJob['log']>) => {
    const run = addRun([{ name: 'test', conclusion: 'failure', log }]);
    return ask(`/actions/jobs/${run.attempts[0]?.[0]?.id}/logs`);
  };

  it('lies on another port, with a mark and a timestamp before each line', async () => {
    const { status, location } = await link('one\ntwo\n');
    expect(status).toBe(302);
    expect(new URL(location).port).not.toBe(new URL(sample.github.url).port);
    const bytes = Buffer.from(await (await fetch(location)).arrayBuffer());
    expect(bytes.subarray(0, 3).toString('hex')).toBe('efbbbf');
    expect(bytes.toString()).toMatch(/^\uFEFF2026-\S+Z one\n2026-\S+Z two\n$/);
  });

  it('is given to nobody who sends a token there, and the test is told', async () => {
    const { location } = await link('secret\n');
    const answer = await fetch(location, { headers: { authorization: 'Bearer x' } });
    expect(answer.status).toBe(403);
    expect(await answer.text()).toContain('AuthenticationFailed');
    expect(sample.github.unknownRequests).toEqual(['GET to the store of logs, with an Authorization header']);
    (sample.github.unknownRequests as string[]).length = 0;
  });

  it('is gone when it is expired, and not there before it is written', async () => {
    expect(await link('expired')).toMatchObject({ status: 410, json: { message: 'Server Error' } });
    const { location } = await link('not-written');
    const answer = await fetch(location);
    expect([answer.status, await answer.text()]).toEqual([404, expect.stringContaining('BlobNotFound')]);
  });

  it('is for nobody without a token, also where all may read', async () => {
    const run = addRun([{ name: 'test' }]);
    expect(await ask(`/actions/jobs/${run.attempts[0]?.[0]?.id}/logs`, 'GET', undefined, '')).toMatchObject({
      status: 403,
      json: { message: 'Must have admin rights to Repository.' },
    });
  });
});

it('a run can be cancelled while it is not over', async () => {
  const { id } = addRun([{ name: 'test', conclusion: null }], { status: 'in_progress' });
  const cancel = () => ask(`/actions/runs/${id}/cancel`, 'POST');
  expect((await cancel()).status).toBe(202);
  expect(await cancel()).toMatchObject({
    status: 409,
    json: { message: 'Cannot cancel a workflow run that is completed.' },
  });
});

it('a workflow is started by the name of its file, on a branch that exists', async () => {
  const { workflow } = addRun([], { workflow: 'Nightly' });
  const start = (name: string | number, body: unknown) =>
    ask(`/actions/workflows/${name}/dispatches`, 'POST', body);
  expect((await start('nobodys.yml', { ref: 'main' })).status).toBe(404);
  expect((await start('nightly.yml', {})).status).toBe(422);
  expect((await start('nightly.yml', { ref: 'none' })).status).toBe(422);
  expect((await start(workflow.id, { ref: 'main' })).status).toBe(204);
  const { json } = await ask(`/actions/workflows/nightly.yml/runs?status=queued`);
  expect(json).toMatchObject({ total_count: 1, workflow_runs: [{ event: 'workflow_dispatch' }] });
});

describe('a commit', () => {
  it('is as good as the newest status of each context', async () => {
    const { github, repository } = sample;
    const sha = (await readRef(repository.folder, 'refs/heads/main')) ?? '';
    const state = async () => (await ask('/commits/main/status')).json.state;
    expect(await state()).toBe('pending');
    github.addStatus(repository, { sha, context: 'ci', state: 'failure' });
    expect(await state()).toBe('failure');
    github.addStatus(repository, { sha, context: 'ci', state: 'success' });
    expect(await state()).toBe('success');
  });

  it('that is not there has neither checks nor a status', async () => {
    expect(await ask('/commits/none/check-runs')).toMatchObject({
      status: 422,
      json: { message: 'No commit found for SHA: none' },
    });
    expect((await ask('/commits/none/status')).status).toBe(404);
  });
});

it('a branch is compared with another one from where it left it', async () => {
  const { github, repository } = sample;
  const main = await readRef(repository.folder, 'refs/heads/main');
  const files = { 'README.md': '# hello\nthere\n', 'run.sh': null, 'i.png': Buffer.from([0, 1, 2]) };
  const head = await github.commit(repository, 'side/way', files);
  await github.commit(repository, 'main', { 'later.txt': 'x\n' });
  const { json } = await ask('/compare/main...side/way');
  expect(json).toMatchObject({
    status: 'diverged',
    ahead_by: 1,
    behind_by: 1,
    merge_base_commit: { sha: main },
    commits: [{ sha: head }],
  });
  expect(json.files).toMatchObject([
    { filename: 'README.md', status: 'modified', additions: 1, patch: '@@ -1 +1,2 @@\n # hello\n+there' },
    { filename: 'i.png', status: 'added' },
    { filename: 'run.sh', status: 'removed', deletions: 2, sha: null },
  ]);
  expect(json.files[1]).not.toHaveProperty('patch');
  expect((await ask('/compare/main...none')).status).toBe(404);
});

it('a branch of a fork is compared by its owner and name', async () => {
  const { pull } = await sample.github.addPullRequest(sample.repository, {
    title: 'Afar',
    head: { branch: 'afar', fork: 'visitor', files: { 'afar.txt': 'x\n' } },
  });
  const { json } = await ask('/compare/main...visitor:afar');
  expect(json).toMatchObject({ commits: [{ sha: pull.headSha }], files: [{ filename: 'afar.txt' }] });
});

describe('a ref', () => {
  const create = (ref: string, sha: string) => ask('/git/refs', 'POST', { ref, sha });

  it('is created at a commit, once', async () => {
    const sha = (await readRef(sample.repository.folder, 'refs/heads/main')) ?? '';
    expect(await create('refs/heads/made', sha)).toMatchObject({ status: 201, json: { object: { sha } } });
    expect(await create('refs/heads/made', sha)).toMatchObject({
      status: 422,
      json: { message: 'Reference already exists' },
    });
  });

  it('is not created at a commit that is not there', async () => {
    expect(await create('refs/heads/x', '0'.repeat(40))).toMatchObject({
      status: 422,
      json: { message: 'Object does not exist' },
    });
  });
});

it('labels are added, listed and taken off', async () => {
  const { number } = sample.issue;
  const path = `/issues/${number}/labels`;
  expect((await ask(path, 'POST', { labels: ['agent:fix', 'bug'] })).json).toHaveLength(2);
  expect((await ask(`${path}/agent%3Afix`, 'DELETE')).json).toMatchObject([{ name: 'bug' }]);
  expect(await ask(`${path}/agent%3Afix`, 'DELETE')).toMatchObject({
    status: 404,
    json: { message: 'Label does not exist' },
  });
  expect((await ask(`/issues/${number}`)).json.labels).toMatchObject([{ name: 'bug' }]);
});

it('an issue is opened by a token that may, and needs a title', async () => {
  const reader = sample.github.token({ issues: 'read' }).value;
  expect((await ask('/issues', 'POST', {}, reader)).status).toBe(403);
  expect(await ask('/issues', 'POST', {})).toMatchObject({
    status: 422,
    json: { message: 'Invalid request.\n\n"title" wasn\'t supplied.' },
  });
  expect(await ask('/issues', 'POST', { title: 'New' })).toMatchObject({
    status: 201,
    json: { title: 'New' },
  });
});
