import { messageOf } from '../errors.ts';
import type { Emit, Phase } from '../run-events.ts';

/** Runs one phase and tells its beginning and end. `note` says in a few words what it came to; `ok` is false when the result is not what the phase is for. */
export async function inPhase<T>(
  emit: Emit,
  phase: Phase,
  work: () => Promise<T>,
  note: (result: T) => { readonly ok: boolean; readonly note: string },
): Promise<T> {
  emit({ kind: 'phase-started', phase });
  try {
    const result = await work();
    emit({ kind: 'phase-ended', phase, ...note(result) });
    return result;
  } catch (error) {
    emit({ kind: 'phase-ended', phase, ok: false, note: messageOf(error).split('\n')[0] ?? '' });
    throw error;
  }
}
