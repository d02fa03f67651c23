import { UserError } from '../errors.ts';
import { parseCommand } from '../events/command.ts';
import type { GitHub } from '../github/client.ts';
import { cureOf } from '../github/github-error.ts';
import type { RunMark } from '../github/progress-comment.ts';
import { cancelRun, listActiveRuns, readWorkflowRun, type WorkflowRun } from '../github/workflow-runs.ts';
import type { CancelResult } from '../report/cancel-text.ts';
import type { Thread } from './read-thread.ts';

export interface CancelOptions {
  readonly github: GitHub;
  /** The issue or pull request whose run is to be stopped. */
  readonly issue: number;
  readonly thread: Thread;
  readonly ownRunId: number;
}

/**
 * Stops the runs of one issue or pull request that were there before this one: those whose mark stands in its comments, and those whose name
 * is `agent #<number>`, which the example workflows give to runs that wait and have not commented yet. Only runs of this very workflow, and
 * none that bears another number: anybody can write a mark.
 */
export async function cancelRuns(options: CancelOptions): Promise<CancelResult> {
  try {
    const runs = await findRuns(options);
    const ends = await Promise.all(
      runs.map(async run => ({ run, end: await cancelRun(options.github, run.id) })),
    );
    const cancelled = ends.flatMap(({ run, end }) => (end.kind === 'cancelled' ? [rowOf(run)] : []));
    const over = ends.flatMap(({ run, end }) =>
      end.kind === 'already-over' || end.kind === 'not-found' ? [rowOf(run)] : [],
    );
    const refused = ends.flatMap(({ run, end }) =>
      end.kind === 'refused'
        ? [{ ...rowOf(run), reason: end.error.message, cure: enough(cureOf(end.error)) }]
        : [],
    );
    return { cancelled, over, refused, none: runs.length === 0 };
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    const { serverUrl, owner, repo } = options.github;
    const url = `${serverUrl}/${owner}/${repo}/actions`;
    const refused = [{ id: 'of this workflow', url, reason: error.message, cure: enough(error.cure) }];
    return { cancelled: [], over: [], refused, none: false };
  }
}

const rowOf = ({ id, url, displayTitle }: WorkflowRun) => ({ id, url, what: displayTitle });

/** Who grants just what was asked for first is refused again at the next step. */
const enough = (cure: string): string => cure.replace('`actions: read`', '`actions: write`');

async function findRuns(options: CancelOptions): Promise<readonly WorkflowRun[]> {
  const { github, ownRunId } = options;
  const own = await readWorkflowRun(github, ownRunId);
  // To a token of a person GitHub says 404 instead of 403.
  if (!own)
    throw new UserError(
      `GitHub does not show the workflow run ${ownRunId} to this token.`,
      "Add `actions: write` under `permissions:` in the workflow's job, or give it to the token of the input `github-token`.",
    );
  const active = await listActiveRuns(github, own.workflowId);
  if (!active.ok) throw new UserError(active.error.message, cureOf(active.error));
  return active.value.filter(run => isBefore(run, own) && isAbout(run, options));
}

const runIdOf = (mark: RunMark): number => Number(mark.run.split('-', 1)[0]);

/** What was asked for after the cancellation is meant to go on, and two cancellations do not stop each other. */
const isBefore = (run: WorkflowRun, own: WorkflowRun): boolean =>
  run.createdAt === own.createdAt ? run.id < own.id : run.createdAt < own.createdAt;

function isAbout(run: WorkflowRun, { issue, thread }: CancelOptions): boolean {
  const marks = thread.marks.filter(mark => runIdOf(mark) === run.id);
  return isNamed(run.displayTitle, issue) ?? marks.some(mark => !isQuick(mark, thread));
}

/** Whether a name is that of a run of this issue, which is to be stopped; undefined when it says nothing of an issue. */
function isNamed(title: string, issue: number): boolean | undefined {
  const [, number, rest = ''] = /^agent #(\d+)(.*)$/s.exec(title) ?? [];
  // A cancellation or a help is over by itself, and shall not be told as a run that was stopped.
  return number === undefined ? undefined : Number(number) === issue && !/^:? *(?:cancel|help)\b/i.test(rest);
}

/** Whether a mark stands in the answer to a cancellation or to a question for help, whose comment is in the conversation too. */
function isQuick({ answers }: RunMark, { comments }: Thread): boolean {
  const asked = comments.find(comment => answers === `comment-${comment.id}`);
  const parsed = asked && parseCommand(asked.body);
  return parsed?.kind === 'command' && (parsed.name === 'cancel' || parsed.name === 'help');
}
