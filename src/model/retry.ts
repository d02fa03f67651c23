import { setTimeout as sleep } from 'node:timers/promises';
import { CancelledError, messageOf } from '../errors.ts';
import type { Failure } from './failure.ts';
import type { ModelError } from './model.ts';

export interface RetryPolicy {
  readonly maxAttempts: number;
  /** The first wait; doubles up to 30 times as much. */
  readonly backoffBaseMs: number;
  readonly signal?: AbortSignal | undefined;
  readonly onRetry?: ((reason: string, waitMs: number) => void) | undefined;
}

/** An endpoint that asks for a longer wait than this is given up: a runner costs money while it waits. */
export const MAX_RETRY_AFTER_MS = 300_000;
const MAX_BACKOFF_FACTOR = 30;

/**
 * Tries until an answer comes, the failure is one that a further try does not mend, or the tries are used up.
 * `failureOf` throws what is not a failure of the endpoint.
 */
export async function withRetries<T>(
  policy: RetryPolicy,
  attempt: () => Promise<T>,
  failureOf: (thrown: unknown) => Failure,
  giveUp: (failure: Failure, tries: number) => ModelError,
): Promise<T> {
  let limited = 0;
  for (let tries = 1; ; tries++) {
    const outcome = await settle(policy, attempt, failureOf);
    if ('answer' in outcome) return outcome.answer;
    const { failure } = outcome;
    if (failure.maxRetries !== undefined) limited++;
    const spent = tries >= policy.maxAttempts || limited > (failure.maxRetries ?? limited);
    if (!failure.retry || spent) throw giveUp(failure, tries);
    const askedMs = failure.retryAfterMs ?? 0;
    if (askedMs > MAX_RETRY_AFTER_MS) throw giveUp(tooLong(failure, askedMs), tries);
    const waitMs = Math.max(askedMs, backoff(tries, policy.backoffBaseMs));
    policy.onRetry?.(failure.reason, waitMs);
    await pause(waitMs, policy.signal);
  }
}

async function settle<T>(
  { signal }: RetryPolicy,
  attempt: () => Promise<T>,
  failureOf: (thrown: unknown) => Failure,
): Promise<{ readonly answer: T } | { readonly failure: Failure }> {
  assertNotCancelled(signal);
  try {
    return { answer: await attempt() };
  } catch (thrown) {
    return { failure: failureOf(thrown) };
  }
}

/** Throws CancelledError when the signal has spoken. */
export function assertNotCancelled(signal: AbortSignal | undefined): void {
  if (!signal?.aborted) return;
  const { reason } = signal;
  if (reason instanceof CancelledError) throw reason;
  throw new CancelledError(`the model call was cancelled: ${messageOf(reason)}`, { cause: reason });
}

const tooLong = (failure: Failure, askedMs: number): Failure => ({
  ...failure,
  reason: `${failure.reason} (it asks to wait ${Math.round(askedMs / 1000)} s, which is too long for a run)`,
});

// Jitter takes away, never adds: many runs that were refused at once must not come back at once.
function backoff(tries: number, baseMs: number): number {
  const factor = Math.min(2 ** (tries - 1), MAX_BACKOFF_FACTOR);
  return Math.round(baseMs * factor * (1 - Math.random() * 0.25));
}

async function pause(waitMs: number, signal: AbortSignal | undefined): Promise<void> {
  try {
    await sleep(waitMs, undefined, { ...(signal && { signal }) });
  } catch (error) {
    assertNotCancelled(signal);
    throw error;
  }
}
