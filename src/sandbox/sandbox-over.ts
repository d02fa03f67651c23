import { UserError } from '../errors.ts';
import type { ExecResult } from '../types.ts';
import { copyIn, removePaths } from './copy-in.ts';
import { copyOut } from './copy-out.ts';
import type { Place } from './place.ts';
import { plantGit } from './plant-git.ts';
import { createQueue } from './queue.ts';
import type { Sandbox } from './sandbox.ts';

/** A sandbox over any place. One thing at a time: the end of each command takes everything with it that runs inside. */
export function sandboxOver(bare: Place, nextMtime: () => number = createMtimes()): Sandbox {
  const place: Place = { ...bare, run: async job => assertThere(bare, await bare.run(job)) };
  const queue = createQueue();
  let disposed: Promise<void> | undefined;
  const { kind, isolated, image, workdir, scratch } = place;
  return {
    kind,
    isolated,
    image,
    workdir,
    scratch,
    shell: request => queue(() => place.run(request)),
    rootShell: request => queue(() => place.rootShell(request)),
    copyIn: files => queue(() => copyIn(place, files, nextMtime())),
    remove: paths => queue(() => removePaths(place, paths)),
    copyOut: options => queue(() => copyOut(place, options)),
    plantGit: tag => queue(() => plantGit(place, tag)),
    cutNetwork: () => queue(() => place.cutNetwork()),
    snapshot: () =>
      queue(async () => {
        const snapshot = await place.snapshot();
        return { ...snapshot, start: async () => sandboxOver(await snapshot.start(), nextMtime) };
      }),
    dispose: () => {
      disposed ??= place.dispose();
      return disposed;
    },
  };
}

/**
 * A command that could not even start is a sandbox that went away, unless the next one starts: then a program only said so.
 * Throws a UserError, which no tool passes to the model as its own failure.
 */
async function assertThere(place: Place, result: ExecResult): Promise<ExecResult> {
  if (result.exit.kind !== 'failed-to-start') return result;
  const again = await place.run({ script: 'exit 0', timeoutMs: 30_000, ours: true });
  if (again.exit.kind !== 'failed-to-start') return result;
  throw new UserError(
    `The sandbox disappeared in the middle of the run: ${again.exit.message}`,
    'Give the command again. If it happens twice, look for what stops containers on this runner.',
  );
}

/**
 * Dates for unpacked files: now, but never the same second twice. Python takes a compiled file for fresh when the source's
 * second and size are unchanged, so an edit within one second would otherwise be run as it was before.
 */
function createMtimes(): () => number {
  let last = 0;
  return () => {
    last = Math.max(last + 1, Math.floor(Date.now() / 1000));
    return last;
  };
}
