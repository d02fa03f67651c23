/**
 * A person's mistake or a condition only a person can mend. The message says what is wrong and why;
 * `cure` says what to do. Everything else that is thrown is a defect of ours.
 */
export class UserError extends Error {
  readonly cure: string;

  constructor(message: string, cure: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'UserError';
    this.cure = cure;
  }
}

/** A command that is understood and not carried out: the step stays green, and the message and cure are told like an answer. */
export class RefusedError extends UserError {
  constructor(message: string, cure: string, options?: ErrorOptions) {
    super(message, cure, options);
    this.name = 'RefusedError';
  }
}

/** The run was told to stop: the runner's signal, or our own deadline. */
export class CancelledError extends Error {
  constructor(reason: string, options?: ErrorOptions) {
    super(reason, options);
    this.name = 'CancelledError';
  }
}

/** The text of anything that can be thrown. */
export const messageOf = (thrown: unknown): string =>
  thrown instanceof Error ? thrown.message : String(thrown);
