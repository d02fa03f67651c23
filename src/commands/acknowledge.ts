import { type Source, threadOf } from '../events/trigger.ts';
import type { GitHub } from '../github/client.ts';
import { createProgressComment, type ProgressComment } from '../github/progress-comment.ts';
import { addReaction, type Reactable, type Reaction, removeReaction } from '../github/reactions.ts';
import type { Emit } from '../run-events.ts';

/** What the person who asked sees while the run goes on. Without an issue there is nothing to see and everything is a no-op. */
export interface Acknowledgement {
  readonly commentId: number | undefined;
  /** Id of the `eyes` reaction, which goes when the run ends. */
  readonly eyesId: number | undefined;
  readonly show: (body: string) => void;
  /** The last text and the final reaction. False when the comment could not be brought to its end; the post step then tries again. */
  readonly finish: (body: string, reaction: Reaction) => Promise<boolean>;
}

/** Reacts with `eyes` and posts the run's one comment. What the API refuses is noted and does not stop the run. */
export async function acknowledge(
  github: GitHub,
  source: Source,
  mark: string,
  body: string,
  emit: Emit,
): Promise<Acknowledgement> {
  const issue = threadOf(source);
  if (issue === undefined)
    return {
      commentId: undefined,
      eyesId: undefined,
      show: () => undefined,
      finish: async () => true,
    };
  const target = reactableOf(source);
  const [eyesId, comment] = await Promise.all([
    react(github, source, 'eyes', emit),
    createProgressComment(github, { issue, mark, body }),
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
      if (eyesId !== undefined && target) await removeReaction(github, target, eyesId);
      return edited?.kind !== 'refused';
    },
  };
}

/** Adds a reaction to what gave the command; a refusal is noted. */
export async function react(
  github: GitHub,
  source: Source,
  reaction: Reaction,
  emit: Emit,
): Promise<number | undefined> {
  const target = reactableOf(source);
  if (!target) return undefined;
  const result = await addReaction(github, target, reaction);
  if (!result.ok)
    emit({
      kind: 'note',
      level: 'warning',
      text: `no ${reaction} reaction: ${result.error.message}${result.error.needs ? ` (needs ${result.error.needs})` : ''}`,
    });
  return result.ok ? result.value : undefined;
}

/** The command's comment, or the issue that was labelled; nothing else that starts a run can be reacted to. */
export function reactableOf(source: Source): Reactable | undefined {
  if (source.kind === 'issue-comment') return { kind: 'comment', id: source.commentId };
  if (source.kind === 'label') return { kind: 'issue', number: source.issue.number };
  return undefined;
}
