import { CancelledError, messageOf, UserError } from '../errors.ts';
import { ModelError } from '../model/model.ts';
import type { CheckRow } from '../report/check-table.ts';
import type { Emit } from '../run-events.ts';

export interface Tried<T> {
  readonly row: CheckRow;
  /** Absent when it did not work. */
  readonly value?: T;
}

export interface TryOptions {
  readonly what: string;
  readonly emit: Emit;
  readonly signal: AbortSignal | undefined;
  /** What to do when something goes wrong that nobody has words for, such as an engine that fails. */
  readonly cure?: string;
}

/**
 * Makes a row of whatever is tried, also of what nobody foresaw: one thing that breaks must not cost a person the other lines. Only a
 * cancellation is thrown on.
 */
export async function tryRow<T>(
  { what, emit, signal, cure = DEFECT }: TryOptions,
  work: () => Promise<{ readonly value: T; readonly found: string }>,
): Promise<Tried<T>> {
  try {
    const { value, found } = await work();
    return { row: { what, state: 'ok', found, cure: '' }, value };
  } catch (error) {
    if (signal?.aborted || error instanceof CancelledError) throw error;
    if (error instanceof UserError || error instanceof ModelError)
      return { row: { what, state: 'failed', found: error.message, cure: error.cure } };
    const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
    emit({ kind: 'note', level: 'info', text: `check, ${what}: ${stack}` });
    return { row: { what, state: 'failed', found: messageOf(error), cure } };
  }
}

const DEFECT =
  'Give `/agent check` again. When it says the same, this is a defect of redgreen: report it with the log of this run.';

/** For what can not be tried because something else comes first. */
export const skippedRow = (what: string, found: string): CheckRow => ({
  what,
  state: 'skipped',
  found,
  cure: '',
});
