import { UserError } from '../errors.ts';
import { type PushResult, push } from '../git/push.ts';
import { type BranchChoice, freeBranch } from '../github/branches.ts';
import type { Kept, Publication, Target } from './publish.ts';

export type Pushed =
  | { readonly kind: 'pushed'; readonly branch: string }
  | Extract<PushResult, { kind: 'refused' }>;

/** To the chosen branch; when that moved meanwhile, to a new one, so that nobody's work is overwritten. */
export async function pushSomewhere(target: Target, branch: BranchChoice, sha: string): Promise<Pushed> {
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

/** To one branch, if it is at `expected` or, without that, does not exist. */
export async function pushTo(
  target: Target,
  sha: string,
  branch: string,
  expected: string | undefined,
): Promise<Pushed> {
  const { repository, remoteUrl: url, token } = target;
  const result = await push({ repository, url, token, sha, branch, expected });
  return result.kind === 'pushed' ? { kind: 'pushed', branch } : result;
}

/** A branch of ours that nobody uses. */
export async function chooseFree({ github, branchStem, emit }: Target): Promise<string> {
  try {
    return await freeBranch(github, branchStem);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    emit({ kind: 'note', level: 'info', text: error.message });
    return `${branchStem}-${Date.now().toString(36)}`;
  }
}

/** Tells the branch to the event stream and to whoever keeps what was published. */
export function tellPushed(target: Target, branch: string, kept: Kept): Publication {
  const { github } = target;
  target.emit({
    kind: 'published',
    what: `branch ${branch}`,
    url: `${github.serverUrl}/${github.owner}/${github.repo}/tree/${branch}`,
  });
  const published = {
    rows: kept.rows,
    patchPath: kept.patchPath,
    branch,
    headSha: kept.sha,
    problems: [],
  };
  target.keep(published);
  return published;
}

/** The change stays in the patch. */
export const notPushed = (
  { rows, patchPath }: Kept,
  refused: Extract<PushResult, { kind: 'refused' }>,
): Publication => ({
  rows,
  patchPath,
  problems: [
    {
      what: `The branch could not be pushed (${refused.reason}): ${refused.detail}`,
      cure: `${refused.cure} The change is kept as a patch in the run’s files.`,
    },
  ],
});
