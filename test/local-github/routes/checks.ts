/** What is said of a commit: check runs, also those that jobs of Actions are, and commit statuses. */
import type { components } from '@octokit/openapi-types';
import { minimalRepositoryBody, repositoryBody, userBody } from '../bodies.ts';
import { readRef } from '../git-repository.ts';
import { type Answer, type Context, notFound, Refusal, type Route } from '../rest.ts';
import type { CheckRun, CommitStatus } from '../state.ts';

type Schemas = components['schemas'];

export const checkRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/commits/{ref+}/check-runs',
    needs: [{ checks: 'read' }],
    handle: checkRuns,
  },
  { method: 'GET', path: '/commits/{ref+}/status', needs: [{ statuses: 'read' }], handle: combinedStatus },
];

async function checkRuns(context: Context): Promise<Answer> {
  const { repository, params } = context;
  const sha = await commitOf(context);
  if (!sha) throw new Refusal(422, `No commit found for SHA: ${params.ref}`);
  const jobs: CheckRun[] = [...repository.runs.values()]
    .filter(run => run.headSha === sha)
    .flatMap(run => run.attempts.at(-1) ?? [])
    .map(({ id, name, conclusion }) => ({
      id,
      sha,
      name,
      app: 'GitHub Actions',
      conclusion,
      title: null,
      detailsUrl: null,
      createdAt: repository.createdAt,
    }));
  const rows = [...repository.checkRuns.filter(checkRun => checkRun.sha === sha), ...jobs];
  const body = { total_count: rows.length, check_runs: rows.map(row => checkRunBody(context, row)) };
  return { status: 200, body };
}

async function combinedStatus(context: Context): Promise<Answer> {
  const { repository, urls } = context;
  const sha = await commitOf(context);
  if (!sha) throw notFound();
  const newest = new Map<string, CommitStatus>();
  for (const status of repository.statuses.filter(row => row.sha === sha))
    if (!newest.has(status.context)) newest.set(status.context, status);
  const rows = [...newest.values()];
  const repo = repositoryBody(repository, urls);
  const url = `${repo.url}/commits/${sha}`;
  const body: Schemas['combined-commit-status'] = {
    state: combinedState(rows),
    statuses: rows.map(row => statusBody(context, row)),
    sha,
    total_count: rows.length,
    repository: minimalRepositoryBody(repository, urls),
    commit_url: url,
    url: `${url}/status`,
  };
  return { status: 200, body };
}

const commitOf = ({ repository, params }: Context) => readRef(repository.folder, params.ref ?? '');

function combinedState(rows: readonly CommitStatus[]): string {
  if (rows.some(({ state }) => state === 'failure' || state === 'error')) return 'failure';
  return rows.length > 0 && rows.every(({ state }) => state === 'success') ? 'success' : 'pending';
}

function statusBody({ repository, urls }: Context, row: CommitStatus): Schemas['simple-commit-status'] {
  return {
    id: row.id,
    node_id: Buffer.from(`StatusContext:${row.id}`).toString('base64url'),
    url: `${repositoryBody(repository, urls).url}/statuses/${row.sha}`,
    avatar_url: userBody(row.creator, urls).avatar_url,
    state: row.state,
    description: row.description,
    target_url: row.targetUrl,
    context: row.context,
    created_at: row.createdAt,
    updated_at: row.createdAt,
  };
}

function checkRunBody({ repository, urls }: Context, row: CheckRun): Schemas['check-run'] {
  const repo = repositoryBody(repository, urls);
  const url = `${repo.url}/check-runs/${row.id}`;
  const html = `${repo.html_url}/runs/${row.id}`;
  return {
    id: row.id,
    head_sha: row.sha,
    node_id: Buffer.from(`CheckRun:${row.id}`).toString('base64url'),
    external_id: '',
    url,
    html_url: html,
    details_url: row.detailsUrl ?? html,
    status: row.conclusion === null ? 'in_progress' : 'completed',
    conclusion: row.conclusion,
    started_at: row.createdAt,
    completed_at: row.conclusion === null ? null : row.createdAt,
    output: {
      title: row.title,
      summary: null,
      text: null,
      annotations_count: 0,
      annotations_url: `${url}/annotations`,
    },
    name: row.name,
    check_suite: { id: row.id },
    app: appBody(row.app, repo),
    pull_requests: [],
  };
}

function appBody(name: string, { owner }: Schemas['full-repository']): Schemas['nullable-integration'] {
  const slug = name.toLowerCase().replaceAll(/\W+/g, '-');
  const at = '2018-07-30T09:30:17Z';
  return {
    id: 15_368,
    slug,
    node_id: Buffer.from(`App:${slug}`).toString('base64url'),
    owner,
    name,
    description: null,
    external_url: `https://example.com/${slug}`,
    html_url: `https://example.com/apps/${slug}`,
    created_at: at,
    updated_at: at,
    permissions: {},
    events: [],
  };
}
