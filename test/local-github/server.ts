/**
 * A GitHub on this machine: the REST operations that we use, and git over HTTP. It refuses what the real one refuses,
 * in its words. Used by tests and by `npm start`.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type BlobStore, startBlobStore } from './blob-store.ts';
import { type Content, contentOf } from './content.ts';
import { answerGit, isGitRequest } from './git-http.ts';
import { createPlannedFailures, type Failure, type PlannedFailures } from './planned-failures.ts';
import { followBranches } from './pull-requests.ts';
import { answerRest, type RestServer, send } from './rest.ts';
import { actionRoutes } from './routes/actions.ts';
import { checkRoutes } from './routes/checks.ts';
import { compareRoutes } from './routes/compare.ts';
import { issueRoutes } from './routes/issues.ts';
import { labelRoutes } from './routes/labels.ts';
import { pullRoutes } from './routes/pulls.ts';
import { reactionRoutes } from './routes/reactions.ts';
import { repositoryRoutes } from './routes/repositories.ts';
import { createState, type State } from './state.ts';

const API = '/api/v3';

export interface LoggedRequest {
  readonly method: string;
  /** With `/api/v3` and the query. */
  readonly path: string;
  status: number;
}

export interface LocalGitHub extends Content {
  readonly url: string;
  readonly apiUrl: string;
  readonly serverUrl: string;
  readonly state: State;
  /** Every request so far, in order. */
  readonly requests: readonly LoggedRequest[];
  /** Requests that no client may make: to routes that do not exist here, and to the store of logs with a token. A test that ends with one has failed. */
  readonly unknownRequests: readonly string[];
  readonly fail: (failure: Failure) => void;
  readonly countOf: (method: string, path: RegExp) => number;
  readonly close: () => Promise<void>;
}

/** Starts the server on a free port of the loopback, and its store of logs on another; its git repositories lie below `folder`. */
export async function startLocalGitHub({ folder }: { readonly folder: string }): Promise<LocalGitHub> {
  const state = createState();
  const requests: LoggedRequest[] = [];
  const failures = createPlannedFailures();
  const urls = { apiUrl: '', serverUrl: '' };
  const unknown: string[] = [];
  const logs = await startBlobStore(what => unknown.push(what));
  const rest: RestServer = { state, urls: () => urls, routes: routesWith(logs), unknown };
  const server = createServer((request, response) => {
    handle({ rest, failures, requests }, request, response).catch(error => {
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
    unknownRequests: unknown,
    ...contentOf(state, folder, urls),
    fail: failures.plan,
    countOf: (method, path) => requests.filter(row => row.method === method && path.test(row.path)).length,
    close: async () => {
      server.closeAllConnections();
      await Promise.all([logs.close(), new Promise(resolve => server.close(resolve))]);
    },
  };
}

const routesWith = (logs: BlobStore) => [
  ...repositoryRoutes,
  ...reactionRoutes,
  ...labelRoutes,
  ...issueRoutes,
  ...pullRoutes,
  ...checkRoutes,
  ...compareRoutes,
  ...actionRoutes(logs),
];

interface Handling {
  readonly rest: RestServer;
  readonly failures: PlannedFailures;
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
  const planned = failures.take(entry.method, url.pathname);
  if (planned === 'hang') return;
  if (planned === 'cut') return void request.socket.destroy();
  if (planned) return send(rest.state, response, planned);
  if (isApi) return send(rest.state, response, await answerRest(rest, url, request));
  if (isGitRequest(url)) return answerGit(rest.state, url, request, response, followBranches);
  rest.unknown.push(`${entry.method} ${url.pathname}`);
  send(rest.state, response, { status: 404, body: 'Not Found', headers: { 'content-type': 'text/html' } });
}
