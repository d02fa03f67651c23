/** What must be known of a comment to decide whether a run may read it. Times are ISO 8601. */
export interface DatedComment {
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly minimized: boolean;
}

/**
 * The comments that stood there, as they stand now, when the command was given: written before `at`, not edited since,
 * not minimised. Times have whole seconds, so what shares the command's second is left out.
 */
export function commentsBefore<T extends DatedComment>(comments: readonly T[], at: string): T[] {
  const limit = Date.parse(at);
  const before = (time: string) => Date.parse(time) < limit;
  return comments.filter(
    comment => !comment.minimized && before(comment.createdAt) && before(comment.updatedAt),
  );
}
