import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { UserError } from '../errors.ts';
import { commitChange } from '../git/commit.ts';
import { diffStat, patchOf } from '../git/patch.ts';
import { type PushResult, push } from '../git/push.ts';
import type { Repository } from '../git/repository.ts';
import { type BranchChoice, chooseBranch } from '../github/branches.ts';
import type { GitHub } from '../github/client.ts';
import { cureOf } from '../github/github-error.ts';
import { DRAFT_PREFIX, publishPullRequest, updatePullRequest } from '../github/pull-requests.ts';
import { fallbackDescription, fileKind } from '../report/file-kind.ts';
import { mergeBody } from '../report/pull-request.ts';
import type { Emit } from '../run-events.ts';
import type { FileSummaryRow } from '../types.ts';
import type { WorkResult } from './deps.ts';

/** Where a result goes. */
export interface Target {
  readonly github: GitHub;
  readonly repository: Repository;
  /** Explicit URL of the repository for git. */
  readonly remoteUrl: string;
  readonly token: string;
  readonly baseBranch: string;
  /** The commit that the change builds on: the base's, or the head of the pull request that is continued. */
  readonly parent: string;
  readonly branch: BranchChoice;
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
  readonly problems: readonly { readonly what: string; readonly cure: string }[];
}

/** Commits by plumbing, keeps a patch, pushes, opens or updates the pull request. Every refusal degrades; none loses work. */
export async function publish(result: WorkResult, target: Target): Promise<Publication> {
  const { repository, parent, commitMessage } = target;
  const { sha } = await commitChange({ repository, parent, change: result.change, message: commitMessage });
  const rows = await summaryRows(result, target, sha);
  const patchPath = join(target.outFolder, 'change.patch');
  await writeFile(patchPath, await patchOf(repository, parent, sha));

  target.keep({ rows, patchPath, problems: [] });

  const pushed = await pushSomewhere(target, sha);
  if (pushed.kind === 'refused') {
    return {
      rows,
      patchPath,
      problems: [
        {
          what: `The branch could not be pushed (${pushed.reason}): ${pushed.detail}`,
          cure: `${pushed.cure} The change is kept as a patch in the run’s files.`,
        },
      ],
    };
  }
  target.emit({
    kind: 'published',
    what: `branch ${pushed.branch}`,
    url: `${target.github.serverUrl}/${target.github.owner}/${target.github.repo}/tree/${pushed.branch}`,
  });
  const published = { rows, patchPath, branch: pushed.branch, headSha: sha };
  target.keep({ ...published, problems: [] });
  return { ...published, ...(await propose(target, pushed.branch, rows)) };
}

async function summaryRows(result: WorkResult, target: Target, sha: string): Promise<FileSummaryRow[]> {
  const stat = await diffStat(target.repository, target.parent, sha);
  return stat.map(row => {
    const facts = { ...row, kind: fileKind(row.path, result.isTestPath) };
    return { ...facts, description: result.descriptions.get(row.path) || fallbackDescription(facts) };
  });
}

type Pushed = { readonly kind: 'pushed'; readonly branch: string } | Extract<PushResult, { kind: 'refused' }>;

/** To the chosen branch; when that moved meanwhile, to a new one, so that nobody's work is overwritten. */
async function pushSomewhere(target: Target, sha: string): Promise<Pushed> {
  const { branch } = target;
  const first = await pushTo(target, sha, branch.branch, branch.kind === 'continue' ? branch.sha : undefined);
  if (first.kind !== 'refused' || first.reason !== 'moved') return first;
  const next = await chooseFree(target);
  target.emit({
    kind: 'note',
    level: 'warning',
    text: `${branch.branch} moved while the agent worked; the change goes to ${next}`,
  });
  return pushTo(target, sha, next, undefined);
}

async function pushTo(
  target: Target,
  sha: string,
  branch: string,
  expected: string | undefined,
): Promise<Pushed> {
  const { repository, remoteUrl: url, token } = target;
  const result = await push({ repository, url, token, sha, branch, expected });
  return result.kind === 'pushed' ? { kind: 'pushed', branch } : result;
}

async function chooseFree({ github, branchStem, branch, emit }: Target): Promise<string> {
  const stamped = `${branchStem}-${Date.now().toString(36)}`;
  try {
    const again = await chooseBranch(github, branchStem);
    return again.kind === 'new' && again.branch !== branch.branch ? again.branch : stamped;
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    emit({ kind: 'note', level: 'info', text: error.message });
    return stamped;
  }
}

async function propose(
  target: Target,
  branch: string,
  rows: readonly FileSummaryRow[],
): Promise<Pick<Publication, 'pullRequest' | 'problems'>> {
  const { title, body } = target.describe(branch, rows);
  const continued =
    target.branch.kind === 'continue' && target.branch.branch === branch
      ? target.branch.pullRequest
      : undefined;
  if (continued) {
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

function told(
  target: Target,
  pullRequest: { readonly number: number; readonly url: string },
  problems: Publication['problems'],
) {
  target.emit({ kind: 'published', what: `pull request #${pullRequest.number}`, url: pullRequest.url });
  return { pullRequest: { number: pullRequest.number, url: pullRequest.url }, problems };
}
