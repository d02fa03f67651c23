/** Pull requests as people open them, from a branch of the repository or from a fork; and what becomes of them when branches move. */
import { join } from 'node:path';
import {
  type Comparison,
  commitFiles,
  compare,
  createForkedRepository,
  type FileChanges,
  git,
  merge,
  mergeCommit,
  readRef,
} from './git-repository.ts';
import { issueWith } from './issues.ts';
import { createRepository } from './repositories.ts';
import {
  addUser,
  findRepository,
  type Issue,
  type Pull,
  type Repository,
  type State,
  timestamp,
} from './state.ts';

export type PullRequestIssue = Issue & { readonly pull: Pull };

export const isPull = (issue: Issue): issue is PullRequestIssue => issue.pull !== undefined;
export const pullsOf = (repository: Repository): PullRequestIssue[] =>
  [...repository.issues.values()].filter(isPull);

export function pullIssue(repository: Repository, number: number): PullRequestIssue {
  const issue = repository.issues.get(number);
  if (!issue || !isPull(issue)) throw new Error(`#${number} is no pull request`);
  return issue;
}

export interface NewPullRequest {
  readonly title: string;
  readonly body?: string;
  /** Default the owner of the head branch. */
  readonly author?: string;
  readonly draft?: boolean;
  /** Default the default branch. */
  readonly base?: string;
  readonly createdAt?: string;
  readonly labels?: readonly string[];
  readonly head: {
    readonly branch: string;
    /** One commit with these changes, on top of the branch as it is or of the default branch. */
    readonly files?: FileChanges;
    /** Several commits. */
    readonly commits?: readonly { readonly message: string; readonly files: FileChanges }[];
    /** Login of the fork's owner; the fork is made when it is not there. */
    readonly fork?: string;
  };
}

/** Opens a pull request as a person does. `folder` is where the repositories lie. */
export async function addPullRequest(
  state: State,
  folder: string,
  repository: Repository,
  wanted: NewPullRequest,
): Promise<PullRequestIssue> {
  const { branch, files, fork } = wanted.head;
  const head = fork === undefined ? repository : await forkOf(state, folder, repository, fork);
  const commits = wanted.head.commits ?? (files ? [{ message: wanted.title, files }] : []);
  for (const commit of commits) await commitFiles(head.folder, branch, commit.files, commit.message);
  return openPull(state, repository, {
    ...wanted,
    author: wanted.author ?? head.owner.login,
    base: wanted.base ?? repository.defaultBranch,
    draft: wanted.draft ?? false,
    head,
    headRef: branch,
  });
}

/** The fork of a person, with the branches that the repository has now. */
export async function forkOf(
  state: State,
  folder: string,
  parent: Repository,
  owner: string,
): Promise<Repository> {
  const known = findRepository(state, owner, parent.name);
  if (known) return known;
  const fork = createRepository(state, {
    owner,
    name: parent.name,
    private: parent.private,
    defaultBranch: parent.defaultBranch,
    folder: join(folder, owner, `${parent.name}.git`),
    parent,
  });
  await createForkedRepository(fork.folder, fork.defaultBranch, parent.folder);
  return fork;
}

/** A deleted fork is gone; its open pull requests stay, without a head repository. */
export function deleteFork(state: State, fork: Repository): void {
  state.repositories.delete(`${fork.owner.login}/${fork.name}`.toLowerCase());
  for (const { pull } of pullsOf(fork.parent ?? fork)) if (pull.head === fork) pull.head = undefined;
}

export interface OpenedPull {
  readonly title: string;
  readonly body?: string;
  readonly author: string;
  readonly base: string;
  readonly draft: boolean;
  readonly createdAt?: string;
  readonly labels?: readonly string[];
  readonly head: Repository;
  readonly headRef: string;
}

/** Adds the pull request and its refs. */
export async function openPull(
  state: State,
  repository: Repository,
  wanted: OpenedPull,
): Promise<PullRequestIssue> {
  const { head, headRef } = wanted;
  const headSha = await readRef(head.folder, `refs/heads/${headRef}`);
  if (!headSha) throw new Error(`there is no branch ${headRef} in ${head.owner.login}/${head.name}`);
  const pull: Pull = {
    head,
    headOwner: head.owner,
    headRef,
    headSha,
    baseRef: wanted.base,
    baseSha: '0'.repeat(40),
    draft: wanted.draft,
    mergedAt: null,
    mergeSha: null,
    testMergeSha: null,
  };
  addUser(state, wanted.author);
  const issue: PullRequestIssue = { ...issueWith(state, repository, wanted), pull };
  repository.issues.set(issue.number, issue);
  await followHead(repository, issue);
  return issue;
}

/** Open pull requests follow their branch, and close when it is deleted. `pushed` is where a branch moved: a repository or a fork of it. */
export async function followBranches(pushed: Repository): Promise<void> {
  const repository = pushed.parent ?? pushed;
  const open = pullsOf(repository).filter(({ state, pull }) => state === 'open' && pull.head === pushed);
  for (const issue of open) await followHead(repository, issue);
}

/** As on GitHub the commits of a fork can be fetched from the repository itself, by `refs/pull/N/head` and by their hash. */
async function followHead(repository: Repository, issue: PullRequestIssue): Promise<void> {
  const { pull, number } = issue;
  const sha = pull.head && (await readRef(pull.head.folder, `refs/heads/${pull.headRef}`));
  if (sha && pull.head !== repository && pull.head)
    await git(repository.folder, ['fetch', '--quiet', pull.head.folder, sha]);
  if (sha) pull.headSha = sha;
  else Object.assign(issue, { state: 'closed', closedAt: timestamp() });
  await git(repository.folder, ['update-ref', `refs/pull/${number}/head`, pull.headSha]);
  const base = await readRef(repository.folder, `refs/heads/${pull.baseRef}`);
  if (base) pull.baseSha = base;
  const message = `Merge ${pull.headSha} into ${base}`;
  pull.testMergeSha =
    (base && sha && (await mergeCommit(repository.folder, base, pull.headSha, message))) || null;
  if (pull.testMergeSha)
    await git(repository.folder, ['update-ref', `refs/pull/${number}/merge`, pull.testMergeSha]);
}

/** Merges; into the default branch this also closes the issues that the body says it closes. */
export async function mergePullRequest(repository: Repository, number: number): Promise<void> {
  const issue = pullIssue(repository, number);
  const message = `Merge pull request #${number} from ${issue.pull.headRef}`;
  issue.pull.mergeSha = await merge(repository.folder, issue.pull.baseRef, issue.pull.headSha, message);
  issue.pull.mergedAt = timestamp();
  const closed = issue.pull.baseRef === repository.defaultBranch ? closedBy(issue.body ?? '') : [];
  for (const each of [number, ...closed]) closeIssue(repository, each);
}

export function closeIssue(repository: Repository, number: number): void {
  Object.assign(repository.issues.get(number) ?? {}, { state: 'closed', closedAt: timestamp() });
}

const closedBy = (body: string) =>
  [...body.matchAll(/\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?):?\s+#(\d+)/gi)].map(([, number]) =>
    Number(number),
  );

/** The base as it is now, and what the head adds to it; of a merged one nothing is left to add. */
export async function comparisonOf(
  repository: Repository,
  { pull }: PullRequestIssue,
): Promise<Comparison & { readonly baseSha: string }> {
  const baseSha = (await readRef(repository.folder, `refs/heads/${pull.baseRef}`)) ?? '0'.repeat(40);
  const from = pull.mergeSha ? `${pull.mergeSha}^1` : baseSha;
  return { baseSha, ...(await compare(repository.folder, from, pull.headSha)) };
}
