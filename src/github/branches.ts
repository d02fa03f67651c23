import { UserError } from '../errors.ts';
import type { GitHub } from './client.ts';
import { attempt, cureOf, must } from './github-error.ts';
import { listPullRequests, type PullRequest } from './pull-requests.ts';

/** The commit that a branch points to, or undefined when there is no such branch. */
export async function readBranch({ rest, owner, repo }: GitHub, branch: string): Promise<string | undefined> {
  const result = await attempt(() => rest.git.getRef({ owner, repo, ref: `heads/${branch}` }));
  if (result.ok) return result.value.data.object.sha;
  if (result.error.kind === 'not-found') return undefined;
  throw new UserError(`Reading the branch ${branch} failed: ${result.error.message}`, cureOf(result.error));
}

/** Whether rules guard a branch; false when that can not be read, since a push is then refused or was allowed. */
export async function isProtected({ rest, owner, repo }: GitHub, branch: string): Promise<boolean> {
  const result = await attempt(() => rest.repos.getBranch({ owner, repo, branch }));
  return result.ok && result.value.data.protected;
}

/** A name that nobody uses: the first of `name`, `name-2`, `name-3` … without a branch, now, or a pull request, ever. */
export async function freeBranch(github: GitHub, name: string): Promise<string> {
  const shas = await branchesLike(github, name);
  for (let attemptNumber = 1; attemptNumber <= MAX_ATTEMPTS; attemptNumber++) {
    const branch = attemptNumber === 1 ? name : `${name}-${attemptNumber}`;
    if (!shas.has(branch) && (await listPullRequests(github, branch)).length === 0) return branch;
  }
  throw tooMany(name);
}

export type BranchChoice =
  /** Free: no branch and no pull request ever had this name. */
  | { readonly kind: 'new'; readonly branch: string }
  /** An open pull request of ours, to be continued on its head. */
  | {
      readonly kind: 'continue';
      readonly branch: string;
      readonly sha: string;
      readonly pullRequest: PullRequest;
    };

const MAX_ATTEMPTS = 50;

/**
 * Chooses the branch for an issue's work: the one with an open pull request, else the first of `name`, `name-2`, `name-3` …
 * that was never used. A branch without a pull request may hold saved work, so it is left alone.
 */
export async function chooseBranch(github: GitHub, name: string): Promise<BranchChoice> {
  const shas = await branchesLike(github, name);
  for (let attemptNumber = 1; attemptNumber <= MAX_ATTEMPTS; attemptNumber++) {
    const branch = attemptNumber === 1 ? name : `${name}-${attemptNumber}`;
    const pullRequests = await listPullRequests(github, branch);
    const pullRequest = pullRequests.find(({ state }) => state === 'open');
    const sha = shas.get(branch);
    if (pullRequest && sha) return { kind: 'continue', branch, sha, pullRequest };
    if (pullRequests.length === 0 && !sha) return { kind: 'new', branch };
  }
  throw tooMany(name);
}

const tooMany = (name: string): UserError =>
  new UserError(
    `There are ${MAX_ATTEMPTS} branches named ${name}, ${name}-2 and so on already.`,
    'Delete the ones that are no longer needed, then give the command again.',
  );

/** Branch → commit, of every branch whose name begins so. */
async function branchesLike({ rest, owner, repo }: GitHub, name: string): Promise<Map<string, string>> {
  const { data } = await must(`Listing the branches ${name}*`, () =>
    rest.git.listMatchingRefs({ owner, repo, ref: `heads/${name}`, per_page: 100 }),
  );
  return new Map(data.map(({ ref, object }) => [ref.replace(/^refs\/heads\//, ''), object.sha]));
}
