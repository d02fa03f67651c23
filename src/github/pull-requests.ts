import { setTimeout as wait } from 'node:timers/promises';
import type { GitHub } from './client.ts';
import { compareUrl } from './compare-url.ts';
import { type Attempt, attempt, type GitHubError, must } from './github-error.ts';

export interface PullRequest {
  readonly number: number;
  readonly url: string;
  readonly state: 'open' | 'closed';
  readonly merged: boolean;
  readonly draft: boolean;
  readonly title: string;
  readonly body: string;
  readonly head: string;
  readonly headSha: string;
  readonly base: string;
}

export interface NewPullRequest {
  /** A branch of the same repository. */
  readonly head: string;
  readonly base: string;
  readonly title: string;
  readonly body: string;
}

export type Published =
  | { readonly kind: 'created' | 'updated'; readonly pullRequest: PullRequest }
  /** Head and base have the same commits: there is nothing to propose. */
  | { readonly kind: 'no-commits' }
  /** The repository or its organisation forbids Actions to open pull requests. The link opens a filled-in form. */
  | {
      readonly kind: 'not-permitted';
      readonly message: string;
      readonly cure: string;
      readonly compareUrl: string;
    }
  | { readonly kind: 'refused'; readonly error: GitHubError; readonly compareUrl: string };

/** What to do where Actions may not open pull requests. */
export const CREATION_CURE =
  'Allow it once under Settings → Actions → General → Workflow permissions: ' +
  '"Allow GitHub Actions to create and approve pull requests". The same setting of the organisation comes first. ' +
  'Or give the input `github-token` a token of an app or a person.';

/** Whether a refusal says that the repository or its organisation forbids Actions to open pull requests. */
export const isCreationForbidden = ({ message }: GitHubError): boolean =>
  /not permitted to create or approve pull requests/i.test(message);

/** Begins the title of a pull request where drafts are not supported. */
export const DRAFT_PREFIX = '[draft] ';

/** Every pull request from a branch of this repository, newest first. */
export async function listPullRequests({ rest, owner, repo }: GitHub, head: string): Promise<PullRequest[]> {
  const { data } = await must(`Looking for pull requests of ${head}`, () =>
    rest.pulls.list({
      owner,
      repo,
      head: `${owner}:${head}`,
      state: 'all',
      sort: 'created',
      direction: 'desc',
    }),
  );
  return data.map(pullRequestOf);
}

/** The open pull request of a branch, if there is one. */
export async function findOpenPullRequest(github: GitHub, head: string): Promise<PullRequest | undefined> {
  return (await listPullRequests(github, head)).find(({ state }) => state === 'open');
}

/**
 * Opens a draft pull request. Where drafts are not supported it is ready, with a title that says draft;
 * where the branch has an open one already, that one gets the title and the body.
 */
export async function publishPullRequest(github: GitHub, wanted: NewPullRequest): Promise<Published> {
  let result = await createPatiently(github, wanted, true);
  if (!result.ok && /draft pull requests are not supported/i.test(result.error.message)) {
    result = await createPatiently(github, { ...wanted, title: DRAFT_PREFIX + wanted.title }, false);
  }
  if (result.ok) return { kind: 'created', pullRequest: result.value };
  if (/a pull request already exists/i.test(result.error.message))
    return updateExisting(github, wanted, result.error);
  return refusal(github, wanted, result.error);
}

/** Gives a pull request another title or body. */
export async function updatePullRequest(
  { rest, owner, repo }: GitHub,
  number: number,
  change: { readonly title?: string; readonly body?: string },
): Promise<Attempt<PullRequest>> {
  return attempt(async () => {
    const { data } = await rest.pulls.update({ owner, repo, pull_number: number, ...cutChange(change) });
    return pullRequestOf(data);
  });
}

/** A branch that was pushed a moment ago may not be known everywhere yet, so that answer is asked for again, twice. */
async function createPatiently(
  github: GitHub,
  wanted: NewPullRequest,
  draft: boolean,
): Promise<Attempt<PullRequest>> {
  const { rest, owner, repo, retryBaseMs } = github;
  for (let tried = 0; ; tried++) {
    const result = await attempt(async () => {
      const { title, body } = cutChange(wanted);
      const { data } = await rest.pulls.create({
        owner,
        repo,
        head: wanted.head,
        base: wanted.base,
        title,
        body,
        draft,
      });
      return pullRequestOf(data);
    });
    if (result.ok || tried === 2 || !/could not resolve to a node/i.test(result.error.message)) return result;
    await wait(retryBaseMs * 2 ** tried);
  }
}

async function updateExisting(
  github: GitHub,
  wanted: NewPullRequest,
  error: GitHubError,
): Promise<Published> {
  const existing = await findOpenPullRequest(github, wanted.head);
  if (!existing) return refusal(github, wanted, error);
  const title = existing.title.startsWith(DRAFT_PREFIX) ? DRAFT_PREFIX + wanted.title : wanted.title;
  const updated = await updatePullRequest(github, existing.number, { title, body: wanted.body });
  return updated.ok
    ? { kind: 'updated', pullRequest: updated.value }
    : refusal(github, wanted, updated.error);
}

function refusal({ owner, repo, serverUrl }: GitHub, wanted: NewPullRequest, error: GitHubError): Published {
  if (/no commits between/i.test(error.message)) return { kind: 'no-commits' };
  const link = compareUrl({ serverUrl, owner, repo, ...wanted });
  if (!isCreationForbidden(error)) return { kind: 'refused', error, compareUrl: link };
  return { kind: 'not-permitted', message: error.message, cure: CREATION_CURE, compareUrl: link };
}

interface Row {
  readonly number: number;
  readonly html_url: string;
  readonly state: string;
  readonly merged_at: string | null;
  readonly draft?: boolean;
  readonly title: string;
  readonly body: string | null;
  readonly head: { readonly ref: string; readonly sha: string };
  readonly base: { readonly ref: string };
}

const pullRequestOf = (row: Row): PullRequest => ({
  number: row.number,
  url: row.html_url,
  state: row.state === 'open' ? 'open' : 'closed',
  merged: row.merged_at !== null,
  draft: row.draft ?? false,
  title: row.title,
  body: row.body ?? '',
  head: row.head.ref,
  headSha: row.head.sha,
  base: row.base.ref,
});

/** GitHub takes 256 characters of title and 65,536 of body. */
const cutChange = <T extends { readonly title?: string; readonly body?: string }>(change: T): T => ({
  ...change,
  ...(change.title !== undefined && { title: change.title.slice(0, 256).toWellFormed() }),
  ...(change.body !== undefined && { body: change.body.slice(0, 65_000).toWellFormed() }),
});
