import { quotedData } from '../agents/prompts/quoted-data.ts';
import type { TaskText } from '../agents/prompts/task.ts';
import { UserError } from '../errors.ts';
import type { Source } from '../events/trigger.ts';
import type { GitHub } from '../github/client.ts';
import { type ComparedFile, type Comparison, readComparison } from '../github/comparison.ts';
import type { PullRequestDetails } from '../github/pull-request-details.ts';
import { ciReason, type FailedCiJob } from '../report/ci-section.ts';
import type { Emit } from '../run-events.ts';
import type { FixRequest } from './fix-request.ts';
import type { Project } from './project.ts';
import { type CiFacts, readCi } from './read-ci.ts';

export interface RequestFixOptions {
  readonly github: GitHub;
  readonly source: Source;
  readonly task: TaskText;
  readonly pullRequest: PullRequestDetails | undefined;
  /** Our own workflow run. */
  readonly runId: number;
  /** Fetches a commit if it is not there, and opens it. */
  readonly openCommit: (sha: string) => Promise<Project>;
  readonly emit: Emit;
  readonly signal: AbortSignal | undefined;
}

/** Gathers what a fix starts from: of a pull request what CI says of its head and what it changed, of words whether they describe anything. */
export async function requestFix(options: RequestFixOptions): Promise<FixRequest> {
  const { github, source, task, pullRequest } = options;
  if (!pullRequest) {
    const describes = source.kind !== 'dispatch' || source.task !== '';
    return {
      task,
      from: describes ? 'words' : 'failing-tests',
      describes,
      base: undefined,
      context: '',
      ciSaid: [],
      ciJobs: [],
      ciWithoutTests: false,
      ciTests: [],
    };
  }
  const { head, base } = pullRequest;
  const [ci, compared] = await Promise.all([
    readCi({
      ...options,
      sha: head.sha,
      runId: source.kind === 'workflow-run' ? source.failed.runId : undefined,
      exceptRunId: options.runId,
    }),
    readComparison(github, base.branch, head.sha),
  ]);
  const comparison = compared.ok ? compared.value : undefined;
  if (!compared.ok)
    options.emit({
      kind: 'note',
      level: 'info',
      text: `what the pull request changed could not be read: ${compared.error.message}`,
    });
  return {
    task,
    // GitHub lists three hundred files at most; and of an unknown change everything may be part.
    isProposed: path =>
      !comparison || comparison.files.length >= 300 || comparison.files.some(file => file.path === path),
    from: 'failing-tests',
    describes: describesBug(task.words),
    base: once(() => openBase(options, comparison?.mergeBase ?? base.sha)),
    context: contextText(ci, comparison),
    ciSaid: ciSaid(ci),
    ciJobs: ci.jobs.map(shownJob),
    ciWithoutTests: ci.jobs.length > 0 && ci.jobs.every(job => ['lint', 'build'].includes(job.sort)),
    ciTests: ci.jobs.flatMap(job => job.digest?.failingTests.map(test => test.name) ?? []),
  };
}

const MIN_DESCRIPTION = 12;

/** "please fix the failing tests" says nothing that CI did not say; a description is what is left without such words. */
const NOTHING_NEW =
  /\b(?:please|pls|fix|mend|repair|the|this|these|that|it|is|are|a|an|and|to|make|get|let|try|again|once|more|failing|failed|fails?|broken|red|green|pass(?:ing)?|tests?|ci|build|lint|checks?|jobs?|pipeline|workflow|pr|pull|request|branch|thanks?|you|can|could|now|asap)\b/gi;

/** Whether the words after a command on a pull request describe wrong behaviour, beyond that something is red. */
export const describesBug = (words: string): boolean =>
  words
    .replace(NOTHING_NEW, '')
    .replace(/[^\p{L}\p{N}]+/gu, '')
    // A character of these scripts says as much as a short word.
    .replace(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu, '$&$&$&').length >=
  MIN_DESCRIPTION;

const shownJob = (job: CiFacts['jobs'][number]): FailedCiJob => ({
  name: job.job,
  step: job.step ?? job.digest?.step,
  workflow: job.workflow,
  url: job.url,
  failingTests: job.digest?.failingTests.map(test => test.name),
});

/** A base that can not be had is one reason less, not the end. */
async function openBase({ openCommit, emit }: RequestFixOptions, sha: string): Promise<Project | undefined> {
  try {
    return await openCommit(sha);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    emit({ kind: 'note', level: 'info', text: `the base could not be compared with: ${error.message}` });
    return undefined;
  }
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

const ciSaid = ({ jobs, others }: CiFacts): readonly string[] => {
  const said = ciReason(jobs.map(shownJob));
  return [
    ...(said ? [said] : []),
    ...others.slice(0, 3).map(other => `“${other.name}” of ${other.system} failed`),
  ];
};

const MAX_PATCH = 24_000;

function contextText(ci: CiFacts, comparison: Comparison | undefined): string {
  const logs = ci.jobs.flatMap(job =>
    job.digest?.text ? [quotedData(`log of the job ${job.job} in CI`, job.digest.text)] : [],
  );
  return ['', ...changedText(comparison), ...(logs.length > 0 ? ['# What CI said', ...logs] : []), ''].join(
    '\n',
  );
}

/** Source first, and small patches before large ones; what does not fit is named, so that it can be read. */
function changedText(comparison: Comparison | undefined): string[] {
  if (!comparison || comparison.files.length === 0) return [];
  const size = ({ patch }: ComparedFile) => patch?.length ?? 0;
  const isTest = ({ path }: ComparedFile) =>
    /(^|\/)(__)?(tests?|specs?)(__)?\/|[._-](test|spec)\./.test(path);
  const ordered = comparison.files.toSorted(
    (one, other) => Number(isTest(one)) - Number(isTest(other)) || size(one) - size(other),
  );
  let left = MAX_PATCH;
  const shown = ordered.map(file => {
    const { path, status, patch } = file;
    if (patch === undefined || patch.length > left)
      return `${status}: ${path} (${patch === undefined ? 'no diff' : `diff of ${patch.split('\n').length} lines not shown`}: read the file)`;
    left -= patch.length;
    return `${status}: ${path}\n${patch}`;
  });
  return ['# What the pull request changed', quotedData('diff of the pull request', shown.join('\n'))];
}
