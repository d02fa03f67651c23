/** The REST side: credentials, limits, routes, bodies; every refusal with GitHub's status and words. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Urls } from './bodies.ts';
import type { Issue, Repository, State, Token, User } from './state.ts';
import { findRepository } from './state.ts';
import { acceptedPermissions, type Caller, identify, isEnough, type Needs } from './tokens.ts';

export interface Context {
  readonly state: State;
  readonly urls: Urls;
  readonly repository: Repository;
  readonly token: Token | undefined;
  /** Decoded parts of the path, by name. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly body: Readonly<Record<string, unknown>>;
}

export interface Answer {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Route {
  readonly method: string;
  /** Below `/repos/{owner}/{repo}`; `{name}` is one part, `{name+}` the rest. */
  readonly path: string;
  readonly needs: Needs | ((context: Context) => Needs);
  readonly handle: (context: Context) => Answer | Promise<Answer>;
}

/** Thrown by a route to answer with a refusal. */
export class Refusal extends Error {
  readonly answer: Answer;

  constructor(
    status: number,
    message: string,
    more: { errors?: unknown; headers?: Record<string, string> } = {},
  ) {
    super(message);
    const body = { message, ...(more.errors !== undefined && { errors: more.errors }), ...DOCUMENTATION };
    this.answer = { status, body: { ...body, status: String(status) }, headers: more.headers ?? {} };
  }
}

const DOCUMENTATION = { documentation_url: 'https://docs.github.com/rest' };

export const notFound = () => new Refusal(404, 'Not Found');
export const invalid = (...errors: unknown[]) => new Refusal(422, 'Validation Failed', { errors });

export interface RestServer {
  readonly state: State;
  readonly urls: () => Urls;
  readonly routes: readonly Route[];
  /** Requests that no route answers; a test that sends one has a defect, or we do. */
  readonly unknown: string[];
}

/** Answers one request whose path, without `/api/v3`, is `url`. */
export async function answerRest(server: RestServer, url: URL, request: IncomingMessage): Promise<Answer> {
  try {
    return await answerOrRefuse(server, url, request);
  } catch (thrown) {
    if (thrown instanceof Refusal) return thrown.answer;
    throw thrown;
  }
}

async function answerOrRefuse(server: RestServer, url: URL, request: IncomingMessage): Promise<Answer> {
  const { state } = server;
  if (!request.headers['user-agent']) return noUserAgent;
  const token = tokenOf(identify(state, request), request.method ?? '');
  spendRateLimit(state);
  checkAccept(request.headers.accept);
  const found = match(server.routes, request.method ?? '', url.pathname);
  if (!found) {
    server.unknown.push(`${request.method} ${url.pathname}`);
    throw notFound();
  }
  const repository = findRepository(state, found.params.owner ?? '', found.params.repo ?? '');
  if (!repository || (repository.private && !token)) throw notFound();
  const text = await readText(request);
  const context = {
    state,
    urls: server.urls(),
    repository,
    token,
    params: found.params,
    query: url.searchParams,
  };
  const bare: Context = { ...context, body: {} };
  const needs = typeof found.route.needs === 'function' ? found.route.needs(bare) : found.route.needs;
  checkPermission(needs, token, repository);
  return found.route.handle({ ...bare, body: parseBody(request, text) });
}

const noUserAgent: Answer = {
  status: 403,
  body:
    'Request forbidden by administrative rules. Please make sure your request has a User-Agent header ' +
    '(https://docs.github.com/en/rest/overview/resources-in-the-rest-api#user-agent-required). ' +
    'Check https://developer.github.com for other possible causes.',
  headers: { 'content-type': 'text/plain' },
};

function tokenOf(caller: Caller, method: string): Token | undefined {
  if (caller.kind === 'duplicate') throw new Refusal(400, 'Bad Request');
  if (caller.kind === 'unknown-token') throw new Refusal(401, 'Bad credentials');
  if (caller.kind === 'known') return caller.token;
  if (method !== 'GET') throw new Refusal(401, 'Requires authentication');
  return undefined;
}

function spendRateLimit({ rateLimit }: State): void {
  if (rateLimit.resetAt <= Date.now() / 1000) {
    rateLimit.remaining = 5_000;
    rateLimit.resetAt = Math.floor(Date.now() / 1000) + 3_600;
  }
  if (rateLimit.remaining <= 0) throw new Refusal(403, 'API rate limit exceeded for installation ID 1.');
  rateLimit.remaining--;
}

function checkAccept(accept = '*/*'): void {
  if (/application\/(vnd\.github[\w.+-]*|json)|\*\/\*/.test(accept)) return;
  throw new Refusal(415, `Unsupported 'Accept' header: '${accept}'. Must accept 'application/json'.`);
}

function match(routes: readonly Route[], method: string, pathname: string) {
  for (const route of routes) {
    if (route.method !== method) continue;
    const pattern = `/repos/{owner}/{repo}${route.path}`
      .replace(/\{(\w+)\+\}/g, '(?<$1>.+)')
      .replace(/\{(\w+)\}/g, '(?<$1>[^/]+)');
    const groups = new RegExp(`^${pattern}$`).exec(pathname)?.groups;
    if (!groups && !new RegExp(`^${pattern}$`).test(pathname)) continue;
    const params = Object.entries(groups ?? {}).map(([name, value]) => [name, decodeURIComponent(value)]);
    return { route, params: Object.fromEntries(params) as Record<string, string> };
  }
  return undefined;
}

function checkPermission(needs: Needs, token: Token | undefined, repository: Repository): void {
  if (token === undefined) {
    const onlyReads = needs.every(need => Object.values(need).every(level => level === 'read'));
    if (!onlyReads || repository.private) throw new Refusal(401, 'Requires authentication');
    return;
  }
  if (isEnough(token.permissions, needs)) return;
  const who = token.isApp ? 'integration' : 'personal access token';
  throw new Refusal(403, `Resource not accessible by ${who}`, {
    headers: { 'x-accepted-github-permissions': acceptedPermissions(needs) },
  });
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

function parseBody(request: IncomingMessage, text: string): Record<string, unknown> {
  if (text === '') return {};
  const type = request.headers['content-type'] ?? '';
  if (!/^application\/([\w.+-]*\+)?json\b/.test(type)) {
    throw new Refusal(415, `Unsupported 'Content-Type' header: '${type}'. Must be 'application/json'.`);
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Refusal(400, 'Problems parsing JSON');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Refusal(400, 'Body should be a JSON object');
  }
  return value as Record<string, unknown>;
}

/** A field of a body that must be a string; `optional` lets it be absent. */
export function textField(body: Context['body'], name: string, optional?: 'optional'): string | undefined {
  const value = body[name];
  if (value === undefined || value === null) {
    if (optional) return undefined;
    throw new Refusal(422, `Invalid request.\n\n"${name}" wasn't supplied.`);
  }
  if (typeof value === 'string') return value;
  throw new Refusal(
    422,
    `Invalid request.\n\nFor 'properties/${name}', ${JSON.stringify(value)} is not a string.`,
  );
}

/** The caller, of routes that need a token. */
export function callerOf({ token }: Context): User {
  if (!token) throw new Refusal(401, 'Requires authentication');
  return token.user;
}

export function issueOf({ repository, params }: Context): Issue {
  const issue = repository.issues.get(Number(params.number));
  if (!issue) throw notFound();
  return issue;
}

/** One page of rows, with the `Link` header that the real one sends. */
export function page<T>(context: Context, path: string, rows: readonly T[]): Answer & { readonly body: T[] } {
  const { query, repository, urls } = context;
  const perPage = Math.min(100, Number(query.get('per_page')) || 30);
  const current = Number(query.get('page')) || 1;
  const last = Math.max(1, Math.ceil(rows.length / perPage));
  const link = (rel: string, number: number) => {
    const target = new URL(`${urls.apiUrl}/repositories/${repository.id}${path}`);
    for (const [name, value] of query) target.searchParams.set(name, value);
    target.searchParams.set('page', String(number));
    return `<${target}>; rel="${rel}"`;
  };
  const links = [
    ...(current > 1 ? [link('prev', current - 1)] : []),
    ...(current < last ? [link('next', current + 1), link('last', last)] : []),
    ...(current > 1 ? [link('first', 1)] : []),
  ];
  return {
    status: 200,
    body: rows.slice((current - 1) * perPage, current * perPage),
    headers: links.length > 0 ? { link: links.join(', ') } : {},
  };
}

/** Writes an answer with the headers that every answer of the API has. */
export function send(state: State, response: ServerResponse, { status, body, headers = {} }: Answer): void {
  const { remaining, resetAt } = state.rateLimit;
  response.writeHead(status, {
    'x-ratelimit-limit': '5000',
    'x-ratelimit-remaining': String(remaining),
    'x-ratelimit-reset': String(resetAt),
    'x-ratelimit-used': String(5_000 - remaining),
    'x-github-media-type': 'github.v3; format=json',
    'x-github-request-id': `${Date.now().toString(16).toUpperCase()}:0`,
    ...(body === undefined ? {} : { 'content-type': 'application/json; charset=utf-8' }),
    ...headers,
  });
  response.end(body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body));
}
