import { cureOf } from '../github/github-error.ts';
import {
  DRAFT_PREFIX,
  type PullRequest,
  publishPullRequest,
  updatePullRequest,
} from '../github/pull-requests.ts';
import { mergeBody } from '../report/pull-request.ts';
import type { FileSummaryRow } from '../types.ts';
import type { Publication, Target } from './publish.ts';

type Proposed = Pick<Publication, 'pullRequest' | 'problems'>;

/** Opens a draft pull request for a branch, or brings the text of the one that is continued up to date. */
export async function propose(
  target: Target,
  branch: string,
  rows: readonly FileSummaryRow[],
  continued: PullRequest | undefined,
): Promise<Proposed> {
  const { title, body } = target.describe(branch, rows);
  if (continued) return update(target, continued, title, body);
  const made = await publishPullRequest(target.github, {
    head: branch,
    base: target.baseBranch,
    title,
    body,
  });
  switch (made.kind) {
    case 'created':
    case 'updated':
      return told(target, made.pullRequest, []);
    case 'no-commits':
      return {
        problems: [
          {
            what: 'The branch has no commits that the base lacks, so there is nothing to propose.',
            cure: 'Check whether the change was merged meanwhile.',
          },
        ],
      };
    case 'not-permitted':
      return {
        problems: [
          {
            what: `The pull request could not be opened: ${made.message}`,
            cure: `${made.cure} The branch is pushed; open the pull request yourself: ${made.compareUrl}`,
          },
        ],
      };
    case 'refused':
      return {
        problems: [
          {
            what: `The pull request could not be opened: ${made.error.message}`,
            cure: `${cureOf(made.error)} The branch is pushed; open the pull request yourself: ${made.compareUrl}`,
          },
        ],
      };
  }
}

async function update(
  target: Target,
  continued: PullRequest,
  title: string,
  body: string,
): Promise<Proposed> {
  const updated = await updatePullRequest(target.github, continued.number, {
    // Where drafts are not supported the title says draft, and goes on saying it.
    title: continued.title.startsWith(DRAFT_PREFIX) ? DRAFT_PREFIX + title : title,
    body: mergeBody(continued.body, body),
  });
  const problems = updated.ok
    ? []
    : [
        {
          what: `The text of #${continued.number} could not be updated: ${updated.error.message}`,
          cure: cureOf(updated.error),
        },
      ];
  return told(target, continued, problems);
}

function told(
  target: Target,
  pullRequest: { readonly number: number; readonly url: string },
  problems: Publication['problems'],
): Proposed {
  target.emit({ kind: 'published', what: `pull request #${pullRequest.number}`, url: pullRequest.url });
  return { pullRequest: { number: pullRequest.number, url: pullRequest.url }, problems };
}
