import { readFileSync } from 'node:fs';
import { readEventConfig } from './config.ts';
import { parseEvent } from './events/event.ts';
import { logLines } from './lib/log.ts';
import { writeOutputs } from './outputs.ts';

export interface RunEnd {
  /** The text of the red cross; absent when the step is green. */
  readonly failure?: string;
}

/** One run, from the event to the last output. */
export async function run(): Promise<RunEnd> {
  const event = readEventConfig();
  const trigger = parseEvent(event.name, JSON.parse(readFileSync(event.path, 'utf8')));
  if (trigger.kind === 'ignored') {
    logLines([`Nothing to do: ${trigger.reason}.`]);
    writeOutputs({ outcome: 'ignored', reason: trigger.reason }, text => text);
    return {};
  }
  // Loaded only now: most comments are none of our business, and should not pay for what comes after the gate.
  const { admit } = await import('./admit.ts');
  return admit(trigger);
}
