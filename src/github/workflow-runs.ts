import { UserError } from '../errors.ts';
import type { GitHub } from './client.ts';
import { type Attempt, attempt, cureOf, type GitHubError } from './github-error.ts';

/** A run of a workflow as it is now: its newest attempt. */
export interface WorkflowRun {
  readonly id: number;
  readonly workflowId: number;
  /** The workflow's name; outside text. */
  readonly name: string;
  /** `queued`, `in_progress`, `completed`, `waiting`, `requested` or `pending`. */
  readonly status: string;
  /** `success`, `failure`, `cancelled`, `timed_out` and others; undefined until it is over. */
  readonly conclusion: string | undefined;
  /** The event that started it. */
  readonly event: string;
  /** What the list of runs shows: an issue's or a commit's title, for instance; outside text. */
  readonly displayTitle: string;
  readonly headSha: string;
  readonly headBranch: string | undefined;
  readonly url: string;
  /** From 1. */
  readonly attempt: number;
  /** `ghost` when the account is gone. */
  readonly actor: string;
  /** ISO 8601. */
  readonly createdAt: string;
}

/** Reads a run; undefined when there is none of that id. */
export async function readWorkflowRun(
  { rest, owner, repo }: GitHub,
  runId: number,
): Promise<WorkflowRun | undefined> {
  const result = await attempt(() => rest.actions.getWorkflowRun({ owner, repo, run_id: runId }));
  if (result.ok) return workflowRunOf(result.value.data);
  if (result.error.kind === 'not-found') return undefined;
  throw new UserError(
    `Reading the workflow run ${runId} failed: ${result.error.message}`,
    cureOf(result.error),
  );
}

/**
 * The runs of a workflow that are not over, newest first, with two calls: the ones that run, however old, and the ones that wait
 * among the newest hundred.
 */
export async function listActiveRuns(
  { rest, owner, repo }: GitHub,
  workflowId: number,
): Promise<Attempt<readonly WorkflowRun[]>> {
  const list = (status?: 'in_progress') =>
    rest.actions.listWorkflowRuns({
      owner,
      repo,
      workflow_id: workflowId,
      per_page: 100,
      ...(status && { status }),
    });
  return attempt(async () => {
    const [running, newest] = await Promise.all([list('in_progress'), list()]);
    const rows = [...running.data.workflow_runs, ...newest.data.workflow_runs].map(workflowRunOf);
    const active = new Map(rows.filter(run => run.status !== 'completed').map(run => [run.id, run]));
    return [...active.values()].sort((one, other) => other.id - one.id);
  });
}

export type Cancelled =
  /** GitHub has taken the request; the run ends some seconds later. */
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'already-over' }
  | { readonly kind: 'not-found' }
  | { readonly kind: 'refused'; readonly error: GitHubError };

/** Asks GitHub to cancel a run. Its steps get SIGINT, and its post steps run. */
export async function cancelRun({ rest, owner, repo }: GitHub, runId: number): Promise<Cancelled> {
  const result = await attempt(() => rest.actions.cancelWorkflowRun({ owner, repo, run_id: runId }));
  if (result.ok) return { kind: 'cancelled' };
  if (result.error.status === 409) return { kind: 'already-over' };
  if (result.error.kind === 'not-found') return { kind: 'not-found' };
  return { kind: 'refused', error: result.error };
}

/** A row of GitHub's, as this room reads it. */
export type WorkflowRunRow = Awaited<ReturnType<GitHub['rest']['actions']['getWorkflowRun']>>['data'];

export const workflowRunOf = (row: WorkflowRunRow): WorkflowRun => ({
  id: Number(row.id),
  workflowId: row.workflow_id,
  name: row.name ?? row.path,
  status: row.status ?? 'completed',
  conclusion: row.conclusion ?? undefined,
  event: row.event,
  displayTitle: row.display_title,
  headSha: row.head_sha,
  headBranch: row.head_branch ?? undefined,
  url: row.html_url,
  attempt: row.run_attempt ?? 1,
  actor: row.actor?.login ?? 'ghost',
  createdAt: row.created_at,
});
