import { randomBytes } from 'node:crypto';
import type { ExecResult } from '../types.ts';
import type { Job, Run } from './place.ts';

/** One argument may have 128 KiB on Linux. */
const ARGUMENT_BYTES = 100_000;

/**
 * Lets `run` take scripts of any length: a long one is first written to a file of a random name in `scratch`, because
 * standard input belongs to the caller.
 */
export function withBigScripts(run: Run, scratch: string): Run {
  return async job => {
    if (Buffer.byteLength(job.script) <= ARGUMENT_BYTES) return run(job);
    const file = `${scratch}/.script-${randomBytes(8).toString('hex')}`;
    const written = await run(writing(job, file));
    if (written.exit.kind !== 'code' || written.exit.code !== 0) return notStarted(written);
    try {
      return await run({ ...job, script: `sh ${file}` });
    } finally {
      await run({ script: `rm -f ${file}`, ours: true });
    }
  };
}

const writing = (job: Job, file: string): Job => ({
  script: `set -C; cat >${file}`,
  stdin: job.script,
  ours: true,
  ...(job.signal && { signal: job.signal }),
});

/** A cancellation stays one; what else keeps a script from being written is not the script's doing. */
function notStarted(written: ExecResult): ExecResult {
  if (written.exit.kind === 'cancelled' || written.exit.kind === 'failed-to-start') return written;
  const message = `the script could not be written: ${JSON.stringify(written.exit)} ${written.stderr}`;
  return { ...written, exit: { kind: 'failed-to-start', message } };
}
