import { readFileSync } from 'node:fs';
import type { Order } from './carry-out.ts';
import type { WorkResult } from './commands/deps.ts';
import type { Publication } from './commands/publish.ts';
import { ciSection } from './report/ci-section.ts';
import { failingList } from './report/failing-list.ts';
import { fixReport } from './report/fix-report.ts';
import { patchFold } from './report/patch-fold.ts';
import type { PullRequestInput } from './report/pull-request.ts';
import { redactAll } from './report/redact.ts';

/** Small enough to be copied out of a comment. */
const MAX_PATCH = 15_000;

/** What a change to somebody's pull request is explained with: there the run's comment does it, since the pull request's text is not ours. */
export interface ChangeOnPullRequest {
  readonly facts: PullRequestInput;
  readonly publication: Publication;
}

/** What the comment of a fix says below its ending: what CI said, what fails, and the change where no pull request of ours explains it. */
export function fixComment(
  order: Order,
  result: WorkResult,
  change: ChangeOnPullRequest | undefined,
): string | undefined {
  const { clean } = order.surroundings;
  const isDone = result.proof?.proven === true || result.commandGreen !== undefined;
  const {
    failing = [],
    passOnBase = false,
    ciJobs = [],
  } = redactAll({ failing: result.failing, passOnBase: result.passOnBase, ciJobs: result.ciJobs }, clean);
  const parts = [
    ...(change ? changeParts(change, clean) : []),
    isDone ? '' : failingList(failing, { passOnBase }),
    order.askedBy === undefined || result.outcome === 'not-reproduced' ? ciSection(ciJobs) : '',
  ].filter(part => part !== '');
  return parts.length === 0 ? undefined : parts.join('\n\n');
}

function changeParts({ facts, publication }: ChangeOnPullRequest, clean: (text: string) => string): string[] {
  const { withheld, branch, headSha, patchPath } = publication;
  return [
    withheld ? clean(`> [!IMPORTANT]\n> ${withheld.what}\n> ${withheld.cure}`) : '',
    fixReport({ ...redactAll(facts, clean), headSha, pushedTo: branch }),
    branch || !patchPath ? '' : patchFold(readFileSync(patchPath, 'utf8'), MAX_PATCH, clean),
  ];
}
