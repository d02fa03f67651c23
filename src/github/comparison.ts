import type { GitHub } from './client.ts';
import { type Attempt, attempt } from './github-error.ts';

/** What a branch changed since it left another. */
export interface Comparison {
  /** The commit that both share. */
  readonly mergeBase: string;
  /** At most 300, as GitHub gives them. */
  readonly files: readonly ComparedFile[];
}

export interface ComparedFile {
  readonly path: string;
  readonly status: string;
  /** Undefined for binary files and for long ones. */
  readonly patch: string | undefined;
}

/** Compares two commits or branches of the repository or its forks, as a pull request shows them. */
export async function readComparison(
  { rest, owner, repo }: GitHub,
  base: string,
  head: string,
): Promise<Attempt<Comparison>> {
  return attempt(async () => {
    const { data } = await rest.repos.compareCommitsWithBasehead({
      owner,
      repo,
      basehead: `${base}...${head}`,
    });
    return {
      mergeBase: data.merge_base_commit.sha,
      files: (data.files ?? []).map(file => ({
        path: file.filename,
        status: file.status,
        patch: file.patch,
      })),
    };
  });
}
