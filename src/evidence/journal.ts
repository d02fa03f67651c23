import { appendFileSync, writeFileSync } from 'node:fs';
import type { Emit, RecordedEvent, RunEvent } from '../run-events.ts';

export interface Journal {
  readonly path: string;
  readonly emit: Emit;
  /** Everything so far, in order. */
  readonly events: () => readonly RecordedEvent[];
}

/**
 * The append-only record of a run: one JSON object a line, written as it happens so that a killed run keeps it.
 * `redact` sees each line before it is written or told to a listener.
 */
export function openJournal(
  path: string,
  redact: (text: string) => string,
  listeners: readonly ((event: RecordedEvent) => void)[],
): Journal {
  const events: RecordedEvent[] = [];
  writeFileSync(path, '');
  const emit = (event: RunEvent) => {
    const recorded = { seq: events.length + 1, at: new Date().toISOString(), ...event };
    const line = redact(JSON.stringify(recorded));
    const clean = JSON.parse(line) as RecordedEvent;
    events.push(clean);
    appendFileSync(path, `${line}\n`);
    for (const listen of listeners) listen(clean);
  };
  return { path, emit, events: () => events };
}
