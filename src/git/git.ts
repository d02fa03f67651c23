import type { Readable } from 'node:stream';
import { CancelledError, UserError } from '../errors.ts';
import { exec } from '../lib/exec.ts';
import type { ExecResult } from '../types.ts';

export interface GitOptions {
  readonly stdin?: Uint8Array | string | Readable;
  /** Added to the child's environment; the only way for a token to reach a child. */
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly timeoutMs?: number;
  /** Default 64 MiB. */
  readonly maxOutputBytes?: number;
  readonly onStdout?: (stdout: Readable) => void;
  /** Ends this one call; the run's own signal always does. */
  readonly signal?: AbortSignal;
}

/** Runs git. How it exited is data; throws a CancelledError when stopped and a UserError when there is no git. */
export type Git = (args: readonly string[], options?: GitOptions) => Promise<ExecResult>;

export interface GitHost {
  /** The PATH on which git is found. */
  readonly path: string;
  readonly signal?: AbortSignal;
}

/**
 * The one door to git. The environment is built from scratch and the overrides are on every command line, so that no configuration,
 * hook, filter or attribute of the machine, the user or the checkout is ever read. `gitDir` must be a repository that we wrote.
 */
export function createGit(host: GitHost, gitDir?: string): Git {
  return async (args, options = {}) => {
    const { env, signal, cwd, ...streams } = options;
    const result = await exec({
      file: 'git',
      args: [...OVERRIDES, ...args],
      env: { ...CLEAN, PATH: host.path, ...(gitDir && { GIT_DIR: gitDir }), ...env },
      cwd: cwd ?? '/',
      timeoutMs: 300_000,
      maxOutputBytes: 64 * 1024 * 1024,
      ...streams,
      ...signalOf(host.signal, signal),
    });
    return checked(result, signal);
  };
}

/** Standard output of a git command that has to succeed. */
export async function gitOutput(
  git: Git,
  args: readonly string[],
  options: GitOptions = {},
): Promise<Buffer> {
  const result = await git(args, options);
  if (!succeeded(result)) throw new Error(`git ${args[0]} ${howItEnded(result)}`);
  return result.stdout;
}

export const succeeded = (result: ExecResult): boolean =>
  result.exit.kind === 'code' && result.exit.code === 0 && !result.truncated;

export const errorText = (result: ExecResult): string => result.stderr.toString('utf8').trim();

/** A clause for an error message: the exit and the last of what git said. */
export function howItEnded(result: ExecResult): string {
  const { exit } = result;
  const how = exit.kind === 'code' ? `ended with exit code ${exit.code}` : `was stopped (${exit.kind})`;
  const said = errorText(result).slice(-2000);
  return said ? `${how}: ${said}` : how;
}

const OVERRIDES = Object.entries({
  'core.hooksPath': '/dev/null',
  'core.fsmonitor': 'false',
  'core.protectHFS': 'true',
  'core.protectNTFS': 'true',
  'core.attributesFile': '/dev/null',
  'core.excludesFile': '/dev/null',
  // Without it, fetch and push run `git for-each-ref` inside the checkout that we borrow objects from, under its configuration.
  'core.alternateRefsCommand': 'true',
  'core.quotePath': 'false',
  'gc.auto': '0',
  'maintenance.auto': 'false',
  'credential.helper': '',
  // A redirect would carry the authorization header along.
  'http.followRedirects': 'false',
  'push.followTags': 'false',
  'advice.detachedHead': 'false',
}).flatMap(([key, value]) => ['-c', `${key}=${value}`]);

const CLEAN = {
  HOME: '/nonexistent',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_SYSTEM: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_ATTR_NOSYSTEM: '1',
  GIT_TERMINAL_PROMPT: '0',
  GIT_NO_REPLACE_OBJECTS: '1',
  GIT_NO_LAZY_FETCH: '1',
  GIT_OPTIONAL_LOCKS: '0',
  // No such protocol: a child that is not meant to reach the network can not.
  GIT_ALLOW_PROTOCOL: 'none',
  LC_ALL: 'C',
};

function signalOf(...signals: (AbortSignal | undefined)[]): { signal?: AbortSignal } {
  const given = signals.filter(signal => signal !== undefined);
  return given.length > 0 ? { signal: AbortSignal.any(given) } : {};
}

function checked(result: ExecResult, own: AbortSignal | undefined): ExecResult {
  if (result.exit.kind === 'cancelled' && !own?.aborted) throw new CancelledError('git was stopped');
  if (result.exit.kind === 'failed-to-start') {
    throw new UserError(
      `git could not be started: ${result.exit.message}`,
      'Install git 2.31 or newer on the runner and put it on PATH.',
    );
  }
  return result;
}
