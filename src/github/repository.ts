import type { GitHub } from './client.ts';
import { must } from './github-error.ts';

export interface Repository {
  readonly defaultBranch: string;
  readonly private: boolean;
  readonly fork: boolean;
  readonly archived: boolean;
}

/** Reads what the API says of the repository now. */
export async function readRepository({ rest, owner, repo }: GitHub): Promise<Repository> {
  const { data } = await must(`Reading the repository ${owner}/${repo}`, () =>
    rest.repos.get({ owner, repo }),
  );
  return {
    defaultBranch: data.default_branch,
    private: data.private,
    fork: data.fork,
    archived: data.archived,
  };
}
