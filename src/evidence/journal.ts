import { appendFileSync, writeFileSync } from 'node:fs';
import { messageOf } from '../errors.ts';
import type { Emit, RecordedEvent, RunEvent } from '../run-events.ts';

export interface Journal {
  readonly path: string;
  readonly emit: Emit;
  /** Everything so far, in order. */
  readonly events: () => readonly RecordedEvent[];
}

/**
 * The append-only record of a run: one JSON object a line, written as it happens so that a killed run keeps it.
 * `redact` sees each event before it is written or told. A disk that is full is told once, and does not stop the run.
 */
export function openJournal(
  path: string,
  redact: (event: RecordedEvent) => RecordedEvent,
  tell: (event: RecordedEvent) => void,
): Journal {
  const events: RecordedEvent[] = [];
  let writable = true;
  writeFileSync(path, '');
  const emit = (event: RunEvent) => {
    // Values are redacted, not their JSON: there a line break before a secret would read as a letter.
    const recorded = redact({ seq: events.length + 1, at: new Date().toISOString(), ...event });
    const line = JSON.stringify(recorded);
    events.push(recorded);
    const problem = writable ? tryAppend(path, line) : undefined;
    tell(recorded);
    if (problem === undefined) return;
    writable = false;
    emit({ kind: 'note', level: 'warning', text: `the trajectory can not be written any more: ${problem}` });
  };
  return { path, emit, events: () => events };
}

function tryAppend(path: string, line: string): string | undefined {
  try {
    appendFileSync(path, `${line}\n`);
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}
