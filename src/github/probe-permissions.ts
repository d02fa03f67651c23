import type { GitHub } from './client.ts';
import { attempt, cureOf, type GitHubError } from './github-error.ts';
import { CREATION_CURE, isCreationForbidden } from './pull-requests.ts';

/** What the token may do, as a line of a table. */
export interface PermissionRow {
  /** As a workflow spells it, such as `contents: write`; or a setting of the repository, in words. */
  readonly permission: string;
  /** `required`, or what it is for. */
  readonly needed: string;
  readonly state: 'granted' | 'missing' | 'unknown';
  /** How GitHub answered, with the permission that it names. */
  readonly detail: string;
  /** What to do when it is missing. */
  readonly cure: string | undefined;
}

export interface ProbeOptions {
  /** Our own run. It is read, never cancelled. */
  readonly runId: number;
}

/** A name that no branch, workflow or file has. */
const NOBODYS_NAME = 'redgreen-permission-check-0f1c6a';

/**
 * Tries each permission with a request that can not succeed and so leaves nothing behind, seven in all. A refusal (403) means that it is
 * missing; a complaint about the content (422, 404) means that the request was let in.
 *
 * Not verified against the real GitHub, only against what others have published: that it looks at the permission before it looks at the
 * content, for `POST /git/refs` and `POST /issues` (published for `PUT /contents`, `POST /pulls`, `PATCH /labels/{name}` and
 * `POST /actions/workflows/{id}/dispatches`, with fine-grained tokens); and that the setting about pull requests is looked at before their
 * branches. In a public repository everybody may read, so there the rows about reading say `granted` without the permission too; and a token
 * of a person who may not even see Actions may get the 404 that here means `granted` in the row `actions: write`.
 */
export async function probePermissions(
  github: GitHub,
  { runId }: ProbeOptions,
): Promise<readonly PermissionRow[]> {
  const rows = await Promise.all(probesOf(github, runId).map(probe => tryOut(probe)));
  return rows.flat();
}

interface Probe {
  readonly permission: string;
  readonly needed: string;
  /** Statuses that come only after the permission was looked at, besides success. */
  readonly letIn: readonly number[];
  readonly ask: () => Promise<unknown>;
  /** Another row that the same answer decides. */
  readonly more?: (error: GitHubError | undefined, letIn: boolean) => PermissionRow;
}

function probesOf({ rest, request, owner, repo }: GitHub, runId: number): Probe[] {
  const here = { owner, repo };
  const noCommit = '0'.repeat(40);
  return [
    {
      permission: 'contents: write',
      needed: 'required',
      letIn: [422],
      ask: () => rest.git.createRef({ ...here, ref: `refs/heads/${NOBODYS_NAME}`, sha: noCommit }),
    },
    {
      permission: 'pull-requests: write',
      needed: 'required',
      letIn: [422],
      ask: () => rest.pulls.create({ ...here, title: NOBODYS_NAME, head: NOBODYS_NAME, base: NOBODYS_NAME }),
      more: settingRow,
    },
    {
      permission: 'issues: write',
      needed: 'required',
      letIn: [422, 410],
      // Without a title, which Octokit's own function would not let pass.
      ask: () => request('POST /repos/{owner}/{repo}/issues', here as typeof here & { title: string }),
    },
    {
      permission: 'actions: read',
      needed: 'for `fix`, to read the logs of failed jobs',
      letIn: [],
      ask: () => rest.actions.getWorkflowRun({ ...here, run_id: runId }),
    },
    {
      permission: 'actions: write',
      needed: 'for `cancel`',
      letIn: [404, 422],
      ask: () =>
        rest.actions.createWorkflowDispatch({
          ...here,
          workflow_id: `${NOBODYS_NAME}.yml`,
          ref: NOBODYS_NAME,
        }),
    },
    {
      permission: 'checks: read',
      needed: 'for `fix`, to name failures of other systems',
      letIn: [404, 422],
      ask: () => rest.checks.listForRef({ ...here, ref: 'HEAD', per_page: 1 }),
    },
    {
      permission: 'statuses: read',
      needed: 'for `fix`, to name failures of other systems',
      letIn: [404, 422],
      ask: () => rest.repos.getCombinedStatusForRef({ ...here, ref: 'HEAD', per_page: 1 }),
    },
  ];
}

async function tryOut({ permission, needed, letIn, ask, more }: Probe): Promise<PermissionRow[]> {
  const result = await attempt(ask);
  const error = result.ok ? undefined : result.error;
  // A setting refuses only what the permission has let in.
  const granted = error === undefined || letIn.includes(error.status) || isCreationForbidden(error);
  const row: PermissionRow = {
    permission,
    needed,
    state: granted ? 'granted' : stateOf(error),
    detail: error ? detailOf(error, granted) : 'GitHub let the request in',
    cure: granted || stateOf(error) === 'unknown' ? undefined : cureFor(error, permission),
  };
  return more ? [row, more(error, granted)] : [row];
}

/** To a token of a person GitHub answers 404 instead of 403, so as not to tell what exists. */
const stateOf = ({ kind }: GitHubError): 'missing' | 'unknown' =>
  kind === 'forbidden' || kind === 'not-found' || kind === 'unauthorized' ? 'missing' : 'unknown';

function detailOf({ status, message, needs }: GitHubError, granted: boolean): string {
  if (status === 0) return message;
  const answer = `HTTP ${status}: ${message.replaceAll(/\s+/g, ' ')}`;
  if (granted) return `GitHub let the request in (${answer})`;
  return needs ? `${answer}; it names \`${needs}\`` : answer;
}

function cureFor(error: GitHubError, permission: string): string {
  if (error.kind === 'unauthorized') return cureOf(error);
  return `Add \`${permission}\` under \`permissions:\` in the workflow's job, or give it to the token of the input \`github-token\`.`;
}

function settingRow(error: GitHubError | undefined, letIn: boolean): PermissionRow {
  const forbidden = error !== undefined && isCreationForbidden(error);
  const state = forbidden ? 'missing' : letIn ? 'granted' : 'unknown';
  const details = {
    missing: error?.message ?? '',
    granted: 'GitHub did not say that Actions may not',
    unknown: 'only to be seen with `pull-requests: write`',
  };
  return {
    permission: 'setting: Actions may create pull requests',
    needed: 'required to open pull requests; without it there is a link to open one by hand',
    state,
    detail: details[state],
    cure: forbidden ? CREATION_CURE : undefined,
  };
}
