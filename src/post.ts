import { getState, setFailed } from '@actions/core';
import { afterRun } from './after-run.ts';
import { messageOf } from './errors.ts';

try {
  await afterRun(name => getState(name));
} catch (error) {
  setFailed(messageOf(error));
}
process.exit();
