import { retry } from '@octokit/plugin-retry';
import { throttling } from '@octokit/plugin-throttling';
import { Octokit } from '@octokit/rest';

export interface GitHubOptions {
  readonly token: string;
  /** `https://api.github.com`, or `https://host/api/v3` of an own server. */
  readonly apiUrl: string;
  readonly serverUrl: string;
  readonly owner: string;
  readonly repo: string;
  /** Our own version, for the user agent. */
  readonly version: string;
  /** One line for each wait and each edit that failed. Never holds the token. */
  readonly log: (line: string) => void;
  /** Go through the proxy that the environment names. Default false: then its code is not even loaded. */
  readonly proxy?: boolean;
  /** Default 30,000, for one request. */
  readonly timeoutMs?: number;
  /** Default 1,000: what waits between attempts are multiples of. */
  readonly retryBaseMs?: number;
  /** Ends every request under way and refuses new ones. */
  readonly signal?: AbortSignal;
}

/** One repository at one GitHub server, with a token. The only way to the API. */
export interface GitHub {
  readonly rest: InstanceType<typeof Client>['rest'];
  readonly request: Octokit['request'];
  readonly owner: string;
  readonly repo: string;
  readonly apiUrl: string;
  readonly serverUrl: string;
  readonly log: (line: string) => void;
  /** Plain HTTP by the same way (proxy, the run's signal), but without our token and without a time-out: for what is on other hosts. */
  readonly fetch: typeof fetch;
  /** Milliseconds that a function of this room waits before its first own retry. */
  readonly retryBaseMs: number;
}

const Client = Octokit.plugin(retry, throttling);

/** Longer waits for a fresh rate limit are not worth a runner's time. */
const MAX_WAIT_SECONDS = 60;

/** Creates the client. Server errors and lost connections are tried four times in all, rate limits as long as the wait is short. */
export function createGitHub(options: GitHubOptions): GitHub {
  const { owner, repo, apiUrl, serverUrl, log, retryBaseMs = 1_000 } = options;
  const send = senderOf(options);
  const { rest, request } = new Client({
    auth: options.token,
    baseUrl: options.apiUrl,
    userAgent: `redgreen/${options.version}`,
    // Octokit's own lines would show refusals that a run expects; at debug level they hold the token.
    log: { debug: silent, info: silent, warn: silent, error: silent },
    request: { fetch: withTimeout(send, options) },
    retry: {
      doNotRetry: [400, 401, 403, 404, 409, 410, 413, 422, 429, 451],
      retries: 3,
      retryAfterBaseValue: retryBaseMs,
    },
    throttle: {
      id: `redgreen ${options.apiUrl}`,
      retryAfterBaseValue: retryBaseMs,
      write: unspaced,
      notifications: unspaced,
      onRateLimit: (wait, { method, url }, _octokit, retries) => {
        const again = retries < 3 && wait <= MAX_WAIT_SECONDS;
        log(`${method} ${url}: rate limit, ${again ? `again in ${wait} s` : `free in ${wait} s`}`);
        return again;
      },
      onSecondaryRateLimit: (wait, { method, url }, _octokit, retries) => {
        const again = retries < 1 && wait <= MAX_WAIT_SECONDS;
        log(`${method} ${url}: secondary rate limit, ${again ? `again in ${wait} s` : 'given up'}`);
        return again;
      },
    },
  });
  return { rest, request, owner, repo, apiUrl, serverUrl, log, fetch: send, retryBaseMs };
}

type Throttle = NonNullable<NonNullable<ConstructorParameters<typeof Client>[0]>['throttle']>;

/**
 * In place of the plugin's queue, which lets three seconds pass between two comments. A run makes about ten writes,
 * most of them seconds apart, and the progress comment keeps its own pace.
 */
const unspaced = {
  key: () => ({
    schedule: (_options: unknown, job: (...args: unknown[]) => unknown, ...args: unknown[]) =>
      Promise.resolve(job(...args)),
  }),
} as unknown as NonNullable<Throttle['write']>;

function senderOf({ proxy = false, signal }: GitHubOptions): typeof fetch {
  return async (input, init) => {
    const send = proxy ? await proxyFetch() : fetch;
    const limits = [init?.signal, signal].filter(limit => limit != null);
    return send(input, limits.length > 0 ? { ...init, signal: AbortSignal.any(limits) } : init);
  };
}

function withTimeout(send: typeof fetch, { signal, timeoutMs = 30_000 }: GitHubOptions): typeof fetch {
  return async (input, init) => {
    const stops = [init?.signal, signal].filter(stop => stop != null);
    try {
      return await send(input, {
        ...init,
        signal: AbortSignal.any([AbortSignal.timeout(timeoutMs), ...stops]),
      });
    } catch (thrown) {
      // By another name Octokit takes it for a lost connection, waits and tries again.
      if (stops.some(stop => stop.aborted))
        throw new DOMException('The request was aborted.', { name: 'AbortError', cause: thrown });
      throw thrown;
    }
  };
}

/** Loaded only when there is a proxy: the module reads the environment and the event file when it is imported. */
async function proxyFetch(): Promise<typeof fetch> {
  const { defaults } = await import('@actions/github/lib/utils');
  return defaults.request?.fetch;
}

const silent = () => undefined;
