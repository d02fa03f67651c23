import { remoteEnv } from './auth.ts';
import { isBranchName } from './branch-name.ts';
import { errorText, succeeded } from './git.ts';
import { assertObjectId } from './object-id.ts';
import { explainRefusal, type PushRefusal } from './push-refusal.ts';
import type { Repository } from './repository.ts';

export interface PushInput {
  readonly repository: Repository;
  readonly url: string;
  readonly token: string | undefined;
  readonly sha: string;
  readonly branch: string;
  /** The commit that the branch must still be at; undefined when the branch must not exist yet. */
  readonly expected: string | undefined;
}

export type PushResult = { readonly kind: 'pushed' } | PushRefusal;

/**
 * Pushes one commit to one branch of an explicit URL, and only when the branch is as expected and moves forward. A refusal is data.
 * The lease makes "as expected" atomic; that it also permits a step back is why the commit has to descend from `expected`.
 */
export async function push(input: PushInput): Promise<PushResult> {
  const { repository, url, token, sha, branch, expected } = input;
  assertObjectId(sha);
  if (!isBranchName(branch)) throw new Error(`not a branch name: ${JSON.stringify(branch)}`);
  if (expected !== undefined) await assertDescends(repository, expected, sha);
  const result = await repository.git(
    [
      'push',
      '--porcelain',
      '--no-verify',
      '--no-signed',
      '--recurse-submodules=no',
      `--force-with-lease=refs/heads/${branch}:${expected ?? ''}`,
      url,
      `${sha}:refs/heads/${branch}`,
    ],
    { env: { ...repository.networkEnv, ...remoteEnv(url, token) } },
  );
  if (succeeded(result)) return { kind: 'pushed' };
  const text = `${result.stdout.toString('utf8')}\n${errorText(result)}`;
  return explainRefusal(result.exit.kind === 'timeout' ? `${text}\nOperation timed out` : text);
}

async function assertDescends(repository: Repository, ancestor: string, sha: string): Promise<void> {
  assertObjectId(ancestor);
  const result = await repository.git(['merge-base', '--is-ancestor', ancestor, sha]);
  if (!succeeded(result)) throw new Error(`${sha} does not build on ${ancestor}, and nothing is ever forced`);
}
