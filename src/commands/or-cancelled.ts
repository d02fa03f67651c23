import { CancelledError } from '../errors.ts';

/**
 * Does work that a signal may stop. Once it has, whatever the work came to, a result of half a run or the error of a command that was
 * killed, is a CancelledError with that as its cause.
 */
export async function orCancelled<T>(signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
  let result: T;
  try {
    result = await work();
  } catch (error) {
    if (!signal?.aborted || error instanceof CancelledError) throw error;
    throw new CancelledError('the run was cancelled', { cause: error });
  }
  if (signal?.aborted) throw new CancelledError('the run was cancelled');
  return result;
}
