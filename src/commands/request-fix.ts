import { quotedData } from '../agents/prompts/quoted-data.ts';
import type { TaskText } from '../agents/prompts/task.ts';
import type { Source } from '../events/trigger.ts';
import type { GitHub } from '../github/client.ts';
import { type Comparison, readComparison } from '../github/comparison.ts';
import type { PullRequestDetails } from '../github/pull-request-details.ts';
import { ciReason } from '../report/ci-section.ts';
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
    base: () => options.openCommit(comparison?.mergeBase ?? base.sha),
    context: contextText(ci, comparison),
    ciSaid: ciSaid(ci),
    ciTests: ci.jobs.flatMap(job => job.digest?.failingTests.map(test => test.name) ?? []),
  };
}

const MIN_DESCRIPTION = 25;

/** "please fix the failing tests" says nothing that CI did not say; a description is what is left without such words. */
const NOTHING_NEW =
  /\b(?:please|pls|fix|mend|repair|the|this|these|that|it|is|are|a|an|and|to|make|get|let|try|again|once|more|failing|failed|fails?|broken|red|green|pass(?:ing)?|tests?|ci|build|lint|checks?|jobs?|pipeline|workflow|pr|pull|request|branch|thanks?|you|can|could|now|asap)\b/gi;

/** Whether the words after a command on a pull request describe wrong behaviour, beyond that something is red. */
export const describesBug = (words: string): boolean =>
  words.replace(NOTHING_NEW, '').replace(/[^\p{L}\p{N}]+/gu, '').length >= MIN_DESCRIPTION;

const ciSaid = ({ jobs, others }: CiFacts): readonly string[] => {
  const said = ciReason(
    jobs.map(job => ({
      name: job.job,
      step: job.step ?? job.digest?.step,
      workflow: job.workflow,
      failingTests: job.digest?.failingTests.map(test => test.name),
    })),
  );
  return [
    ...(said ? [said] : []),
    ...others.slice(0, 3).map(other => `“${other.name}” of ${other.system} failed`),
  ];
};

const MAX_PATCH = 12_000;

function contextText(ci: CiFacts, comparison: Comparison | undefined): string {
  const logs = ci.jobs.flatMap(job =>
    job.digest?.text ? [quotedData(`log of the job ${job.job} in CI`, job.digest.text)] : [],
  );
  return ['', ...changedText(comparison), ...(logs.length > 0 ? ['# What CI said', ...logs] : []), ''].join(
    '\n',
  );
}

function changedText(comparison: Comparison | undefined): string[] {
  if (!comparison || comparison.files.length === 0) return [];
  let left = MAX_PATCH;
  const shown = comparison.files.map(({ path, status, patch }) => {
    const text = patch && patch.length <= left ? `\n${patch}` : '';
    left -= text.length;
    return `${status}: ${path}${text}`;
  });
  return ['# What the pull request changed', quotedData('diff of the pull request', shown.join('\n'))];
}
