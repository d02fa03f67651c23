/** Our branch for an issue; `attempt` counts from 1 and grows when an earlier branch was closed, merged or moved by others. */
export const issueBranch = (issue: number, attempt = 1): string =>
  attempt === 1 ? `agent/issue-${issue}` : `agent/issue-${issue}-${attempt}`;

/** Our branch for a run that no issue asked for. Characters that a branch can not have become dashes. */
export const runBranch = (runId: string): string => `agent/run-${runId.replaceAll(/[^A-Za-z0-9-]+/g, '-')}`;

/** Our branch beside that of a pull request, for work that can not go to its own. */
export const pullRequestBranch = (pullRequest: number): string => `agent/pr-${pullRequest}`;

/** True for a name that git takes as a branch, and that no shell, URL or option parser can take for something else. Stricter than git. */
export const isBranchName = (name: string): boolean =>
  name.length <= 200 &&
  /^[A-Za-z0-9@_][A-Za-z0-9/_.#+,@-]*$/.test(name) &&
  !FORBIDDEN.test(name) &&
  name !== '@';

const FORBIDDEN = /\.\.|\/\/|@\{|\/\.|\.lock(\/|$)|[./]$/;
