import { UserError } from '../errors.ts';
import type { GitHub } from './client.ts';
import { attempt, cureOf } from './github-error.ts';

/** A pull request as it is now, whoever opened it. */
export interface PullRequestDetails {
  readonly number: number;
  readonly url: string;
  readonly state: 'open' | 'closed';
  readonly merged: boolean;
  readonly draft: boolean;
  readonly locked: boolean;
  readonly title: string;
  readonly body: string;
  /** `ghost` when the account is gone. */
  readonly author: { readonly login: string; readonly id: number; readonly isBot: boolean };
  /** ISO 8601. */
  readonly createdAt: string;
  readonly head: {
    readonly branch: string;
    readonly sha: string;
    /** `owner/name`; undefined when the fork was deleted. */
    readonly repository: string | undefined;
  };
  readonly base: { readonly branch: string; readonly sha: string };
  /** True when it merges by itself as soon as it may. */
  readonly autoMerge: boolean;
  /** True when the head is not a branch of this repository. */
  readonly isFork: boolean;
}

/** Reads a pull request; undefined when there is none of that number. */
export async function readPullRequest(
  { rest, owner, repo }: GitHub,
  number: number,
): Promise<PullRequestDetails | undefined> {
  const result = await attempt(() => rest.pulls.get({ owner, repo, pull_number: number }));
  if (!result.ok) {
    if (result.error.kind === 'not-found') return undefined;
    throw new UserError(
      `Reading the pull request #${number} failed: ${result.error.message}`,
      cureOf(result.error),
    );
  }
  const { data } = result.value;
  const { user, head, base } = data;
  return {
    number,
    url: data.html_url,
    state: data.state === 'open' ? 'open' : 'closed',
    merged: data.merged,
    draft: data.draft ?? false,
    locked: data.locked,
    title: data.title,
    body: data.body ?? '',
    author: { login: user?.login ?? 'ghost', id: user?.id ?? 0, isBot: user?.type === 'Bot' },
    createdAt: data.created_at,
    head: { branch: head.ref, sha: head.sha, repository: head.repo?.full_name },
    base: { branch: base.ref, sha: base.sha },
    autoMerge: data.auto_merge !== null && data.auto_merge !== undefined,
    isFork: head.repo?.full_name.toLowerCase() !== `${owner}/${repo}`.toLowerCase(),
  };
}
