import { messageOf } from '../errors.ts';
import type { Emit } from '../run-events.ts';

/** Clears up after work whose result must not be lost to a clean-up that fails: that is told, and the post step tries again. */
export async function disposeAll(
  emit: Emit,
  ...things: readonly { readonly dispose: () => Promise<void> }[]
): Promise<void> {
  for (const result of await Promise.allSettled(things.map(thing => thing.dispose()))) {
    if (result.status === 'rejected')
      emit({ kind: 'note', level: 'warning', text: `clean-up: ${messageOf(result.reason)}` });
  }
}
