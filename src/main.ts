import { setFailed } from '@actions/core';
import { messageOf, UserError } from './errors.ts';
import { writeOutputs } from './outputs.ts';
import { run } from './run.ts';

try {
  const { failure } = await run();
  if (failure) setFailed(failure);
} catch (error) {
  const cure = error instanceof UserError ? `\n${error.cure}` : '';
  writeOutputs(
    { outcome: error instanceof UserError ? 'failed' : 'crashed', reason: messageOf(error) },
    text => text,
  );
  setFailed(`${messageOf(error)}${cure}`);
}
// What is left (a keep-alive socket, a timer) must not hold the job.
process.exit();
