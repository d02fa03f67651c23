import { RefusedError, UserError } from '../errors.ts';
import { issueBranch, pullRequestBranch, runBranch } from '../git/branch-name.ts';
import { fetchCommit } from '../git/fetch.ts';
import { hasCommit, type Repository } from '../git/repository.ts';
import { type BranchChoice, chooseBranch, readBranch } from '../github/branches.ts';
import type { GitHub } from '../github/client.ts';
import type { PullRequestDetails } from '../github/pull-request-details.ts';

/** Where work goes: a branch of ours, or that of somebody's pull request. */
export type WorkBranch =
  | BranchChoice
  | { readonly kind: 'pull-request'; readonly pullRequest: PullRequestDetails };

export interface Start {
  readonly baseBranch: string;
  /** The commit that the work starts from. Its files are here, fetched if the checkout lacked it. */
  readonly sha: string;
  readonly branch: WorkBranch;
  readonly branchStem: string;
}

export interface StartOptions {
  readonly github: GitHub;
  readonly repository: Repository;
  readonly remoteUrl: string;
  readonly token: string;
  /** The pull request that is worked on. */
  readonly pullRequest: PullRequestDetails | undefined;
  readonly issue: number | undefined;
  readonly runId: string;
  /** The branch that was asked for, else the default branch. */
  readonly baseBranch: string;
}

/** The head of the pull request that is worked on, or of our own open one for the issue; else the newest commit of the base branch. */
export async function chooseStart(options: StartOptions): Promise<Start> {
  const start = options.pullRequest ? startOnPullRequest(options.pullRequest) : await startOnBranch(options);
  const { repository, remoteUrl, token } = options;
  if (!(await hasCommit(repository, start.sha)))
    await fetchCommit({ repository, url: remoteUrl, token, what: start.sha });
  return start;
}

function startOnPullRequest(pullRequest: PullRequestDetails): Start {
  const { number, state, merged, head, base } = pullRequest;
  if (state === 'closed') {
    throw new RefusedError(
      `Pull request #${number} is ${merged ? 'merged' : 'closed'}, so there is nothing to fix on it.`,
      merged
        ? 'Describe what is wrong in an issue and give the command there.'
        : 'Reopen it, or describe what is wrong in an issue, and give the command again.',
    );
  }
  return {
    baseBranch: base.branch,
    sha: head.sha,
    branch: { kind: 'pull-request', pullRequest },
    branchStem: pullRequestBranch(number),
  };
}

async function startOnBranch({ github, issue, runId, baseBranch: asked }: StartOptions): Promise<Start> {
  const branchStem = issue === undefined ? runBranch(runId) : issueBranch(issue);
  // Asked for together: the second answer is thrown away when a pull request is continued.
  const [branch, newest] = await Promise.all([chooseBranch(github, branchStem), readBranch(github, asked)]);
  const baseBranch = branch.kind === 'continue' ? branch.pullRequest.base : asked;
  const sha = branch.kind === 'continue' ? branch.sha : newest;
  if (sha === undefined) {
    throw new UserError(
      `The base branch ${baseBranch} does not exist.`,
      'Correct the input `base`, or leave it out to use the default branch.',
    );
  }
  return { baseBranch, sha, branch, branchStem };
}
