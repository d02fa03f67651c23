/** Payloads of events as GitHub delivers them to a workflow, in full shape. */
import { commentBody, issueBody, labelBody, repositoryBody, type Urls, userBody } from './bodies.ts';
import { pullBody } from './pull-body.ts';
import { comparisonOf, isPull } from './pull-requests.ts';
import { runBody } from './run-body.ts';
import type { Comment, Repository, User, WorkflowRun } from './state.ts';

export interface WorkflowEvent {
  readonly name: 'issue_comment' | 'issues' | 'pull_request' | 'workflow_dispatch' | 'workflow_run';
  readonly payload: Readonly<Record<string, unknown>>;
}

/** The event of a comment on an issue or, with `issue.pull_request`, on a pull request. It carries the issue as it is now. */
export function issueCommentEvent(
  urls: Urls,
  repository: Repository,
  comment: Comment,
  action: 'created' | 'edited' | 'deleted' = 'created',
): WorkflowEvent {
  const issue = repository.issues.get(comment.issue);
  if (!issue) throw new Error(`there is no issue #${comment.issue}`);
  const changes = action === 'edited' ? { changes: { body: { from: comment.history.at(-2) ?? '' } } } : {};
  const payload = {
    action,
    ...changes,
    issue: issueBody(repository, issue, urls),
    comment: commentBody(repository, comment, urls),
    repository: repositoryBody(repository, urls),
    sender: userBody(comment.user, urls),
  };
  return { name: 'issue_comment', payload };
}

/** The event of a workflow that somebody started by hand. */
export function workflowDispatchEvent(
  urls: Urls,
  repository: Repository,
  sender: User,
  inputs: Readonly<Record<string, string>> | null,
): WorkflowEvent {
  const payload = {
    inputs,
    ref: `refs/heads/${repository.defaultBranch}`,
    workflow: '.github/workflows/agent.yml',
    repository: repositoryBody(repository, urls),
    sender: userBody(sender, urls),
  };
  return { name: 'workflow_dispatch', payload };
}

/**
 * The event of a label that was put on an issue (`issues`) or on a pull request (`pull_request`). It carries them as they are now, so put the
 * label on first.
 */
export async function labeledEvent(
  urls: Urls,
  repository: Repository,
  number: number,
  label: string,
  sender: User,
): Promise<WorkflowEvent> {
  const issue = repository.issues.get(number);
  const found = issue?.labels.find(({ name }) => name === label);
  if (!issue || !found) throw new Error(`#${number} has no label ${label}`);
  const common = {
    label: labelBody(repository, found, urls),
    repository: repositoryBody(repository, urls),
    sender: userBody(sender, urls),
  };
  if (!isPull(issue)) {
    const payload = { action: 'labeled', issue: issueBody(repository, issue, urls), ...common };
    return { name: 'issues', payload };
  }
  const pull_request = pullBody(repository, issue, await comparisonOf(repository, issue), urls);
  return { name: 'pull_request', payload: { action: 'labeled', number, pull_request, ...common } };
}

/** The event of a run of another workflow that is over. Of a head in a fork it names no pull request, as on GitHub. */
export function workflowRunEvent(
  urls: Urls,
  repository: Repository,
  run: WorkflowRun,
  action: 'completed' | 'requested' | 'in_progress' = 'completed',
): WorkflowEvent {
  const repo = repositoryBody(repository, urls);
  const { id, name, path } = run.workflow;
  const page = `${repo.html_url}/actions/workflows/${path.split('/').at(-1)}`;
  const workflow = {
    id,
    node_id: Buffer.from(`Workflow:${id}`).toString('base64url'),
    name,
    path,
    state: 'active',
    created_at: repository.createdAt,
    updated_at: repository.createdAt,
    url: `${repo.url}/actions/workflows/${id}`,
    html_url: `${repo.html_url}/blob/${repository.defaultBranch}/${path}`,
    badge_url: `${page}/badge.svg`,
  };
  const payload = {
    action,
    workflow_run: runBody(repository, run, urls),
    workflow,
    repository: repo,
    sender: userBody(run.actor, urls),
  };
  return { name: 'workflow_run', payload };
}
