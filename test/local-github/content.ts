/** Everything that a test puts into the server or takes out of it without HTTP. */
import type { components } from '@octokit/openapi-types';
import type { Urls } from './bodies.ts';
import { commitFiles, type FileChanges, git } from './git-repository.ts';
import { addIssue, addLabel, type NewIssue } from './issues.ts';
import { pullBody } from './pull-body.ts';
import {
  addPullRequest,
  closeIssue,
  comparisonOf,
  deleteFork,
  followBranches,
  forkOf,
  mergePullRequest,
  type NewPullRequest,
  pullIssue,
} from './pull-requests.ts';
import { addRepository, type NewRepository } from './repositories.ts';
import { addComment } from './routes/issues.ts';
import {
  addToken,
  addUser,
  type Permissions,
  type Repository,
  type State,
  type Token,
  type User,
} from './state.ts';
import {
  addCheckRun,
  addStatus,
  addWorkflowRun,
  type NewCheckRun,
  type NewStatus,
  type NewWorkflowRun,
} from './workflow-runs.ts';

export interface NewComment {
  readonly issue: number;
  readonly body: string;
  readonly author: string;
  readonly createdAt?: string;
}

export type Content = ReturnType<typeof contentOf>;

/** `folder` is where the repositories lie. */
export function contentOf(state: State, folder: string, urls: Urls) {
  return {
    addUser: (login: string, type?: User['type']) => addUser(state, login, type),
    addRepository: (wanted: NewRepository) => addRepository(state, folder, wanted),
    addIssue: (repository: Repository, wanted: NewIssue) => addIssue(state, repository, wanted),
    addComment: (repository: Repository, { issue, body, author, createdAt }: NewComment) =>
      addComment(state, repository, issue, addUser(state, author), body, createdAt),
    /** Puts a label on an issue or a pull request. */
    addLabel: (repository: Repository, number: number, name: string) =>
      addLabel(state, repository, number, name),
    ...tokensOf(state),
    ...branchesOf(state, folder),
    ...pullRequestsOf(state, folder, urls),
    addWorkflowRun: (repository: Repository, wanted: NewWorkflowRun) =>
      addWorkflowRun(state, repository, wanted),
    addStatus: (repository: Repository, wanted: NewStatus) => addStatus(state, repository, wanted),
    addCheckRun: (repository: Repository, wanted: NewCheckRun) => addCheckRun(state, repository, wanted),
  };
}

const tokensOf = (state: State) => ({
  /** Without a login: the token of `github-actions[bot]`, as a workflow gets it. */
  token: (permissions: Permissions, login = 'github-actions[bot]'): Token =>
    addToken(state, addUser(state, login, login.endsWith('[bot]') ? 'Bot' : 'User'), permissions),
  /** Lets a token end: at once, after so many more requests of the API or of git, or at a moment. */
  expire: (token: Token, when: { readonly afterRequests?: number; readonly at?: Date } = {}) => {
    const requestsLeft = when.afterRequests ?? (when.at ? Number.POSITIVE_INFINITY : 0);
    token.expiry = { requestsLeft, at: when.at?.getTime() ?? Number.POSITIVE_INFINITY };
  },
});

const branchesOf = (state: State, folder: string) => ({
  /** One commit more on a branch, as if a person had pushed it; open pull requests follow. */
  commit: async (repository: Repository, branch: string, files: FileChanges, message = 'Change') => {
    const sha = await commitFiles(repository.folder, branch, files, message);
    await followBranches(repository);
    return sha;
  },
  /** As if a person had deleted it: its open pull requests close. */
  deleteBranch: async (repository: Repository, branch: string) => {
    await git(repository.folder, ['update-ref', '-d', `refs/heads/${branch}`]);
    await followBranches(repository);
  },
  fork: (repository: Repository, owner: string) => forkOf(state, folder, repository, owner),
  deleteFork: (fork: Repository) => deleteFork(state, fork),
});

const pullRequestsOf = (state: State, folder: string, urls: Urls) => ({
  addPullRequest: (repository: Repository, wanted: NewPullRequest) =>
    addPullRequest(state, folder, repository, wanted),
  /** A pull request as the API shows it. */
  pullRequest: async (
    repository: Repository,
    number: number,
  ): Promise<components['schemas']['pull-request']> => {
    const issue = pullIssue(repository, number);
    return pullBody(repository, issue, await comparisonOf(repository, issue), urls);
  },
  /** The diff of a pull request, as `git diff` prints it. */
  diff: async (repository: Repository, number: number): Promise<string> => {
    const { pull } = pullIssue(repository, number);
    const base = pull.mergeSha ? `${pull.mergeSha}^1` : `refs/heads/${pull.baseRef}`;
    return git(repository.folder, ['diff', `${base}...${pull.headSha}`]);
  },
  mergePullRequest,
  /** Closes an issue, or a pull request without merging it. */
  closeIssue,
});
