/** The git side: smart HTTP by `git http-backend`, with GitHub's credentials, permissions and refusals before it. */
import { spawn } from 'node:child_process';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { basename, dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { gitEnv } from './process.ts';
import {
  findRepository,
  fullName,
  hasLevel,
  isWriter,
  type Repository,
  type State,
  type Token,
} from './state.ts';
import { type Caller, identify } from './tokens.ts';

const PATH = /^\/([^/]+)\/([^/]+?)(?:\.git)?\/(info\/refs|git-upload-pack|git-receive-pack)$/;

/** Whether a request is git's: then its path names a repository and a service of git. */
export const isGitRequest = (url: URL): boolean => PATH.test(url.pathname);

/** Answers a request of git. `onPush` has ended before the client learns that its push is done. */
export async function answerGit(
  state: State,
  url: URL,
  request: IncomingMessage,
  response: ServerResponse,
  onPush: (repository: Repository) => Promise<void>,
): Promise<void> {
  const [, owner = '', name = '', end = ''] = PATH.exec(url.pathname) ?? [];
  const service = end === 'info/refs' ? (url.searchParams.get('service') ?? '') : end;
  const caller = identify(state, request);
  const token = caller.kind === 'known' ? caller.token : undefined;
  const repository = findRepository(state, owner, name);
  const refusal = credentialsRefusal(caller) ?? accessRefusal(service, repository, token);
  if (refusal || !repository) return refuse(response, refusal ?? [404, 'Repository not found.']);
  const beforeEnd = () => (end === 'git-receive-pack' ? onPush(repository) : Promise.resolve());
  await runBackend({ repository, token, end, url, request, response }, beforeEnd);
}

type RefusalOfGit = readonly [status: number, message: string];

function credentialsRefusal(caller: Caller): RefusalOfGit | undefined {
  if (caller.kind === 'duplicate') return [400, 'Duplicate header: "Authorization"'];
  if (caller.kind !== 'unknown-token') return undefined;
  return [401, 'Invalid username or token. Password authentication is not supported for Git operations.'];
}

function accessRefusal(
  service: string,
  repository: Repository | undefined,
  token: Token | undefined,
): RefusalOfGit | undefined {
  const pushes = service === 'git-receive-pack';
  if (!token && (pushes || !repository || repository.private)) return [401, 'No credentials.'];
  if (!repository) return [404, 'Repository not found.'];
  if (!pushes && service !== 'git-upload-pack') return [403, 'Please upgrade your git client.'];
  if (!token) return undefined;
  // A workflow's token is good for one repository, and nobody pushes to another person's.
  if (pushes && repository.parent && !isWriter(repository, token.user))
    return [403, `Permission to ${fullName(repository)}.git denied to ${token.user.login}.`];
  if (hasLevel(token.permissions.contents, pushes ? 'write' : 'read')) return undefined;
  return [403, `${pushes ? 'Write' : 'Read'} access to repository not granted.`];
}

/** git shows a plain text answer as lines that begin with `remote:`. */
function refuse(response: ServerResponse, [status, message]: RefusalOfGit): void {
  if (status === 401) response.setHeader('www-authenticate', 'Basic realm="GitHub"');
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' });
  response.end(`${message}\n`);
}

interface Exchange {
  readonly repository: Repository;
  readonly token: Token | undefined;
  readonly end: string;
  readonly url: URL;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

async function runBackend(exchange: Exchange, beforeEnd: () => Promise<void>): Promise<void> {
  const { request, response } = exchange;
  const backend = spawn('git', ['http-backend'], {
    env: backendEnv(exchange),
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  response.once('close', () => backend.kill());
  const body = request.headers['content-encoding'] === 'gzip' ? request.pipe(createGunzip()) : request;
  await Promise.all([
    // git may answer before it has read everything, or the client may leave: the answer tells, not the pipe.
    pipeline(body, backend.stdin).catch(() => undefined),
    answerFrom(backend.stdout, response, beforeEnd),
  ]);
}

function backendEnv({ repository, token, end, url, request }: Exchange): Record<string, string> {
  const { settings, folder } = repository;
  const protocol = request.headers['git-protocol'];
  return {
    ...gitEnv(folder),
    GIT_PROJECT_ROOT: dirname(folder),
    GIT_HTTP_EXPORT_ALL: '1',
    PATH_INFO: `/${basename(folder)}/${end}`,
    REQUEST_METHOD: request.method ?? 'GET',
    QUERY_STRING: url.search.slice(1),
    CONTENT_TYPE: request.headers['content-type'] ?? '',
    ...(typeof protocol === 'string' && { GIT_PROTOCOL: protocol }),
    ...(token && { REMOTE_USER: token.user.login }),
    LOCAL_GITHUB_WORKFLOWS: token?.permissions.workflows ?? '',
    LOCAL_GITHUB_PUSHER: token?.isApp ? 'a GitHub App' : 'a Personal Access Token',
    LOCAL_GITHUB_PROTECTED: settings.protectedBranches.join('\n'),
  };
}

/** A CGI answer: headers, an empty line, the body as it comes. */
async function answerFrom(
  stdout: NodeJS.ReadableStream,
  response: ServerResponse,
  beforeEnd: () => Promise<void>,
): Promise<void> {
  let head = Buffer.alloc(0);
  let started = false;
  for await (const chunk of stdout) {
    if (started) {
      response.write(chunk);
      continue;
    }
    head = Buffer.concat([head, chunk as Buffer]);
    const end = head.indexOf('\r\n\r\n');
    if (end < 0) continue;
    started = true;
    let status = 200;
    for (const line of head.subarray(0, end).toString().split('\r\n')) {
      const [, name = '', value = ''] = /^([^:]+):\s*(.*)$/.exec(line) ?? [];
      if (name.toLowerCase() === 'status') status = Number.parseInt(value, 10);
      else response.setHeader(name, value);
    }
    response.writeHead(status);
    response.write(head.subarray(end + 4));
  }
  if (!started) response.writeHead(500);
  await beforeEnd();
  response.end();
}
