/**
 * A GitHub on this machine: the REST operations that we use, and git over HTTP. It refuses what the real one refuses,
 * in its words. Used by tests and by `npm start`.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { components } from '@octokit/openapi-types';
import { answerGit, isGitRequest } from './git-http.ts';
import { createBareRepository, type Files, git, merge, readFiles, readRef } from './git-repository.ts';
import { pullBody } from './pull-body.ts';
import { answerRest, type RestServer, send } from './rest.ts';
import { addComment, issueRoutes } from './routes/issues.ts';
import { comparisonOf, isPull, pullRoutes, pullsOf } from './routes/pulls.ts';
import { reactionRoutes } from './routes/reactions.ts';
import { repositoryRoutes } from './routes/repositories.ts';
import {
  addToken,
  addUser,
  type Comment,
  createState,
  type Issue,
  nextId,
  nextNumber,
  type Permissions,
  type Repository,
  type Role,
  type Settings,
  type State,
  type Token,
  timestamp,
  type User,
} from './state.ts';

const API = '/api/v3';

export interface NewRepository {
  readonly owner: string;
  readonly name: string;
  /** Path → content of the first commit; or everything below a folder. */
  readonly files?: Files;
  readonly fromFolder?: string;
  readonly private?: boolean;
  readonly defaultBranch?: string;
  readonly collaborators?: Readonly<Record<string, Role>>;
  readonly settings?: Partial<Settings>;
}

/** A planned failure of the routes whose path, without `/api/v3` for the REST side, matches. */
export interface Failure {
  readonly method?: string;
  readonly path: RegExp;
  /** `hang` never answers, `cut` closes the connection. */
  readonly answer:
    | { readonly status: number; readonly body?: unknown; readonly headers?: Record<string, string> }
    | 'hang'
    | 'cut';
  /** Default 1. */
  readonly times?: number;
}

export interface LoggedRequest {
  readonly method: string;
  /** With `/api/v3` and the query. */
  readonly path: string;
  status: number;
}

export interface LocalGitHub {
  readonly url: string;
  readonly apiUrl: string;
  readonly serverUrl: string;
  readonly state: State;
  /** Every request so far, in order. */
  readonly requests: readonly LoggedRequest[];
  /** Requests to routes that do not exist here; a test that ends with one has failed. */
  readonly unknownRequests: readonly string[];
  readonly addRepository: (repository: NewRepository) => Promise<Repository>;
  readonly addUser: (login: string, type?: User['type']) => User;
  readonly addIssue: (
    repository: Repository,
    issue: { title: string; body?: string; author?: string; createdAt?: string },
  ) => Issue;
  readonly addComment: (
    repository: Repository,
    comment: { issue: number; body: string; author: string; createdAt?: string },
  ) => Comment;
  /** Without a login: the token of `github-actions[bot]`, as a workflow gets it. */
  readonly token: (permissions: Permissions, login?: string) => Token;
  readonly pullRequest: (
    repository: Repository,
    number: number,
  ) => Promise<components['schemas']['pull-request']>;
  /** The diff of a pull request, as `git diff` prints it. */
  readonly diff: (repository: Repository, number: number) => Promise<string>;
  readonly mergePullRequest: (repository: Repository, number: number) => Promise<void>;
  readonly fail: (failure: Failure) => void;
  readonly countOf: (method: string, path: RegExp) => number;
  readonly close: () => Promise<void>;
}

/** Starts the server on a free port of the loopback; its git repositories lie below `folder`. */
export async function startLocalGitHub({ folder }: { readonly folder: string }): Promise<LocalGitHub> {
  const state = createState();
  const requests: LoggedRequest[] = [];
  const failures: { failure: Failure; left: number }[] = [];
  const urls = { apiUrl: '', serverUrl: '' };
  const routes = [...repositoryRoutes, ...reactionRoutes, ...issueRoutes, ...pullRoutes];
  const rest: RestServer = { state, urls: () => urls, routes, unknown: [] };
  const answer = (request: IncomingMessage, response: ServerResponse) =>
    handle({ rest, failures, requests }, request, response);
  const server = createServer((request, response) => {
    answer(request, response).catch(error => {
      if (!response.headersSent) response.writeHead(500);
      response.end(`the local GitHub failed: ${error.stack}\n`);
    });
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  urls.serverUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  urls.apiUrl = `${urls.serverUrl}${API}`;
  return {
    ...urls,
    url: urls.serverUrl,
    state,
    requests,
    unknownRequests: rest.unknown,
    ...contentOf(state, folder),
    pullRequest: async (repository, number) => {
      const issue = pullIssue(repository, number);
      return pullBody(repository, issue, await comparisonOf(repository, issue), urls);
    },
    fail: failure => failures.push({ failure, left: failure.times ?? 1 }),
    countOf: (method, path) => requests.filter(row => row.method === method && path.test(row.path)).length,
    close: async () => {
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  };
}

/** Everything that a test puts into the server or takes out of it without HTTP. */
function contentOf(state: State, folder: string) {
  return {
    addUser: (login: string, type?: User['type']) => addUser(state, login, type),
    addRepository: (wanted: NewRepository) => addRepository(state, folder, wanted),
    addIssue: (repository: Repository, wanted: Parameters<LocalGitHub['addIssue']>[1]): Issue => {
      const at = wanted.createdAt ?? timestamp();
      const issue: Issue = {
        number: nextNumber(repository),
        id: nextId(state),
        user: addUser(state, wanted.author ?? repository.owner.login),
        title: wanted.title,
        body: wanted.body ?? null,
        state: 'open',
        locked: false,
        createdAt: at,
        updatedAt: at,
        closedAt: null,
        reactions: [],
      };
      repository.issues.set(issue.number, issue);
      return issue;
    },
    addComment: (
      repository: Repository,
      { issue, body, author, createdAt }: Parameters<LocalGitHub['addComment']>[1],
    ) => addComment(state, repository, issue, addUser(state, author), body, createdAt),
    token: (permissions: Permissions, login = 'github-actions[bot]') =>
      addToken(state, addUser(state, login, login.endsWith('[bot]') ? 'Bot' : 'User'), permissions),
    diff: async (repository: Repository, number: number) => {
      const { pull } = pullIssue(repository, number);
      const base = pull.mergeSha ? `${pull.mergeSha}^1` : `refs/heads/${pull.baseRef}`;
      return git(repository.folder, ['diff', `${base}...${pull.headSha}`]);
    },
    mergePullRequest: (repository: Repository, number: number) => mergePullRequest(repository, number),
  };
}

async function addRepository(state: State, folder: string, wanted: NewRepository): Promise<Repository> {
  const defaultBranch = wanted.defaultBranch ?? 'main';
  const repository: Repository = {
    id: nextId(state),
    owner: addUser(state, wanted.owner),
    name: wanted.name,
    private: wanted.private ?? false,
    defaultBranch,
    folder: join(folder, wanted.owner, `${wanted.name}.git`),
    collaborators: new Map(),
    issues: new Map(),
    comments: new Map(),
    settings: {
      allowActionsToCreatePullRequests: true,
      draftsSupported: true,
      protectedBranches: [],
      ...wanted.settings,
    },
    createdAt: timestamp(),
  };
  for (const [login, role] of Object.entries(wanted.collaborators ?? {})) {
    addUser(state, login);
    repository.collaborators.set(login.toLowerCase(), role);
  }
  const files = wanted.fromFolder ? await readFiles(wanted.fromFolder) : (wanted.files ?? {});
  await createBareRepository(repository.folder, defaultBranch, files);
  state.repositories.set(`${wanted.owner}/${wanted.name}`.toLowerCase(), repository);
  return repository;
}

interface Handling {
  readonly rest: RestServer;
  readonly failures: { failure: Failure; left: number }[];
  readonly requests: LoggedRequest[];
}

async function handle(
  { rest, failures, requests }: Handling,
  request: IncomingMessage,
  response: ServerResponse,
) {
  const url = new URL(request.url ?? '/', rest.urls().serverUrl);
  const entry: LoggedRequest = { method: request.method ?? '', path: request.url ?? '', status: 0 };
  requests.push(entry);
  response.once('close', () => {
    entry.status = response.headersSent ? response.statusCode : 0;
  });
  const isApi = url.pathname.startsWith(`${API}/`);
  if (isApi) url.pathname = url.pathname.slice(API.length);
  const planned = takeFailure(failures, entry.method, url.pathname);
  if (planned === 'hang') return;
  if (planned === 'cut') return void request.socket.destroy();
  if (planned) return send(rest.state, response, planned);
  if (isApi) return send(rest.state, response, await answerRest(rest, url, request));
  if (isGitRequest(url)) return answerGit(rest.state, url, request, response, followBranches);
  rest.unknown.push(`${entry.method} ${url.pathname}`);
  send(rest.state, response, { status: 404, body: 'Not Found', headers: { 'content-type': 'text/html' } });
}

function takeFailure(
  failures: Handling['failures'],
  method: string,
  path: string,
): Failure['answer'] | undefined {
  const planned = failures.find(
    ({ failure, left }) => left > 0 && (failure.method ?? method) === method && failure.path.test(path),
  );
  if (planned) planned.left--;
  return planned?.failure.answer;
}

/** An open pull request follows its branch, and closes when the branch is deleted. */
async function followBranches(repository: Repository): Promise<void> {
  for (const issue of pullsOf(repository).filter(({ state }) => state === 'open')) {
    const sha = await readRef(repository.folder, `refs/heads/${issue.pull.headRef}`);
    if (sha) issue.pull.headSha = sha;
    else Object.assign(issue, { state: 'closed', closedAt: timestamp() });
    await git(repository.folder, ['update-ref', `refs/pull/${issue.number}/head`, issue.pull.headSha]);
  }
}

/** Merges; into the default branch this also closes the issues that the body says it closes. */
async function mergePullRequest(repository: Repository, number: number): Promise<void> {
  const issue = pullIssue(repository, number);
  const message = `Merge pull request #${number} from ${issue.pull.headRef}`;
  issue.pull.mergeSha = await merge(repository.folder, issue.pull.baseRef, issue.pull.headSha, message);
  issue.pull.mergedAt = timestamp();
  const closed = issue.pull.baseRef === repository.defaultBranch ? closedBy(issue.body ?? '') : [];
  for (const each of [number, ...closed]) {
    Object.assign(repository.issues.get(each) ?? {}, { state: 'closed', closedAt: timestamp() });
  }
}

const closedBy = (body: string) =>
  [...body.matchAll(/\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?):?\s+#(\d+)/gi)].map(([, number]) =>
    Number(number),
  );

function pullIssue(repository: Repository, number: number) {
  const issue = repository.issues.get(number);
  if (!issue || !isPull(issue)) throw new Error(`#${number} is no pull request`);
  return issue;
}
