import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { commitChange } from '../git/commit.ts';
import { diffStat, patchOf } from '../git/patch.ts';
import type { Repository } from '../git/repository.ts';
import type { BranchChoice } from '../github/branches.ts';
import type { GitHub } from '../github/client.ts';
import { readPullRequest } from '../github/pull-request-details.ts';
import { fallbackDescription, fileKind } from '../report/file-kind.ts';
import type { Emit } from '../run-events.ts';
import type { FileSummaryRow } from '../types.ts';
import type { WorkBranch } from './choose-start.ts';
import type { WorkResult } from './deps.ts';
import { propose } from './propose.ts';
import { publishToPullRequest } from './publish-to-pull-request.ts';
import { chooseFree, notPushed, pushSomewhere, tellPushed } from './push-work.ts';

/** Where a result goes. */
export interface Target {
  readonly github: GitHub;
  readonly repository: Repository;
  /** Explicit URL of the repository for git. */
  readonly remoteUrl: string;
  readonly token: string;
  readonly baseBranch: string;
  /** The repository's own. */
  readonly defaultBranch: string;
  /** The commit that the change builds on: the base's, or the head of the pull request that is continued. */
  readonly parent: string;
  readonly branch: WorkBranch;
  /** What may go to somebody's pull request: only what was shown to be right. */
  readonly isShown: boolean;
  /** False for a run that nobody asked for: it opens no pull request of its own. */
  readonly isAsked: boolean;
  /** Name from which free branch names are derived. */
  readonly branchStem: string;
  /** A folder for files that outlive the run. */
  readonly outFolder: string;
  readonly commitMessage: string;
  /** Title and body once the branch and the rows are known. */
  readonly describe: (
    branch: string,
    rows: readonly FileSummaryRow[],
  ) => { readonly title: string; readonly body: string };
  readonly emit: Emit;
  /** Hears what is published, step by step. */
  readonly keep: (soFar: Publication) => void;
}

/** What was published, and what was not and why. Work is always in `patchPath`. */
export interface Publication {
  readonly rows: readonly FileSummaryRow[];
  readonly patchPath: string;
  readonly branch?: string;
  readonly headSha?: string;
  readonly pullRequest?: { readonly number: number; readonly url: string };
  /** What could not be done, why, and what to do. */
  readonly problems: readonly Problem[];
  /** Why the change was not pushed although nothing went wrong: the branch is in a fork. */
  readonly withheld?: Problem;
}

export interface Problem {
  readonly what: string;
  readonly cure: string;
}

/** What is safe before anything is pushed. */
export interface Kept {
  readonly sha: string;
  readonly rows: readonly FileSummaryRow[];
  readonly patchPath: string;
}

/** Commits by plumbing, keeps a patch, pushes, opens or updates the pull request. Every refusal degrades; none loses work. */
export async function publish(result: WorkResult, target: Target): Promise<Publication> {
  const { repository, parent, commitMessage, branch } = target;
  const { sha } = await commitChange({ repository, parent, change: result.change, message: commitMessage });
  const rows = await summaryRows(result, target, sha);
  const patchPath = join(target.outFolder, 'change.patch');
  await writeFile(patchPath, await patchOf(repository, parent, sha));
  const kept: Kept = { sha, rows, patchPath };
  target.keep({ rows, patchPath, problems: [] });
  return branch.kind === 'pull-request'
    ? publishToPullRequest(target, branch.pullRequest, kept)
    : publishToBranch(target, branch, kept);
}

async function publishToBranch(target: Target, chosen: BranchChoice, kept: Kept): Promise<Publication> {
  const branch = await stillOpen(target, chosen);
  const pushed = await pushSomewhere(target, branch, kept.sha);
  if (pushed.kind === 'refused') return notPushed(kept, pushed);
  const published = tellPushed(target, pushed.branch, kept);
  const continued =
    branch.kind === 'continue' && branch.branch === pushed.branch ? branch.pullRequest : undefined;
  return { ...published, ...(await propose(target, pushed.branch, kept.rows, continued)) };
}

/** A pull request that was merged or closed meanwhile is looked at by nobody any more: the change then gets a branch and one of its own. */
async function stillOpen(target: Target, branch: BranchChoice): Promise<BranchChoice> {
  if (branch.kind === 'new') return branch;
  const { number } = branch.pullRequest;
  const now = await readPullRequest(target.github, number);
  if (now?.state === 'open') return branch;
  const free = await chooseFree(target);
  const text = `#${number} was ${now?.merged ? 'merged' : 'closed'} while the agent worked; the change goes to ${free}`;
  target.emit({ kind: 'note', level: 'warning', text });
  return { kind: 'new', branch: free };
}

async function summaryRows(result: WorkResult, target: Target, sha: string): Promise<FileSummaryRow[]> {
  const stat = await diffStat(target.repository, target.parent, sha);
  return stat.map(row => {
    const facts = { ...row, kind: fileKind(row.path, result.isTestPath) };
    return { ...facts, description: result.descriptions.get(row.path) || fallbackDescription(facts) };
  });
}
