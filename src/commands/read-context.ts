import type { TaskText } from '../agents/prompts/task.ts';
import { cleanText } from '../events/clean-text.ts';
import { commentsBefore } from '../events/comments-before.ts';
import { type CommentSource, type DispatchSource, OWN_MARK } from '../events/event.ts';
import type { GitHub } from '../github/client.ts';
import { listComments } from '../github/comments.ts';

const MAX_COMMENTS = 20;
const MAX_COMMENT_BYTES = 4_000;

/**
 * What was asked, cleaned of hidden text: title and body as the payload has them, and the comments that were there,
 * unedited since, when the command was given. Bots' comments and our own are left out.
 */
export async function readContext(
  github: GitHub,
  source: CommentSource | DispatchSource,
  words: string,
): Promise<TaskText> {
  if (source.kind === 'dispatch') {
    const [title = '', ...rest] = cleanText(source.task).split('\n');
    return { source: 'workflow_dispatch', title, body: rest.join('\n').trim(), words: '', comments: [] };
  }
  const { issue, commentCreatedAt, commentId } = source;
  const { comments } = await listComments(github, issue.number);
  const usable = commentsBefore(comments, commentCreatedAt).filter(
    comment => comment.id !== commentId && !comment.isBot && !comment.body.includes(OWN_MARK),
  );
  return {
    source: `issue #${issue.number} by ${issue.author}`,
    title: cleanText(issue.title, 500),
    body: cleanText(issue.body),
    words: cleanText(words),
    comments: usable
      .slice(-MAX_COMMENTS)
      .map(comment => ({ author: comment.author, text: cleanText(comment.body, MAX_COMMENT_BYTES) })),
  };
}
