import type { Sandbox, Snapshot } from '../sandbox/sandbox.ts';
import type { SandboxDeps } from './deps.ts';
import { disposeAll } from './dispose-all.ts';

/** Works in a sandbox that starts from the snapshot, where nobody was before, and disposes of it whatever happens. */
export async function inFreshSandbox<T>(
  { emit }: Pick<SandboxDeps, 'emit'>,
  snapshot: Snapshot,
  work: (sandbox: Sandbox) => Promise<T>,
): Promise<T> {
  const fresh = await snapshot.start();
  try {
    return await work(fresh);
  } finally {
    await disposeAll(emit, fresh);
  }
}
