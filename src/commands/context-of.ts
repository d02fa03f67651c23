import type { TaskText } from '../agents/prompts/task.ts';
import { cleanText } from '../events/clean-text.ts';
import { commentsBefore } from '../events/comments-before.ts';
import { OWN_MARK, type Source } from '../events/trigger.ts';
import type { IssueComment } from '../github/comments.ts';
import type { PullRequestDetails } from '../github/pull-request-details.ts';

const MAX_COMMENTS = 20;
const MAX_COMMENT_BYTES = 4_000;

export interface ContextFacts {
  readonly source: Source;
  readonly words: string;
  /** Of the issue or pull request; empty when there is none. */
  readonly comments: readonly IssueComment[];
  /** The pull request that the run is about, for sources whose payload does not hold its text. */
  readonly pullRequest: PullRequestDetails | undefined;
}

/**
 * What was asked, cleaned of hidden text: title and body as the payload has them, and the comments that were there,
 * unedited since, when the command was given. Bots' comments and our own are left out.
 */
export function contextOf({ source, words, comments, pullRequest }: ContextFacts): TaskText {
  const thread = threadText(source, pullRequest);
  const dispatched = source.kind === 'dispatch' ? cleanText(source.task) : '';
  if (!thread) {
    const [title = '', ...rest] = dispatched.split('\n');
    return { source: 'workflow_dispatch', title, body: rest.join('\n').trim(), words: '', comments: [] };
  }
  const usable = commentsBefore(comments, thread.at).filter(
    comment =>
      !(source.kind === 'issue-comment' && comment.id === source.commentId) &&
      !comment.isBot &&
      !comment.body.includes(OWN_MARK),
  );
  return {
    source: thread.name,
    title: cleanText(thread.title, 500),
    body: cleanText(thread.body),
    words: cleanText(words) || dispatched,
    comments: usable
      .slice(-MAX_COMMENTS)
      .map(comment => ({ author: comment.author, text: cleanText(comment.body, MAX_COMMENT_BYTES) })),
  };
}

interface Thread {
  readonly name: string;
  readonly title: string;
  readonly body: string;
  /** ISO 8601: what was written before this is read. */
  readonly at: string;
}

function threadText(source: Source, pullRequest: PullRequestDetails | undefined): Thread | undefined {
  if (source.kind === 'issue-comment' || source.kind === 'label') {
    const { issue } = source;
    const at = source.kind === 'label' ? source.labelledAt : source.commentCreatedAt;
    return {
      ...issue,
      name: `${issue.isPullRequest ? 'pull request' : 'issue'} #${issue.number} by ${issue.author}`,
      at,
    };
  }
  if (!pullRequest) return undefined;
  const { title, body } = pullRequest;
  const at = source.kind === 'workflow-run' ? source.failed.endedAt : new Date().toISOString();
  return { name: `pull request #${pullRequest.number} by ${pullRequest.author.login}`, title, body, at };
}
