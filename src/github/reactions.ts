import type { GitHub } from './client.ts';
import { type Attempt, attempt, type GitHubError } from './github-error.ts';

/** Seen, done, not done. */
export type Reaction = 'eyes' | 'rocket' | 'confused';

/** What can be reacted to: a comment, or an issue or pull request itself. */
export type Reactable =
  | { readonly kind: 'comment'; readonly id: number }
  | { readonly kind: 'issue'; readonly number: number };

/** Reacts. The value is the reaction's id, by which alone it is removed. */
export async function addReaction(
  { rest, owner, repo }: GitHub,
  target: Reactable,
  content: Reaction,
): Promise<Attempt<number>> {
  return attempt(async () => {
    const { data } =
      target.kind === 'comment'
        ? await rest.reactions.createForIssueComment({ owner, repo, comment_id: target.id, content })
        : await rest.reactions.createForIssue({ owner, repo, issue_number: target.number, content });
    return Number(data.id);
  });
}

/** Removes a reaction. One that is already gone is no error; any other refusal is returned. */
export async function removeReaction(
  { rest, owner, repo }: GitHub,
  target: Reactable,
  reactionId: number,
): Promise<GitHubError | undefined> {
  const result = await attempt(() =>
    target.kind === 'comment'
      ? rest.reactions.deleteForIssueComment({ owner, repo, comment_id: target.id, reaction_id: reactionId })
      : rest.reactions.deleteForIssue({ owner, repo, issue_number: target.number, reaction_id: reactionId }),
  );
  return result.ok || result.error.kind === 'not-found' ? undefined : result.error;
}
