import { RequestError } from '@octokit/request-error';
import { UserError } from '../errors.ts';

export type GitHubErrorKind =
  | 'unauthorized'
  | 'forbidden'
  /** The conversation is locked for everybody without write access, and for Actions. */
  | 'locked'
  | 'not-found'
  | 'gone'
  | 'validation'
  | 'rate-limited'
  | 'unreachable'
  | 'server'
  | 'other';

/** A refusal of GitHub's API as data. */
export interface GitHubError {
  readonly kind: GitHubErrorKind;
  /** The HTTP status; 0 when no answer came. */
  readonly status: number;
  /** What the API said, for people, without links. */
  readonly message: string;
  /** For `forbidden`: the permission that would have been enough, as a workflow spells it, such as `issues: write`. */
  readonly needs?: string;
}

export type Attempt<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: GitHubError };

/** Runs a call to the API and returns a refusal as a value. What is no refusal (a defect of ours) is thrown on. */
export async function attempt<T>(call: () => Promise<T>): Promise<Attempt<T>> {
  try {
    return { ok: true, value: await call() };
  } catch (thrown) {
    const error = parseGitHubError(thrown);
    if (!error) throw thrown;
    return { ok: false, error };
  }
}

/** As `attempt`, for calls without which a run can not go on: a refusal becomes a `UserError` that begins with what was tried. */
export async function must<T>(doing: string, call: () => Promise<T>): Promise<T> {
  const result = await attempt(call);
  if (result.ok) return result.value;
  throw new UserError(`${doing} failed: ${result.error.message}`, cureOf(result.error));
}

/** What a person can do about a refusal. */
export function cureOf(error: GitHubError): string {
  switch (error.kind) {
    case 'unauthorized':
      return 'Check the input `github-token`: it is missing, mistyped or expired.';
    case 'forbidden':
      return error.needs
        ? `Add \`${error.needs}\` under \`permissions:\` in the workflow's job.`
        : "Check the `permissions:` of the workflow's job and what the input `github-token` may do.";
    case 'locked':
      return 'Unlock the conversation, then give the command again.';
    case 'not-found':
    case 'gone':
      return 'Check that it still exists and that the input `github-token` may see it.';
    case 'rate-limited':
      return 'Wait until the rate limit of this token is over, then give the command again.';
    case 'unreachable':
      return 'Check that the runner can reach the API of this GitHub server, perhaps through HTTPS_PROXY.';
    case 'server':
      return 'GitHub has trouble: see https://www.githubstatus.com, then give the command again.';
    default:
      return 'Give the command again; when it happens again, report it with the log of this run.';
  }
}

/** Turns what Octokit throws into data; undefined for everything else. */
export function parseGitHubError(thrown: unknown): GitHubError | undefined {
  if (!(thrown instanceof RequestError)) return undefined;
  const { status, response } = thrown;
  if (!response) return { kind: 'unreachable', status: 0, message: `no answer: ${thrown.message}` };
  const said = messageOf(response.data) ?? `HTTP ${status}`;
  const kind = kindOf(status, said, response.headers);
  // Nobody learns of a locked conversation from a cure that stands in it: so the message itself says what to do.
  const message = kind === 'locked' ? `${said} Unlock the conversation to get answers there.` : said;
  const accepted = response.headers['x-accepted-github-permissions'];
  const needs = kind === 'forbidden' && accepted ? neededPermissions(String(accepted)) : undefined;
  return { kind, status, message, ...(needs && { needs }) };
}

const KINDS: Readonly<Record<number, GitHubErrorKind>> = {
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not-found',
  410: 'gone',
  422: 'validation',
  429: 'rate-limited',
};

function kindOf(
  status: number,
  message: string,
  headers: Readonly<Record<string, unknown>>,
): GitHubErrorKind {
  const exhausted =
    headers['x-ratelimit-remaining'] === '0' || /secondary rate|rate limit exceeded/i.test(message);
  if (status === 403 && exhausted) return 'rate-limited';
  if (status === 403 && /\bis locked\b/i.test(message)) return 'locked';
  return KINDS[status] ?? (status >= 500 ? 'server' : 'other');
}

/** The message and, of a 422, every error in it: only there does the API say what exactly it refuses. */
function messageOf(data: unknown): string | undefined {
  if (typeof data !== 'object' || data === null || !('message' in data)) return undefined;
  const errors = 'errors' in data && Array.isArray(data.errors) ? data.errors.map(detailOf) : [];
  return [String(data.message), ...errors].join(': ');
}

function detailOf(error: unknown): string {
  if (typeof error === 'string') return error;
  const { message, resource, field, code } = (error ?? {}) as Record<string, unknown>;
  return message ? String(message) : [resource, field, code].filter(Boolean).join(' ');
}

/** `issues=write; pull_requests=write` says "either", a comma says "both". `allows_permissionless_access=true` is no permission. */
const neededPermissions = (header: string): string =>
  header
    .split(';')
    .filter(either => !either.includes('permissionless'))
    .map(either =>
      either
        .split(',')
        .map(part => part.trim().replaceAll('_', '-').replace('=', ': '))
        .join(' and '),
    )
    .join(' or ');
