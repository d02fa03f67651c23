import { UserError } from '../errors.ts';
import type { GitHub } from '../github/client.ts';
import { cureOf } from '../github/github-error.ts';
import { cancelRun, listActiveRuns, readWorkflowRun, type WorkflowRun } from '../github/workflow-runs.ts';
import type { CancelResult } from '../report/cancel-text.ts';
import { marksIn, type Thread } from './read-thread.ts';

export interface CancelOptions {
  readonly github: GitHub;
  /** The issue or pull request whose run is to be stopped. */
  readonly issue: number;
  readonly thread: Thread;
  readonly ownRunId: number;
}

/**
 * Stops the runs of one issue or pull request: those whose mark stands in its comments, and those whose name is `agent #<number>`, which the
 * example workflows give to runs that wait and have not commented yet. Only runs of this very workflow: anybody can write a mark.
 */
export async function cancelRuns(options: CancelOptions): Promise<CancelResult> {
  const { github, ownRunId } = options;
  const cancelled: CancelResult['cancelled'][number][] = [];
  const refused: CancelResult['refused'][number][] = [];
  try {
    const own = await readWorkflowRun(github, ownRunId);
    const active = own && (await listActiveRuns(github, own.workflowId));
    if (active && !active.ok) throw new UserError(active.error.message, cureOf(active.error));
    for (const run of (active?.value ?? []).filter(each => each.id !== ownRunId && isAbout(each, options))) {
      const ended = await cancelRun(github, run.id);
      if (ended.kind === 'cancelled') cancelled.push({ id: run.id, url: run.url, what: run.displayTitle });
      if (ended.kind === 'refused')
        refused.push({ id: run.id, url: run.url, reason: ended.error.message, cure: cureOf(ended.error) });
    }
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    const url = `${github.serverUrl}/${github.owner}/${github.repo}/actions`;
    refused.push({ id: 'the runs of this workflow', url, reason: error.message, cure: error.cure });
  }
  return { cancelled, refused, none: cancelled.length + refused.length === 0 };
}

function isAbout(run: WorkflowRun, { issue, thread }: CancelOptions): boolean {
  const marked = marksIn(thread).some(mark => mark.run.split('-', 1)[0] === String(run.id));
  return marked || new RegExp(`^agent #${issue}(?!\\d)`).test(run.displayTitle);
}
