import type { EndpointError } from './endpoint-error.ts';
import type { ModelErrorKind } from './model.ts';

/** Why one try gave no usable answer. `reason` is one line, without the key. */
export interface Failure {
  readonly kind: ModelErrorKind;
  readonly reason: string;
  readonly retry: boolean;
  readonly status?: number;
  /** What the endpoint asked us to wait. */
  readonly retryAfterMs?: number;
  /** At most so many further tries for failures that have this; for those that rarely mend by themselves. */
  readonly maxRetries?: number;
  /** The endpoint's own words, when it had any. */
  readonly said?: EndpointError;
}

/** A failure on its way from where it was noticed to the retry loop. Never leaves this room. */
export class AttemptFailed extends Error {
  readonly failure: Failure;

  constructor(failure: Failure, options?: ErrorOptions) {
    super(failure.reason, options);
    this.name = 'AttemptFailed';
    this.failure = failure;
  }
}

/** The answer came, but is not one; another try may do better. */
export const brokenAnswer = (reason: string, maxRetries?: number): AttemptFailed =>
  new AttemptFailed({
    kind: 'broken-answer',
    reason,
    retry: true,
    ...(maxRetries !== undefined && { maxRetries }),
  });
