import { UserError } from '../errors.ts';
import { remoteEnv } from './auth.ts';
import { isBranchName } from './branch-name.ts';
import { gitOutput, howItEnded, succeeded } from './git.ts';
import { assertObjectId, isObjectId } from './object-id.ts';
import type { Repository } from './repository.ts';

export interface FetchOptions {
  readonly repository: Repository;
  readonly url: string;
  readonly token: string | undefined;
  /** A full object name or a full reference such as `refs/heads/main` or `refs/pull/7/head`. */
  readonly what: string;
  /** Commits of history. Honoured only where history is cut off already: a full clone is never truncated. Default 1. */
  readonly depth?: number;
}

const FETCHED = 'refs/redgreen/fetched';

/** Fetches one commit from an explicit URL and returns its name. Throws a UserError when the server does not give it. */
export async function fetchCommit(options: FetchOptions): Promise<string> {
  const { repository, url, token, what } = options;
  if (!isObjectId(what) && !(what.startsWith('refs/') && isBranchName(what))) {
    throw new Error(`not an object name or a full reference: ${JSON.stringify(what)}`);
  }
  const result = await repository.git(
    [
      'fetch',
      '--quiet',
      '--no-tags',
      '--no-write-fetch-head',
      '--no-recurse-submodules',
      '--no-auto-maintenance',
      ...(repository.isShallow ? [`--depth=${options.depth ?? 1}`] : []),
      url,
      `+${what}:${FETCHED}`,
    ],
    { env: { ...repository.networkEnv, ...remoteEnv(url, token) } },
  );
  if (!succeeded(result)) {
    throw new UserError(
      `${what} could not be fetched from ${url}: git fetch ${howItEnded(result)}`,
      'Check that the commit still exists and that the job has `permissions: contents: read`.',
    );
  }
  const commit = await gitOutput(repository.git, ['rev-parse', '--verify', `${FETCHED}^{commit}`]);
  const name = commit.toString('utf8').trim();
  assertObjectId(name);
  return name;
}
