import { createGitHub, type GitHub, type GitHubOptions } from '../../src/github/client.ts';
import { FULL, type Sample } from '../local-github/fixture.ts';
import { commitFiles } from '../local-github/git-repository.ts';
import type { Permissions } from '../local-github/state.ts';

/** A client for the sample repository, that waits milliseconds where it would wait seconds. */
export function connect(
  sample: Sample,
  more: Partial<GitHubOptions> & { permissions?: Permissions } = {},
): GitHub {
  const { permissions = FULL, ...options } = more;
  return createGitHub({
    token: sample.github.token(permissions).value,
    apiUrl: sample.github.apiUrl,
    serverUrl: sample.github.serverUrl,
    owner: 'octo-org',
    repo: 'hello',
    version: '0.0.0-test',
    log: () => undefined,
    retryBaseMs: 1,
    ...options,
  });
}

export const addBranch = (sample: Sample, name: string): Promise<string> =>
  commitFiles(sample.repository.folder, name, { [`${name}.txt`]: `${name}\n` }, `Add ${name}`);
