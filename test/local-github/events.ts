/** Payloads of events as GitHub delivers them to a workflow, in full shape. */
import { commentBody, issueBody, repositoryBody, type Urls, userBody } from './bodies.ts';
import type { Comment, Repository, User } from './state.ts';

export interface WorkflowEvent {
  readonly name: 'issue_comment' | 'workflow_dispatch';
  readonly payload: Readonly<Record<string, unknown>>;
}

/** The event of a comment. It carries the issue as it is now. */
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
