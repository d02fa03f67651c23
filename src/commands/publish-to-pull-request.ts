import { isBranchName } from '../git/branch-name.ts';
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
  if (!target.isShown && !target.isAsked) return withheldUnproven(started, kept);
  const now = (await readPullRequest(target.github, started.number)) ?? {
    ...started,
    state: 'closed' as const,
  };
  const away = whyNotThere(started, now) ?? (target.isShown ? undefined : 'it is not proven');
  if (away) return publishBeside(target, now, kept, away);

  const pushed = await pushTo(target, kept.sha, started.head.branch, started.head.sha);
  if (pushed.kind === 'refused') {
    if (pushed.reason === 'moved' || pushed.reason === 'protected')
      return publishBeside(target, now, kept, `its branch could not be pushed to: ${pushed.detail}`);
    return notPushed(kept, pushed);
  }
  const published = tellPushed(target, pushed.branch, kept);
  const pullRequest = { number: now.number, url: now.url };
  target.emit({ kind: 'published', what: `pull request #${now.number}`, url: now.url });
  return { ...published, pullRequest };
}

function whyNotThere(started: PullRequestDetails, now: PullRequestDetails): string | undefined {
  if (now.merged) return 'it was merged meanwhile';
  if (now.state === 'closed') return 'it was closed meanwhile';
  if (now.head.sha !== started.head.sha) return 'somebody pushed to it meanwhile';
  if (!isBranchName(started.head.branch)) return 'the name of its branch can not be used safely';
  return undefined;
}

/** A branch of ours, and a pull request into the one that was to be fixed, or into its base when that has it already. */
async function publishBeside(
  target: Target,
  now: PullRequestDetails,
  kept: Kept,
  why: string,
): Promise<Publication> {
  const branch = await chooseFree(target, undefined);
  target.emit({
    kind: 'note',
    level: 'warning',
    text: `the change is not on #${now.number}, because ${why}; it goes to ${branch}`,
  });
  const pushed = await pushTo(target, kept.sha, branch, undefined);
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

const withheldUnproven = ({ number }: PullRequestDetails, kept: Kept): Publication => ({
  rows: kept.rows,
  patchPath: kept.patchPath,
  problems: [],
  withheld: {
    what: `What there is is not proven, and nobody asked for it, so nothing was pushed to #${number}.`,
    cure: 'It is in `change.patch` of the run’s artifact, and below. `/agent fix` in a comment tries again.',
  },
});

const withheldFromFork = ({ number, head }: PullRequestDetails, kept: Kept): Publication => ({
  rows: kept.rows,
  patchPath: kept.patchPath,
  problems: [],
  withheld: {
    what: `The head of #${number} is ${head.repository ? `in the fork ${head.repository}` : 'in a fork that was deleted'}, which this job may not write to, so nothing was pushed.`,
    cure: 'Download `change.patch` from the run’s artifact, or copy it from below, and apply it with `git apply`; or its author may.',
  },
});
