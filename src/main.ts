import { setFailed } from '@actions/core';
import { messageOf } from './errors.ts';
import { run } from './run.ts';

try {
  const { failure } = await run();
  if (failure) setFailed(failure);
} catch (error) {
  setFailed(messageOf(error));
}
// What is left (a keep-alive socket, a timer) must not hold the job.
process.exit();
