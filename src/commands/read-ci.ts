import { kindOfJob } from '../events/job-kind.ts';
import { type LogDigest, openLogDigest } from '../events/job-log-digest.ts';
import type { GitHub } from '../github/client.ts';
import { type FailedJob, listFailedJobs } from '../github/failed-jobs.ts';
import type { GitHubError } from '../github/github-error.ts';
import { type JobLog, readJobLog } from '../github/job-log.ts';
import { listOtherFailures, type OtherFailure } from '../github/other-failures.ts';
import type { Emit } from '../run-events.ts';

/** A job that failed, and what its log says. All of it is outside text. */
export interface FailedCiJob extends FailedJob {
  /** What kind of work failed, by its log or its names. */
  readonly sort: ReturnType<typeof kindOfJob>;
  /** Undefined when there was no log to be had. */
  readonly digest: LogDigest | undefined;
}

/** What CI says of a commit. */
export interface CiFacts {
  readonly jobs: readonly FailedCiJob[];
  /** Of systems other than GitHub Actions. */
  readonly others: readonly OtherFailure[];
}

export interface ReadCiOptions {
  readonly github: GitHub;
  readonly sha: string;
  /** The run that failed, when the event names it. */
  readonly runId?: number | undefined;
  /** Our own workflow run. */
  readonly exceptRunId: number;
  readonly emit: Emit;
  readonly signal: AbortSignal | undefined;
}

const MAX_LOGS = 3;
const MAX_CHARS = 6_000;

/** Reads which jobs failed at a commit and cuts their logs to what matters: at most nine calls. What is refused or gone is noted, never thrown. */
export async function readCi(options: ReadCiOptions): Promise<CiFacts> {
  const { github, sha, runId, exceptRunId, emit } = options;
  const [listed, others] = await Promise.all([
    listFailedJobs(github, { sha, exceptRunId, ...(runId !== undefined && { runId }) }),
    listOtherFailures(github, sha),
  ]);
  if (!listed.ok) note(emit, 'the failed jobs of CI could not be read', listed.error);
  for (const error of others.refused) note(emit, 'what other systems say could not be read', error);
  if (listed.ok && listed.value.leftOut)
    emit({
      kind: 'note',
      level: 'info',
      text: 'more failed runs than three: the older ones were not looked at',
    });
  const found = listed.ok ? listed.value.jobs : [];
  const jobs: FailedCiJob[] = [];
  for (const [index, job] of found.entries()) {
    const digest = index < MAX_LOGS ? await digestOf(options, job) : undefined;
    jobs.push({ ...job, digest, sort: kindOfJob(job, digest ?? { sort: 'unknown' }) });
  }
  return { jobs, others: others.failures };
}

async function digestOf(
  { github, emit, signal }: ReadCiOptions,
  job: FailedJob,
): Promise<LogDigest | undefined> {
  const digester = openLogDigest({ maxChars: MAX_CHARS });
  const log = await readJobLog(github, job.jobId, within(digester.add), { ...(signal && { signal }) });
  const missing = whyMissing(log);
  if (missing) {
    const needs = log.kind === 'refused' && log.error.needs ? ` (needs ${log.error.needs})` : '';
    emit({ kind: 'note', level: 'info', text: `no log of the job ${job.job}: ${missing}${needs}` });
    return undefined;
  }
  return digester.result();
}

const MAX_LINES = 2_000_000;
const MAX_MS = 20_000;
const LOOK_EVERY = 4_096;

/** Anybody's pull request can make a log that costs minutes to read: what comes after a bound is left out. */
function within(add: (line: string) => void): (line: string) => void {
  const started = Date.now();
  let count = 0;
  let isOver = false;
  return line => {
    if (isOver) return;
    add(line);
    count++;
    if (count % LOOK_EVERY === 0) isOver = count >= MAX_LINES || Date.now() - started > MAX_MS;
  };
}

function whyMissing(log: JobLog): string | undefined {
  switch (log.kind) {
    case 'read':
      return undefined;
    case 'expired':
      return 'it is gone; GitHub keeps logs for a time only';
    case 'not-found':
      return 'there is none';
    case 'refused':
      return log.error.message;
    case 'unreachable':
      return log.message;
  }
}

function note(emit: Emit, what: string, error: GitHubError): void {
  const needs = error.needs ? ` (needs ${error.needs})` : '';
  emit({ kind: 'note', level: 'warning', text: `${what}: ${error.message}${needs}` });
}
