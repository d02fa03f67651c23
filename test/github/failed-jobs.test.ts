import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { listFailedJobs } from '../../src/github/failed-jobs.ts';
import { listOtherFailures } from '../../src/github/other-failures.ts';
import { type Sample, startSample } from '../local-github/fixture.ts';
import type { NewWorkflowRun } from '../local-github/workflow-runs.ts';
import { addBranch, connect } from './connect.ts';

let sample: Sample;
let count = 0;
beforeAll(async () => {
  sample = await startSample();
});
afterAll(() => sample.close());
afterEach(() => expect(sample.github.unknownRequests).toEqual([]));

/** A commit of its own for each test. */
const commit = () => addBranch(sample, `jobs-${++count}`);
const addRun = (wanted: NewWorkflowRun) => sample.github.addWorkflowRun(sample.repository, wanted);
const red = { name: 'test', conclusion: 'failure' } as const;
const green = { name: 'build', conclusion: 'success' } as const;

async function list(query: Parameters<typeof listFailedJobs>[1]) {
  const before = sample.github.requests.length;
  const result = await listFailedJobs(connect(sample), query);
  if (!result.ok) throw new Error(result.error.message);
  return {
    ...result.value,
    names: result.value.jobs.map(({ workflow, job, step }) => [workflow, job, step].join(' / ')),
    calls: sample.github.requests.length - before,
  };
}

describe('failed jobs', () => {
  it('are those that failed or ran out of time, each with its first failed step', async () => {
    const headSha = await commit();
    const { id } = addRun({
      headSha,
      event: 'pull_request',
      jobs: [
        green,
        {
          name: 'test (22)',
          conclusion: 'failure',
          steps: { 'npm ci': 'success', 'npm test': 'failure', Upload: 'failure' },
        },
        { name: 'slow', conclusion: 'timed_out', steps: {} },
        { name: 'other', conclusion: 'cancelled' },
      ],
    });
    const { jobs, leftOut } = await list({ sha: headSha });
    expect(leftOut).toBe(false);
    const run = { runId: id, workflow: 'CI', event: 'pull_request' };
    const url = expect.stringMatching(`/octo-org/hello/actions/runs/${id}/job/\\d+$`);
    expect(jobs).toEqual([
      { ...run, jobId: expect.any(Number), job: 'test (22)', step: 'npm test', url },
      { ...run, jobId: expect.any(Number), job: 'slow', step: undefined, url },
    ]);
  });

  it('are none where all is green, with one call', async () => {
    const headSha = await commit();
    addRun({ headSha, jobs: [green] });
    expect(await list({ sha: headSha })).toMatchObject({ jobs: [], leftOut: false, calls: 1 });
  });

  it('of an earlier attempt, or of an older run of the same workflow and event, count no more', async () => {
    const headSha = await commit();
    addRun({ headSha, workflow: 'Retried', attempts: [[red], [{ name: 'test', conclusion: 'success' }]] });
    addRun({ headSha, workflow: 'Again', jobs: [red] });
    addRun({ headSha, workflow: 'Again', jobs: [green] });
    addRun({ headSha, workflow: 'Both', event: 'push', jobs: [{ ...red, name: 'by push' }] });
    addRun({ headSha, workflow: 'Both', event: 'pull_request', jobs: [green] });
    expect((await list({ sha: headSha })).names).toEqual(['Both / by push / Run tests']);
  });

  it('of our own run, and of runs that comments or other runs started, are never meant', async () => {
    const headSha = await commit();
    const { id } = addRun({ headSha, workflow: 'agent', event: 'workflow_dispatch', jobs: [red] });
    addRun({ headSha, workflow: 'by comment', event: 'issue_comment', jobs: [red] });
    addRun({ headSha, workflow: 'by run', event: 'workflow_run', jobs: [red] });
    expect((await list({ sha: headSha, exceptRunId: id })).names).toEqual([]);
    expect((await list({ sha: headSha })).names).toEqual(['agent / test / Run tests']);
  });

  it('come with the newest runs first, of three runs at most', async () => {
    const headSha = await commit();
    for (const workflow of ['one', 'two', 'three', 'four']) addRun({ headSha, workflow, jobs: [red] });
    const { names, leftOut, calls } = await list({ sha: headSha });
    expect(names.map(name => name.split(' ')[0])).toEqual(['four', 'three', 'two']);
    expect([leftOut, calls]).toEqual([true, 4]);
  });

  it('of runs that go on are listed too, behind those of runs that failed', async () => {
    const headSha = await commit();
    addRun({ headSha, workflow: 'over', jobs: [red] });
    addRun({
      headSha,
      workflow: 'going',
      status: 'in_progress',
      jobs: [red, { name: 'rest', conclusion: null }],
    });
    expect((await list({ sha: headSha })).names).toEqual([
      'over / test / Run tests',
      'going / test / Run tests',
    ]);
  });

  it('of one run are asked for by its id, whatever started it', async () => {
    const headSha = await commit();
    const { id } = addRun({ headSha, event: 'schedule', jobs: [red] });
    addRun({ headSha, workflow: 'other', jobs: [red] });
    expect(await list({ sha: headSha, runId: id })).toMatchObject({
      jobs: [{ runId: id, event: 'schedule' }],
      calls: 2,
    });
  });

  it('that may not be read are a refusal that names the permission', async () => {
    const github = connect(sample, { permissions: { contents: 'write' } });
    expect(await listFailedJobs(github, { sha: await commit() })).toMatchObject({
      ok: false,
      error: { kind: 'forbidden', needs: 'actions: read' },
    });
  });
});

describe('failures of other systems', () => {
  it('are named with what they said and where, jobs of Actions are not among them', async () => {
    const { github, repository } = sample;
    const sha = await commit();
    addRun({ headSha: sha, jobs: [red] });
    github.addCheckRun(repository, {
      sha,
      name: 'linux',
      app: 'Some CI',
      conclusion: 'failure',
      title: ' 2 tests failed ',
      detailsUrl: 'https://ci.example.com/7',
    });
    github.addCheckRun(repository, { sha, name: 'windows', app: 'Some CI', conclusion: 'success' });
    github.addCheckRun(repository, { sha, name: 'mac', app: 'Some CI', conclusion: null });
    const status = { sha, targetUrl: 'https://jenkins.example.com/job/1', description: 'Build failed' };
    github.addStatus(repository, { ...status, context: 'jenkins/build', state: 'failure' });
    github.addStatus(repository, { sha, context: 'cla', state: 'error', targetUrl: 'javascript:alert(1)' });
    github.addStatus(repository, { sha, context: 'mended', state: 'failure' });
    github.addStatus(repository, { sha, context: 'mended', state: 'success' });
    const { failures, refused } = await listOtherFailures(connect(sample), sha);
    expect(refused).toEqual([]);
    expect(failures).toEqual([
      {
        system: 'Some CI',
        name: 'linux',
        url: 'https://ci.example.com/7',
        description: '2 tests failed',
      },
      { system: 'a commit status', name: 'cla', url: undefined, description: '' },
      {
        system: 'jenkins.example.com',
        name: 'jenkins/build',
        url: 'https://jenkins.example.com/job/1',
        description: 'Build failed',
      },
    ]);
  });

  it.each([
    ['checks', { statuses: 'read' }, ['checks: read'], ['cla']],
    ['statuses', { checks: 'read' }, ['statuses: read'], ['linux']],
    ['both', {}, ['checks: read', 'statuses: read'], []],
  ] as const)(
    'that may not be read (%s) are told by the permission, the rest is',
    async (_what, permissions, needs, names) => {
      const { github, repository } = sample;
      const sha = await commit();
      github.addCheckRun(repository, { sha, name: 'linux', app: 'Some CI', conclusion: 'timed_out' });
      github.addStatus(repository, { sha, context: 'cla', state: 'error' });
      const { failures, refused } = await listOtherFailures(connect(sample, { permissions }), sha);
      expect(refused.map(error => error.needs)).toEqual(needs);
      expect(failures.map(({ name }) => name)).toEqual(names);
    },
  );
});
