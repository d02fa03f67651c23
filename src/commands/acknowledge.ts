import type { CommentSource, DispatchSource } from '../events/event.ts';
import type { GitHub } from '../github/client.ts';
import { createProgressComment, type ProgressComment } from '../github/progress-comment.ts';
import { addReaction, type Reaction, removeReaction } from '../github/reactions.ts';
import type { Emit } from '../run-events.ts';

/** What the person who asked sees while the run goes on. Without an issue there is nothing to see and everything is a no-op. */
export interface Acknowledgement {
  readonly commentId: number | undefined;
  /** Id of the `eyes` reaction, which goes when the run ends. */
  readonly eyesId: number | undefined;
  readonly show: (body: string) => void;
  /** The last text and the final reaction. */
  /** False when the comment could not be brought to its end; the post step then tries again. */
  readonly finish: (body: string, reaction: Reaction) => Promise<boolean>;
}

/** Reacts with `eyes` and posts the run's one comment. What the API refuses is noted and does not stop the run. */
export async function acknowledge(
  github: GitHub,
  source: CommentSource | DispatchSource,
  runId: string,
  body: string,
  emit: Emit,
): Promise<Acknowledgement> {
  if (source.kind === 'dispatch')
    return {
      commentId: undefined,
      eyesId: undefined,
      show: () => undefined,
      finish: async () => true,
    };
  const [eyesId, comment] = await Promise.all([
    react(github, source, 'eyes', emit),
    createProgressComment(github, { issue: source.issue.number, runId, body }),
  ]);
  const progress: ProgressComment | undefined = 'show' in comment ? comment : undefined;
  if (!('show' in comment))
    emit({
      kind: 'note',
      level: 'warning',
      text: `no progress comment: ${comment.message}${comment.needs ? ` (needs ${comment.needs})` : ''}`,
    });
  return {
    commentId: progress?.id,
    eyesId,
    show: text => progress?.show(text),
    finish: async (text, reaction) => {
      const edited = await progress?.finish(text);
      await react(github, source, reaction, emit);
      if (eyesId !== undefined) await removeReaction(github, source.commentId, eyesId);
      return edited?.kind !== 'refused';
    },
  };
}

/** Adds a reaction to the command's comment; a refusal is noted. */
export async function react(
  github: GitHub,
  source: CommentSource,
  reaction: Reaction,
  emit: Emit,
): Promise<number | undefined> {
  const result = await addReaction(github, source.commentId, reaction);
  if (!result.ok)
    emit({
      kind: 'note',
      level: 'warning',
      text: `no ${reaction} reaction: ${result.error.message}${result.error.needs ? ` (needs ${result.error.needs})` : ''}`,
    });
  return result.ok ? result.value : undefined;
}
