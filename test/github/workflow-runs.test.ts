import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { cancelRun, listActiveRuns, readWorkflowRun } from '../../src/github/workflow-runs.ts';
import { type Sample, startSample } from '../local-github/fixture.ts';
import type { NewWorkflowRun } from '../local-github/workflow-runs.ts';
import { connect } from './connect.ts';

let sample: Sample;
beforeAll(async () => {
  sample = await startSample();
});
afterAll(() => sample.close());
afterEach(() => expect(sample.github.unknownRequests).toEqual([]));

const addRun = (wanted: Partial<NewWorkflowRun> = {}) =>
  sample.github.addWorkflowRun(sample.repository, { headSha: 'a'.repeat(40), ...wanted });

describe('a workflow run', () => {
  it('is read with its newest attempt', async () => {
    const run = addRun({
      workflow: 'agent',
      event: 'issue_comment',
      status: 'in_progress',
      displayTitle: 'Say goodbye',
      actor: 'mona',
      attempts: [[], []],
    });
    expect(await readWorkflowRun(connect(sample), run.id)).toEqual({
      id: run.id,
      workflowId: run.workflow.id,
      name: 'agent',
      status: 'in_progress',
      conclusion: undefined,
      event: 'issue_comment',
      displayTitle: 'Say goodbye',
      headSha: 'a'.repeat(40),
      headBranch: 'main',
      url: `${sample.github.url}/octo-org/hello/actions/runs/${run.id}`,
      attempt: 2,
      actor: 'mona',
      createdAt: run.createdAt,
    });
  });

  it('that is not there is undefined; one that may not be read is told with the cure', async () => {
    expect(await readWorkflowRun(connect(sample), 1)).toBeUndefined();
    const poor = connect(sample, { permissions: {} });
    await expect(readWorkflowRun(poor, addRun().id)).rejects.toMatchObject({
      cure: expect.stringContaining('`actions: read`'),
    });
  });
});

describe('active runs', () => {
  it('are those of one workflow that are not over, newest first, with two calls', async () => {
    const active = ['queued', 'waiting', 'pending', 'requested', 'in_progress'] as const;
    const runs = active.map(status => addRun({ workflow: 'busy', status }));
    addRun({ workflow: 'busy' });
    addRun({ workflow: 'else', status: 'queued' });
    const before = sample.github.requests.length;
    const result = await listActiveRuns(connect(sample), runs[0]?.workflow.id ?? 0);
    expect(result.ok && result.value.map(({ status }) => status)).toEqual(active.toReversed());
    expect(sample.github.requests.length - before).toBe(2);
  });

  it('are found however many runs came after one that runs', async () => {
    const { id, workflow } = addRun({ workflow: 'comments', status: 'in_progress' });
    for (let n = 0; n < 120; n++) addRun({ workflow: 'comments', conclusion: 'skipped' });
    const result = await listActiveRuns(connect(sample), workflow.id);
    expect(result.ok && result.value.map(run => run.id)).toEqual([id]);
  });

  it('that may not be listed are a refusal', async () => {
    const poor = connect(sample, { permissions: {} });
    expect(await listActiveRuns(poor, addRun().workflow.id)).toMatchObject({
      ok: false,
      error: { needs: 'actions: read' },
    });
  });
});

describe('cancelling', () => {
  it('ends a run that goes on, once', async () => {
    const run = addRun({ status: 'in_progress' });
    const github = connect(sample);
    expect(await cancelRun(github, run.id)).toEqual({ kind: 'cancelled' });
    expect(run).toMatchObject({ status: 'completed', conclusion: 'cancelled' });
    expect(await cancelRun(github, run.id)).toEqual({ kind: 'already-over' });
  });

  it('tells who listens, and the run is over when he says so', async () => {
    let told = 0;
    const run = addRun({ status: 'in_progress', onCancel: () => told++ });
    expect(await cancelRun(connect(sample), run.id)).toEqual({ kind: 'cancelled' });
    expect([told, run.status]).toEqual([1, 'in_progress']);
  });

  it('of a run that is not there, or without the permission, is told as data', async () => {
    expect(await cancelRun(connect(sample), 1)).toEqual({ kind: 'not-found' });
    const reader = connect(sample, { permissions: { actions: 'read' } });
    const run = addRun({ status: 'queued' });
    expect(await cancelRun(reader, run.id)).toMatchObject({
      kind: 'refused',
      error: { kind: 'forbidden', needs: 'actions: write' },
    });
    expect(run.status).toBe('queued');
  });
});
