import type { GitHub } from './client.ts';
import { type Attempt, attempt, type GitHubError } from './github-error.ts';
import { splitLines } from './split-lines.ts';

export interface JobLogOptions {
  /** Ends the reading: `readJobLog` then rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  /** Default 256 MiB, after decompression. */
  readonly maxBytes?: number;
  /** Default 30,000: how long nothing may come. */
  readonly idleMs?: number;
}

export type JobLog =
  | {
      readonly kind: 'read';
      readonly bytes: number;
      /** `too-long`: `maxBytes` were read, more was there. `broken-off`: the connection was lost before the end. */
      readonly end: 'whole' | 'too-long' | 'broken-off';
    }
  /** GitHub keeps logs for 90 days, or as long as the repository says. */
  | { readonly kind: 'expired' }
  /** No such job, or its log is not written yet. */
  | { readonly kind: 'not-found' }
  /** By the API: `error.needs` names the permission that was missing. */
  | { readonly kind: 'refused'; readonly error: GitHubError }
  /** The store that the API sent us to did not give the log. */
  | { readonly kind: 'unreachable'; readonly message: string };

const MAX_BYTES = 256 * 1024 * 1024;
const MAX_REDIRECTS = 3;

/**
 * Reads the log of a job line by line, without byte order marks and without the timestamps that GitHub writes before each line. Nothing of it
 * is kept, and a line longer than 16 KiB is cut. The API answers with a link to a store on another host: our token does not go there.
 */
export async function readJobLog(
  github: GitHub,
  jobId: number,
  onLine: (line: string) => void,
  options: JobLogOptions = {},
): Promise<JobLog> {
  const opened = await openLog(github, jobId, options.signal).catch(thrown => {
    options.signal?.throwIfAborted();
    throw thrown;
  });
  if (!opened.ok) return refusalOf(opened.error);
  const found = opened.value;
  if (found.kind === 'body') return readBody(found.body, onLine, options);
  const stall = stallAfter(options);
  try {
    const answer = await followRedirects(github, found.location, stall.signal);
    if ('kind' in answer) return answer;
    return await readBody(answer.body, onLine, options, stall);
  } finally {
    stall.stop();
  }
}

type OpenedLog =
  | { readonly kind: 'redirect'; readonly location: string }
  /** A server of one's own may send the text itself: then all of it must come within the client's time-out. */
  | { readonly kind: 'body'; readonly body: ReadableStream<Uint8Array> | null };

async function openLog(
  { request, owner, repo, apiUrl }: GitHub,
  jobId: number,
  signal: AbortSignal | undefined,
): Promise<Attempt<OpenedLog>> {
  return attempt(async () => {
    const { status, headers, data } = await request('GET /repos/{owner}/{repo}/actions/jobs/{job_id}/logs', {
      owner,
      repo,
      job_id: jobId,
      request: { redirect: 'manual', parseSuccessResponseBody: false, ...(signal && { signal }) },
    });
    const body = data as ReadableStream<Uint8Array> | null;
    // The types of Octokit know the answer after the redirect only.
    if ((status as number) < 300 || !headers.location) return { kind: 'body', body };
    await body?.cancel();
    return { kind: 'redirect', location: new URL(headers.location, `${apiUrl}/`).href };
  });
}

function refusalOf(error: GitHubError): JobLog {
  if (error.kind === 'gone') return { kind: 'expired' };
  if (error.kind === 'not-found') return { kind: 'not-found' };
  return { kind: 'refused', error };
}

interface OpenBody {
  readonly body: ReadableStream<Uint8Array> | null;
}

async function followRedirects(
  github: GitHub,
  location: string,
  signal: AbortSignal,
): Promise<OpenBody | Exclude<JobLog, { kind: 'read' }>> {
  let url = location;
  for (let hops = 0; hops < MAX_REDIRECTS; hops++) {
    if (!mayGoTo(url, github.apiUrl))
      return { kind: 'unreachable', message: `the log lies at an address that is not https: ${origin(url)}` };
    const response = await connected(() => github.fetch(url, { redirect: 'manual', signal }));
    if ('kind' in response) return response;
    const next = response.headers.get('location');
    if (response.status >= 300 && response.status < 400 && next) {
      await response.body?.cancel();
      url = new URL(next, url).href;
      continue;
    }
    if (response.ok) return { body: response.body };
    await response.body?.cancel();
    // A job that still runs has a link already, to a log that is written when it is over.
    if (response.status === 404) return { kind: 'not-found' };
    return { kind: 'unreachable', message: `${origin(url)} answered with HTTP ${response.status}` };
  }
  return { kind: 'unreachable', message: 'the log was redirected too often' };
}

/** Only the web; and not without encryption, unless the API itself is asked without. */
function mayGoTo(url: string, apiUrl: string): boolean {
  const { protocol } = new URL(url);
  const api = new URL(apiUrl);
  const isLocal = api.protocol === 'http:' || /^(localhost|127\.0\.0\.1|\[::1\])$/.test(api.hostname);
  return protocol === 'https:' || (protocol === 'http:' && isLocal);
}

/** Without path and query: there the link's signature stands, which is a secret for a minute. */
const origin = (url: string) => new URL(url).origin;

interface Stall {
  readonly signal: AbortSignal;
  /** Something came: the time begins anew. */
  readonly touch: () => void;
  readonly stop: () => void;
}

class StalledError extends Error {}

function stallAfter({ idleMs = 30_000, signal }: JobLogOptions): Stall {
  const stalled = new AbortController();
  const give = () => stalled.abort(new StalledError(`nothing came for ${idleMs / 1_000} s`));
  const timer = setTimeout(give, idleMs).unref();
  return {
    signal: signal ? AbortSignal.any([signal, stalled.signal]) : stalled.signal,
    touch: () => timer.refresh(),
    stop: () => clearTimeout(timer),
  };
}

/** A lost connection, and one on which nothing comes, as data. The caller's signal is thrown on. */
async function connected<T>(
  step: () => Promise<T>,
): Promise<T | { readonly kind: 'unreachable'; readonly message: string }> {
  try {
    return await step();
  } catch (thrown) {
    if (thrown instanceof StalledError) return { kind: 'unreachable', message: thrown.message };
    const isTimeout = thrown instanceof DOMException && thrown.name === 'TimeoutError';
    if (!(thrown instanceof TypeError) && !isTimeout) throw thrown;
    const { cause, message } = thrown;
    return { kind: 'unreachable', message: cause instanceof Error ? cause.message : message };
  }
}

async function readBody(
  body: ReadableStream<Uint8Array> | null,
  onLine: (line: string) => void,
  { maxBytes = MAX_BYTES }: JobLogOptions,
  stall?: Stall,
): Promise<JobLog> {
  const lines = splitLines(line => onLine(withoutTimestamp(line)));
  let bytes = 0;
  const finish = (end: 'whole' | 'too-long' | 'broken-off'): JobLog => {
    lines.end();
    return { kind: 'read', bytes, end };
  };
  const reader = body?.getReader();
  if (!reader) return finish('whole');
  try {
    for (;;) {
      const chunk = await connected(() => reader.read());
      if ('kind' in chunk) return finish('broken-off');
      if (chunk.done) return finish('whole');
      stall?.touch();
      const room = maxBytes - bytes;
      bytes += Math.min(room, chunk.value.length);
      lines.push(chunk.value.subarray(0, room));
      if (chunk.value.length > room) return finish('too-long');
    }
  } finally {
    await connected(() => reader.cancel());
  }
}

const withoutTimestamp = (line: string) =>
  line.replace(/^\uFEFF?(?:\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{1,9}Z ?)?/, '');
