import type { GitHub } from './client.ts';
import { type Attempt, attempt } from './github-error.ts';
import { type WorkflowRun, workflowRunOf } from './workflow-runs.ts';

/** A job of GitHub Actions that failed or ran out of time. Names are outside text. */
export interface FailedJob {
  readonly runId: number;
  readonly jobId: number;
  readonly workflow: string;
  readonly job: string;
  /** The first step that failed; undefined when none did, as when the runner was lost. */
  readonly step: string | undefined;
  readonly url: string;
  /** The event that started the run. */
  readonly event: string;
}

export interface FailedJobs {
  /** Those of the newest runs first; within a run in GitHub's order. */
  readonly jobs: readonly FailedJob[];
  /** True when more runs had failed than were asked for their jobs. */
  readonly leftOut: boolean;
}

export interface FailedJobsQuery {
  readonly sha: string;
  /** This run alone, whatever started it. */
  readonly runId?: number;
  /** Our own run, which is never meant. */
  readonly exceptRunId?: number;
}

/** A whole run of ours has 25 calls; two more than these are needed to find the runs and to read a log. */
const MAX_RUNS = 3;

const FAILED = ['failure', 'timed_out'];

/** Runs that these start are told the default branch's commit, whatever they are about: an agent's own among them. */
const NOT_ABOUT_A_COMMIT = ['issue_comment', 'workflow_run'];

/**
 * Lists the failed jobs of the newest attempt of each workflow's newest run at a commit: at most four calls, one for the runs and one for the
 * jobs of each of the three newest. Runs that go on count too, for a job of them may have failed; ones that failed come before them.
 */
export async function listFailedJobs(github: GitHub, query: FailedJobsQuery): Promise<Attempt<FailedJobs>> {
  return attempt(async () => {
    const runs = query.runId === undefined ? await runsAt(github, query) : [await runOf(github, query.runId)];
    const asked = runs.slice(0, MAX_RUNS);
    const jobs = await Promise.all(asked.map(run => failedJobsOf(github, run)));
    return { jobs: jobs.flat(), leftOut: runs.length > asked.length };
  });
}

async function runsAt(
  { rest, owner, repo }: GitHub,
  { sha, exceptRunId }: FailedJobsQuery,
): Promise<WorkflowRun[]> {
  const { data } = await rest.actions.listWorkflowRunsForRepo({ owner, repo, head_sha: sha, per_page: 100 });
  const runs = data.workflow_runs
    .map(workflowRunOf)
    .filter(run => run.id !== exceptRunId && !NOT_ABOUT_A_COMMIT.includes(run.event))
    .sort((one, other) => other.id - one.id);
  const newest = newestOfEach(runs);
  const failed = newest.filter(run => FAILED.includes(run.conclusion ?? ''));
  return [...failed, ...newest.filter(run => run.status === 'in_progress')];
}

/** An older failure of a workflow says nothing when the same event has run it again since. */
function newestOfEach(runs: readonly WorkflowRun[]): WorkflowRun[] {
  const newest = new Map<string, WorkflowRun>();
  for (const run of runs) {
    const key = `${run.workflowId} ${run.event}`;
    if (!newest.has(key)) newest.set(key, run);
  }
  return [...newest.values()];
}

async function runOf({ rest, owner, repo }: GitHub, runId: number): Promise<WorkflowRun> {
  const { data } = await rest.actions.getWorkflowRun({ owner, repo, run_id: runId });
  return workflowRunOf(data);
}

async function failedJobsOf({ rest, owner, repo }: GitHub, run: WorkflowRun): Promise<FailedJob[]> {
  const { data } = await rest.actions.listJobsForWorkflowRun({
    owner,
    repo,
    run_id: run.id,
    filter: 'latest',
    per_page: 100,
  });
  return data.jobs
    .filter(job => FAILED.includes(job.conclusion ?? ''))
    .map(job => ({
      runId: run.id,
      jobId: Number(job.id),
      workflow: run.name,
      job: job.name,
      step: job.steps?.find(step => FAILED.includes(step.conclusion ?? ''))?.name,
      url: job.html_url ?? run.url,
      event: run.event,
    }));
}
