/** Runs of workflows, with their attempts and jobs; and what other systems say of a commit. */
import {
  addUser,
  type CheckRun,
  type CommitStatus,
  type Conclusion,
  type Job,
  type JobLog,
  nextId,
  type Repository,
  type RunStatus,
  type State,
  type Step,
  timestamp,
  type Workflow,
  type WorkflowRun,
} from './state.ts';

export interface NewJob {
  readonly name: string;
  /** Default success. Null: it runs still. */
  readonly conclusion?: Conclusion | null;
  /** Name → conclusion. Default one step `Run tests` that ended as the job did. */
  readonly steps?: Readonly<Record<string, Conclusion>>;
  /** Default a text of two lines; a function makes bytes, which are sent as they are. */
  readonly log?:
    | string
    | (() => Iterable<Uint8Array> | AsyncIterable<Uint8Array>)
    | 'expired'
    | 'not-written';
}

export interface NewWorkflowRun {
  /** Default CI. */
  readonly workflow?: string;
  /** Default push. */
  readonly event?: string;
  readonly headSha: string;
  /** Default the default branch. */
  readonly headBranch?: string;
  /** The fork that the head branch lies in. */
  readonly headRepository?: Repository;
  /** Default completed. */
  readonly status?: RunStatus;
  /** Default failure when a job of the newest attempt failed, else success. */
  readonly conclusion?: Conclusion | null;
  readonly displayTitle?: string;
  /** Default the owner. */
  readonly actor?: string;
  readonly jobs?: readonly NewJob[];
  /** Jobs of several attempts, the newest last; in place of `jobs`. */
  readonly attempts?: readonly (readonly NewJob[])[];
  readonly id?: number;
  readonly createdAt?: string;
  readonly onCancel?: () => void;
}

export function addWorkflowRun(state: State, repository: Repository, wanted: NewWorkflowRun): WorkflowRun {
  const status = wanted.status ?? 'completed';
  const attempts = (wanted.attempts ?? [wanted.jobs ?? []]).map(jobs => jobs.map(job => jobWith(state, job)));
  const failed = attempts.at(-1)?.some(({ conclusion }) => conclusion === 'failure');
  const at = wanted.createdAt ?? timestamp();
  const run: WorkflowRun = {
    id: wanted.id ?? nextId(state),
    workflow: workflowOf(state, repository, wanted.workflow ?? 'CI'),
    displayTitle: wanted.displayTitle ?? 'Initial commit',
    event: wanted.event ?? 'push',
    actor: addUser(state, wanted.actor ?? repository.owner.login),
    headBranch: wanted.headBranch ?? repository.defaultBranch,
    headSha: wanted.headSha,
    headRepository: wanted.headRepository ?? repository,
    status,
    conclusion: status === 'completed' ? (wanted.conclusion ?? (failed ? 'failure' : 'success')) : null,
    createdAt: at,
    updatedAt: at,
    attempts,
    onCancel: wanted.onCancel,
  };
  repository.runs.set(run.id, run);
  return run;
}

export function finishRun(run: WorkflowRun, conclusion: Conclusion): void {
  Object.assign(run, { status: 'completed', conclusion, updatedAt: timestamp() });
}

/** The workflow of this name, which is made when it is not there. */
export function workflowOf(state: State, repository: Repository, name: string): Workflow {
  const known = [...repository.workflows.values()].find(workflow => workflow.name === name);
  if (known) return known;
  const path = `.github/workflows/${name.toLowerCase().replaceAll(/\W+/g, '-')}.yml`;
  const workflow: Workflow = { id: nextId(state), name, path };
  repository.workflows.set(workflow.id, workflow);
  return workflow;
}

const STARTED = 'Current runner version: 2.330.0';

function jobWith(state: State, { name, conclusion = 'success', steps, log }: NewJob): Job {
  const ended = conclusion ?? 'success';
  const rows: Step[] = Object.entries(steps ?? { 'Run tests': ended }).map(([step, end]) => ({
    name: step,
    conclusion: end,
  }));
  return {
    id: nextId(state),
    name,
    status: conclusion === null ? 'in_progress' : 'completed',
    conclusion,
    steps: [{ name: 'Set up job', conclusion: 'success' }, ...rows],
    log: conclusion === null ? undefined : logOf(log ?? `${STARTED}\nThe job ended with ${conclusion}.\n`),
  };
}

function logOf(log: NonNullable<NewJob['log']>): JobLog | 'expired' | undefined {
  if (log === 'not-written') return undefined;
  if (log === 'expired') return log;
  return typeof log === 'string' ? { text: log } : { bytes: log };
}

export interface NewStatus {
  readonly sha: string;
  readonly context: string;
  readonly state: CommitStatus['state'];
  readonly description?: string;
  readonly targetUrl?: string;
}

/** What another system says of a commit, by the older way. The newest of a context counts. */
export function addStatus(state: State, repository: Repository, wanted: NewStatus): void {
  repository.statuses.unshift({
    id: nextId(state),
    sha: wanted.sha,
    context: wanted.context,
    state: wanted.state,
    description: wanted.description ?? null,
    targetUrl: wanted.targetUrl ?? null,
    creator: addUser(state, 'some-ci[bot]', 'Bot'),
    createdAt: timestamp(),
  });
}

export interface NewCheckRun {
  readonly sha: string;
  readonly name: string;
  /** Name of the app. */
  readonly app: string;
  /** Null: it runs still. */
  readonly conclusion: Conclusion | null;
  readonly title?: string;
  readonly detailsUrl?: string;
}

/** What another system says of a commit, by an app. */
export function addCheckRun(state: State, repository: Repository, wanted: NewCheckRun): CheckRun {
  const checkRun: CheckRun = {
    id: nextId(state),
    sha: wanted.sha,
    name: wanted.name,
    app: wanted.app,
    conclusion: wanted.conclusion,
    title: wanted.title ?? null,
    detailsUrl: wanted.detailsUrl ?? null,
    createdAt: timestamp(),
  };
  repository.checkRuns.unshift(checkRun);
  return checkRun;
}
