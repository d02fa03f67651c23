import type { GitHub } from './client.ts';
import { type Attempt, attempt, type GitHubError } from './github-error.ts';

/** Seen, done, not done. */
export type Reaction = 'eyes' | 'rocket' | 'confused';

/** Reacts to a comment of an issue or pull request. The value is the reaction's id, by which alone it is removed. */
export async function addReaction(
  { rest, owner, repo }: GitHub,
  commentId: number,
  content: Reaction,
): Promise<Attempt<number>> {
  return attempt(async () => {
    const { data } = await rest.reactions.createForIssueComment({
      owner,
      repo,
      comment_id: commentId,
      content,
    });
    return Number(data.id);
  });
}

/** Removes a reaction. One that is already gone is no error; any other refusal is returned. */
export async function removeReaction(
  { rest, owner, repo }: GitHub,
  commentId: number,
  reactionId: number,
): Promise<GitHubError | undefined> {
  const result = await attempt(() =>
    rest.reactions.deleteForIssueComment({ owner, repo, comment_id: commentId, reaction_id: reactionId }),
  );
  return result.ok || result.error.kind === 'not-found' ? undefined : result.error;
}
