import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { probePermissions } from '../../src/github/probe-permissions.ts';
import { FULL, type Sample, startSample } from '../local-github/fixture.ts';
import { listRefs } from '../local-github/git-repository.ts';
import type { Permissions } from '../local-github/state.ts';
import { connect } from './connect.ts';

let sample: Sample;
beforeAll(async () => {
  sample = await startSample();
});
afterAll(() => sample.close());
afterEach(() => expect(sample.github.unknownRequests).toEqual([]));

const addOwnRun = () =>
  sample.github.addWorkflowRun(sample.repository, {
    workflow: 'agent',
    headSha: 'a'.repeat(40),
    status: 'in_progress',
  });

async function probe(options: Parameters<typeof connect>[1] = {}) {
  const run = addOwnRun();
  const rows = await probePermissions(connect(sample, options), { runId: run.id });
  return { run, rows, states: Object.fromEntries(rows.map(row => [row.permission, row.state])) };
}

const SETTING = 'setting: Actions may create pull requests';
const ALL = [
  'contents: write',
  'pull-requests: write',
  SETTING,
  'issues: write',
  'actions: read',
  'actions: write',
  'checks: read',
  'statuses: read',
];

it('with everything granted, each row says so, and nothing is left behind', async () => {
  const { folder, issues } = sample.repository;
  const refs = await listRefs(folder, 'refs/');
  const before = sample.github.requests.length;
  const { run, rows } = await probe();
  expect(rows.map(({ permission }) => permission)).toEqual(ALL);
  for (const row of rows) expect(row, row.permission).toMatchObject({ state: 'granted', cure: undefined });
  expect(sample.github.requests.length - before).toBe(7);
  expect(await listRefs(folder, 'refs/')).toEqual(refs);
  expect([...issues.keys()]).toEqual([sample.issue.number]);
  expect(run.status).toBe('in_progress');
});

describe('a missing permission is named, and only that one:', () => {
  it.each([
    ['contents: write', { ...FULL, contents: 'read' }, []],
    ['pull-requests: write', { ...FULL, pull_requests: 'read' }, [SETTING]],
    ['issues: write', { ...FULL, issues: 'read' }, []],
    ['actions: write', { ...FULL, actions: 'read' }, []],
    ['checks: read', { ...FULL, checks: undefined }, []],
    ['statuses: read', { ...FULL, statuses: undefined }, []],
  ])('%s', async (permission, permissions, unknown) => {
    const { rows, states } = await probe({ permissions: permissions as Permissions });
    expect(Object.keys(states).filter(name => states[name] === 'missing')).toEqual([permission]);
    expect(Object.keys(states).filter(name => states[name] === 'unknown')).toEqual(unknown);
    expect(rows.find(row => row.permission === permission)).toMatchObject({
      detail: `HTTP 403: Resource not accessible by integration; it names \`${permission}\``,
      cure: expect.stringContaining(`Add \`${permission}\` under \`permissions:\``),
    });
  });

  it('actions, of which both are needed', async () => {
    const { states } = await probe({
      permissions: { ...FULL, actions: undefined } as unknown as Permissions,
    });
    expect([states['actions: read'], states['actions: write']]).toEqual(['missing', 'missing']);
  });
});

it('where Actions may not open pull requests, the setting is missing and the permission is not', async () => {
  sample.repository.settings.allowActionsToCreatePullRequests = false;
  const { rows, states } = await probe();
  sample.repository.settings.allowActionsToCreatePullRequests = true;
  expect(Object.keys(states).filter(name => states[name] !== 'granted')).toEqual([SETTING]);
  expect(states['pull-requests: write']).toBe('granted');
  expect(rows.find(row => row.permission === SETTING)).toMatchObject({
    detail: expect.stringContaining('not permitted to create or approve pull requests'),
    cure: expect.stringContaining('Settings → Actions → General'),
  });
});

it('with a token that is no good every permission is missing, and the cure is the token', async () => {
  const { rows, states } = await probe({ token: 'ghs_wrong' });
  expect(Object.values(states).filter(state => state === 'missing')).toHaveLength(7);
  expect(rows[0]?.cure).toContain('`github-token`');
});

it('what GitHub could not answer is unknown, not missing', async () => {
  sample.github.fail({ path: /check-runs/, answer: { status: 500, body: { message: 'Oops' } }, times: 4 });
  const { rows } = await probe();
  expect(rows.find(row => row.permission === 'checks: read')).toMatchObject({
    state: 'unknown',
    detail: 'HTTP 500: Oops',
    cure: undefined,
  });
});
