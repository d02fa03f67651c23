/** Runs of workflows, their jobs and the logs of these. */
import type { BlobStore } from '../blob-store.ts';
import { readRef } from '../git-repository.ts';
import {
  type Answer,
  type Context,
  callerOf,
  notFound,
  page,
  Refusal,
  type Route,
  textField,
} from '../rest.ts';
import { jobBody, runBody } from '../run-body.ts';
import type { Job, WorkflowRun } from '../state.ts';
import { addWorkflowRun, finishRun } from '../workflow-runs.ts';

const READ = [{ actions: 'read' }] as const;
const WRITE = [{ actions: 'write' }] as const;

export const actionRoutes = (logs: BlobStore): readonly Route[] => [
  {
    method: 'GET',
    path: '/actions/runs',
    needs: READ,
    handle: context => list(context, [...context.repository.runs.values()]),
  },
  {
    method: 'GET',
    path: '/actions/runs/{run}',
    needs: READ,
    handle: context => ({ status: 200, body: runBody(context.repository, runOf(context), context.urls) }),
  },
  { method: 'GET', path: '/actions/runs/{run}/jobs', needs: READ, handle: jobs },
  { method: 'GET', path: '/actions/runs/{run}/attempts/{attempt}/jobs', needs: READ, handle: jobs },
  { method: 'POST', path: '/actions/runs/{run}/cancel', needs: WRITE, handle: cancel },
  {
    method: 'GET',
    path: '/actions/workflows/{workflow}/runs',
    needs: READ,
    handle: context => {
      const { id } = workflowOf(context);
      return list(
        context,
        [...context.repository.runs.values()].filter(({ workflow }) => workflow.id === id),
      );
    },
  },
  { method: 'POST', path: '/actions/workflows/{workflow}/dispatches', needs: WRITE, handle: dispatch },
  { method: 'GET', path: '/actions/jobs/{job}', needs: READ, handle: job },
  { method: 'GET', path: '/actions/jobs/{job}/logs', needs: READ, handle: context => log(context, logs) },
];

function list(context: Context, runs: readonly WorkflowRun[]): Answer {
  const { query, repository, urls } = context;
  const wants = (name: string, value: string | null) => query.get(name) === null || query.get(name) === value;
  const rows = runs
    .filter(
      run =>
        wants('head_sha', run.headSha) &&
        wants('event', run.event) &&
        wants('branch', run.headBranch) &&
        // GitHub takes a status or a conclusion here.
        (wants('status', run.status) || wants('status', run.conclusion)),
    )
    .sort((one, other) => other.id - one.id);
  const answer = page(context, '/actions/runs', rows);
  const body = answer.body.map(run => runBody(repository, run, urls));
  return { ...answer, body: { total_count: rows.length, workflow_runs: body } };
}

function jobs(context: Context): Answer {
  const { repository, params, query, urls } = context;
  const run = runOf(context);
  const newest = run.attempts.length;
  const attempts = params.attempt
    ? [Number(params.attempt)]
    : query.get('filter') === 'all'
      ? all(newest)
      : [newest];
  if (attempts.some(attempt => !run.attempts[attempt - 1])) throw notFound();
  const rows = attempts.flatMap(attempt => (run.attempts[attempt - 1] ?? []).map(row => ({ attempt, row })));
  const answer = page(context, `/actions/runs/${run.id}/jobs`, rows);
  const body = answer.body.map(({ attempt, row }) => jobBody(repository, run, attempt, row, urls));
  return { ...answer, body: { total_count: rows.length, jobs: body } };
}

const all = (count: number) => Array.from({ length: count }, (_, at) => at + 1);

/** A run that somebody listens to goes on until he ends it; any other is over at once. */
function cancel(context: Context): Answer {
  const run = runOf(context);
  if (run.status === 'completed') throw new Refusal(409, 'Cannot cancel a workflow run that is completed.');
  if (run.onCancel) run.onCancel();
  else finishRun(run, 'cancelled');
  return { status: 202, body: {} };
}

async function dispatch(context: Context): Promise<Answer> {
  const { state, repository, body } = context;
  const workflow = workflowOf(context);
  const ref = (textField(body, 'ref') ?? '').replace(/^refs\/heads\//, '');
  const headSha = await readRef(repository.folder, `refs/heads/${ref}`);
  if (!headSha) throw new Refusal(422, `No ref found for: ${ref}`);
  addWorkflowRun(state, repository, {
    workflow: workflow.name,
    event: 'workflow_dispatch',
    status: 'queued',
    displayTitle: workflow.name,
    headBranch: ref,
    headSha,
    actor: callerOf(context).login,
  });
  return { status: 204 };
}

function job(context: Context): Answer {
  const { run, attempt, job: found } = jobOf(context);
  return { status: 200, body: jobBody(context.repository, run, attempt, found, context.urls) };
}

/** Of a job that still runs there is a link too, to a log that is not written yet. */
function log(context: Context, logs: BlobStore): Answer {
  const { job: found } = jobOf(context);
  if (!context.token) throw new Refusal(403, 'Must have admin rights to Repository.');
  if (found.log === 'expired') throw new Refusal(410, 'Server Error');
  return { status: 302, headers: { location: logs.linkTo(found.log) } };
}

function runOf({ repository, params }: Context): WorkflowRun {
  const run = repository.runs.get(Number(params.run));
  if (!run) throw notFound();
  return run;
}

/** By id or by the name of its file. */
function workflowOf({ repository, params }: Context) {
  const found = [...repository.workflows.values()].find(
    ({ id, path }) => String(id) === params.workflow || path.endsWith(`/${params.workflow}`),
  );
  if (!found) throw notFound();
  return found;
}

function jobOf({ repository, params }: Context): { run: WorkflowRun; attempt: number; job: Job } {
  for (const run of repository.runs.values()) {
    for (const [at, attempt] of run.attempts.entries()) {
      const found = attempt.find(({ id }) => id === Number(params.job));
      if (found) return { run, attempt: at + 1, job: found };
    }
  }
  throw notFound();
}
