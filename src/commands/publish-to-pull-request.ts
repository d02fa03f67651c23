import { isBranchName } from '../git/branch-name.ts';
import { isProtected } from '../github/branches.ts';
import { compareUrl } from '../github/compare-url.ts';
import { type PullRequestDetails, readPullRequest } from '../github/pull-request-details.ts';
import { propose } from './propose.ts';
import type { Kept, Publication, Target } from './publish.ts';
import { chooseFree, notPushed, pushTo, tellPushed } from './push-work.ts';

/**
 * Pushes to the branch of somebody's pull request, and only forward. Where that can not be (it moved, was closed or merged meanwhile, or is
 * protected) the change goes to a branch of ours; where it is in a fork, it stays a patch.
 */
export async function publishToPullRequest(
  target: Target,
  started: PullRequestDetails,
  kept: Kept,
): Promise<Publication> {
  if (started.isFork) return withheldFromFork(started, kept);
  if (!target.isShown && !target.isAsked)
    return withheld(
      kept,
      `It is not certain that this mends the cause, and nobody asked for it, so nothing was pushed to #${started.number}.`,
    );
  const now = (await readPullRequest(target.github, started.number)) ?? {
    ...started,
    state: 'closed' as const,
  };
  const away = await whyNotThere(target, started, now);
  if (away)
    return target.isAsked
      ? publishBeside(target, now, kept, away)
      : withheld(kept, `Nothing was pushed to #${now.number}, because ${away}.`);

  const pushed = await pushTo(target, kept.sha, started.head.branch, started.head.sha);
  if (pushed.kind === 'refused') {
    if (target.isAsked && (pushed.reason === 'moved' || pushed.reason === 'protected'))
      return publishBeside(target, now, kept, `its branch could not be pushed to: ${pushed.detail}`);
    return notPushed(kept, pushed);
  }
  const published = tellPushed(target, pushed.branch, kept);
  const pullRequest = { number: now.number, url: now.url };
  target.emit({ kind: 'published', what: `pull request #${now.number}`, url: now.url });
  return { ...published, pullRequest };
}

async function whyNotThere(
  { github, defaultBranch, isShown }: Target,
  started: PullRequestDetails,
  now: PullRequestDetails,
): Promise<string | undefined> {
  const { branch } = started.head;
  if (now.merged) return 'it was merged meanwhile';
  if (now.state === 'closed') return 'it was closed meanwhile';
  if (now.head.sha !== started.head.sha) return 'somebody pushed to it meanwhile';
  if (!isBranchName(branch)) return 'the name of its branch can not be used safely';
  if (!isShown) return 'it is not certain that it mends the cause';
  // What goes there, somebody has to have read first.
  if (branch === defaultBranch) return 'its branch is the default branch';
  if (now.autoMerge) return 'it merges by itself as soon as its checks pass';
  if (await isProtected(github, branch)) return 'its branch is protected';
  return undefined;
}

/** A branch of ours, and a pull request into the one that was to be fixed, or into its base when that has it already. */
async function publishBeside(
  target: Target,
  now: PullRequestDetails,
  kept: Kept,
  why: string,
): Promise<Publication> {
  const branch = await chooseFree(target);
  const pushed = await pushTo(target, kept.sha, branch, undefined);
  const where = pushed.kind === 'pushed' ? `it is on ${branch}` : `nor could it go to ${branch}`;
  target.emit({
    kind: 'note',
    level: 'warning',
    text: `the change is not on #${now.number}, because ${why}; ${where}`,
  });
  if (pushed.kind === 'refused') return notPushed(kept, pushed);
  const published = tellPushed(target, branch, kept);
  const base = now.merged ? now.base.branch : now.head.branch;
  if (now.state === 'closed' && !now.merged) {
    const { title, body } = target.describe(branch, kept.rows);
    const link = compareUrl({ ...target.github, base: now.base.branch, head: branch, title, body });
    const problem = {
      what: `#${now.number} was closed meanwhile, so no pull request was opened for the change.`,
      cure: `It is on the branch ${branch}; if it is still wanted, open a pull request: ${link}`,
    };
    return { ...published, problems: [problem] };
  }
  return { ...published, ...(await propose({ ...target, baseBranch: base }, branch, kept.rows, undefined)) };
}

const withheld = ({ rows, patchPath }: Kept, what: string): Publication => ({
  rows,
  patchPath,
  problems: [],
  withheld: {
    what,
    cure: 'The change is in `change.patch` of the run’s artifact, and below. `/agent fix` in a comment tries again.',
  },
});

const withheldFromFork = ({ number, head }: PullRequestDetails, kept: Kept): Publication => ({
  rows: kept.rows,
  patchPath: kept.patchPath,
  problems: [],
  withheld: {
    what: `The head of #${number} is ${head.repository ? `in the fork ${head.repository}` : 'in a fork that was deleted'}, which this job may not write to, so nothing was pushed.`,
    cure: 'Download `change.patch` from the run’s artifact, or copy it from below, and apply it with `git apply`. The author of the pull request can do that, too.',
  },
});
