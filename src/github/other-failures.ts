import type { GitHub } from './client.ts';
import { attempt, type GitHubError } from './github-error.ts';

/** A failure that a system other than GitHub Actions reported at a commit. All texts are outside text. */
export interface OtherFailure {
  /** The app's name of a check run; of a commit status the host that it links to. */
  readonly system: string;
  readonly name: string;
  /** An http(s) address, or undefined. */
  readonly url: string | undefined;
  /** One line or a few; empty when nothing was said. */
  readonly description: string;
}

export interface OtherFailures {
  readonly failures: readonly OtherFailure[];
  /** What could not be asked, with the permission that was missing: `checks: read`, `statuses: read`. */
  readonly refused: readonly GitHubError[];
}

const ACTIONS = 'github-actions';
const MAX_DESCRIPTION = 500;

/** Lists failed check runs and commit statuses at a commit that do not come from GitHub Actions, with two calls, the newest hundred of each. */
export async function listOtherFailures(github: GitHub, sha: string): Promise<OtherFailures> {
  const results = await Promise.all([
    attempt(() => failedCheckRuns(github, sha)),
    attempt(() => failedStatuses(github, sha)),
  ]);
  return {
    failures: results.flatMap(result => (result.ok ? result.value : [])),
    refused: results.flatMap(result => (result.ok ? [] : [result.error])),
  };
}

async function failedCheckRuns({ rest, owner, repo }: GitHub, ref: string): Promise<OtherFailure[]> {
  const { data } = await rest.checks.listForRef({ owner, repo, ref, filter: 'latest', per_page: 100 });
  return data.check_runs
    .filter(({ app, conclusion }) => app?.slug !== ACTIONS && /^(failure|timed_out)$/.test(conclusion ?? ''))
    .map(({ app, name, details_url, html_url, output }) => ({
      system: app?.name ?? 'a check',
      name,
      url: webUrl(details_url) ?? webUrl(html_url),
      description: cut(output.title ?? output.summary ?? ''),
    }));
}

async function failedStatuses({ rest, owner, repo }: GitHub, ref: string): Promise<OtherFailure[]> {
  const { data } = await rest.repos.getCombinedStatusForRef({ owner, repo, ref, per_page: 100 });
  return data.statuses
    .filter(({ state }) => state === 'failure' || state === 'error')
    .map(({ context, target_url, description }) => {
      const url = webUrl(target_url);
      const system = url === undefined ? 'a commit status' : new URL(url).hostname;
      return { system, name: context, url, description: cut(description ?? '') };
    });
}

function webUrl(text: string | null): string | undefined {
  return text && URL.canParse(text) && /^https?:$/.test(new URL(text).protocol) ? text : undefined;
}

const cut = (text: string) => text.trim().slice(0, MAX_DESCRIPTION).toWellFormed();
