import { error as annotateError, setFailed } from '@actions/core';
import { messageOf, UserError } from './errors.ts';
import { writeOutputs, writeSummary } from './outputs.ts';
import { run } from './run.ts';

try {
  const { failure } = await run();
  if (failure) setFailed(failure);
} catch (error) {
  await tellEarlyEnd(error);
}
// What is left (a keep-alive socket, a timer) must not hold the job.
process.exit();

/** A run that ended before there was anybody to tell in a comment: outputs, summary and annotation have to do. */
async function tellEarlyEnd(error: unknown): Promise<void> {
  const known = error instanceof UserError;
  const reason = messageOf(error);
  const text = known ? `${reason}\n${error.cure}` : reason;
  if (!known && error instanceof Error && error.stack) annotateError(error.stack);
  writeOutputs({ outcome: known ? 'failed' : 'crashed', reason }, plain => plain);
  await writeSummary(
    `## redgreen: ${known ? 'Failed' : 'Crashed'}\n\n<pre>${text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</pre>\n`,
  );
  setFailed(text);
}
