/** What must be known of a pull request, as it is now, before a run that nobody asked for. */
export interface RoundPullRequest {
  readonly state: 'open' | 'closed';
  readonly merged: boolean;
  readonly isFork: boolean;
  readonly headSha: string;
}

export interface RoundFacts {
  readonly pullRequest: RoundPullRequest;
  readonly failedHeadSha: string;
  /** What the marks on the pull request answer. Only those in our own comments: anybody can write one. */
  readonly rounds: readonly string[];
}

export type RoundDecision = { readonly go: true } | { readonly go: false; readonly reason: string };

/** More would chase a failure that two honest attempts did not mend, on somebody's bill. */
const MAX_ROUNDS = 2;
const ROUND = /^failure-/;

/** Decides whether a failed workflow run may start a round: at most two for a pull request, and never two for one commit. */
export function decideRound({ pullRequest, failedHeadSha, rounds }: RoundFacts): RoundDecision {
  if (pullRequest.isFork)
    return stop('the pull request is of a fork, where only a comment of a maintainer starts a run');
  if (pullRequest.merged) return stop('the pull request was merged meanwhile');
  if (pullRequest.state === 'closed') return stop('the pull request was closed meanwhile');
  if (pullRequest.headSha !== failedHeadSha)
    return stop('the pull request has newer commits than the one that failed');
  const answered = new Set(rounds.filter(answers => ROUND.test(answers)));
  if (answered.has(`failure-${failedHeadSha}`))
    return stop('there was a round for this commit already; give the command in a comment for another');
  if (answered.size >= MAX_ROUNDS)
    return stop(
      `there were ${answered.size} unasked rounds on this pull request already; give the command in a comment for another`,
    );
  return { go: true };
}

/** A run, and what it answers (`answeredBy`). `run` begins with the workflow run's id and its attempt, with hyphens after each. */
export interface RoundMark {
  readonly run: string;
  readonly answers: string | undefined;
}

/**
 * Whether another workflow run has already taken the same comment, label or failure: the event was delivered twice. A re-run of the same
 * workflow run is none: somebody wants it done again. What can not come twice (`answers` undefined) never has.
 */
export function isSecondDelivery(
  { answers, run }: RoundMark,
  marks: readonly { readonly run: string; readonly answers: string | undefined }[],
): boolean {
  if (answers === undefined) return false;
  return marks.some(mark => mark.answers === answers && workflowRunOf(mark.run) !== workflowRunOf(run));
}

const workflowRunOf = (run: string): string => run.split('-', 1)[0] ?? '';

const stop = (reason: string): RoundDecision => ({ go: false, reason });
