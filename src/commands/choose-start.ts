import { UserError } from '../errors.ts';
import { issueBranch, runBranch } from '../git/branch-name.ts';
import { fetchCommit } from '../git/fetch.ts';
import { hasCommit, type Repository } from '../git/repository.ts';
import { type BranchChoice, chooseBranch, readBranch } from '../github/branches.ts';
import type { GitHub } from '../github/client.ts';

export interface Start {
  readonly baseBranch: string;
  /** The commit that the work starts from. Its files are here, fetched if the checkout lacked it. */
  readonly sha: string;
  readonly branch: BranchChoice;
  readonly branchStem: string;
}

export interface StartOptions {
  readonly github: GitHub;
  readonly repository: Repository;
  readonly remoteUrl: string;
  readonly token: string;
  readonly issue: number | undefined;
  readonly runId: string;
  /** The branch that was asked for, else the default branch. */
  readonly baseBranch: string;
}

/** The head of our own open pull request for the issue, if there is one; else the newest commit of the base branch. */
export async function chooseStart(options: StartOptions): Promise<Start> {
  const { github, repository, remoteUrl, token } = options;
  const branchStem = options.issue === undefined ? runBranch(options.runId) : issueBranch(options.issue);
  // Asked for together: the second answer is thrown away when a pull request is continued.
  const [branch, newest] = await Promise.all([
    chooseBranch(github, branchStem),
    readBranch(github, options.baseBranch),
  ]);
  const baseBranch = branch.kind === 'continue' ? branch.pullRequest.base : options.baseBranch;
  const sha = branch.kind === 'continue' ? branch.sha : newest;
  if (sha === undefined) {
    throw new UserError(
      `The base branch ${baseBranch} does not exist.`,
      'Correct the input `base`, or leave it out to use the default branch.',
    );
  }
  if (!(await hasCommit(repository, sha)))
    await fetchCommit({ repository, url: remoteUrl, token, what: sha });
  return { baseBranch, sha, branch, branchStem };
}
