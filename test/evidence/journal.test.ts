import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openJournal } from '../../src/evidence/journal.ts';
import { createRedactor, redactAll } from '../../src/report/redact.ts';
import type { RecordedEvent } from '../../src/run-events.ts';

it('writes one redacted JSON line an event as it happens, and tells listeners the same', () => {
  const path = join(mkdtempSync(join(tmpdir(), 'journal-')), 't.jsonl');
  const heard: RecordedEvent[] = [];
  const journal = openJournal(
    path,
    event => redactAll(event, createRedactor(['s3cret-s3cret'])),
    event => heard.push(event),
  );
  journal.emit({ kind: 'note', level: 'info', text: 'the key is\ns3cret-s3cret' });
  journal.emit({ kind: 'phase-started', phase: 'gate' });
  const lines = readFileSync(path, 'utf8')
    .trim()
    .split('\n')
    .map(line => JSON.parse(line) as RecordedEvent);
  expect(lines.map(event => event.seq)).toEqual([1, 2]);
  expect(lines[0]).toMatchObject({ kind: 'note', text: 'the key is\n***' });
  expect(heard).toEqual(lines);
  expect(journal.events()).toEqual(lines);
});

it('goes on in memory, and says so once, when the file can not be written', () => {
  const folder = mkdtempSync(join(tmpdir(), 'journal-'));
  const path = join(folder, 't.jsonl');
  const heard: RecordedEvent[] = [];
  const journal = openJournal(
    path,
    event => event,
    event => heard.push(event),
  );
  rmSync(folder, { recursive: true });
  journal.emit({ kind: 'phase-started', phase: 'gate' });
  journal.emit({ kind: 'phase-started', phase: 'context' });
  expect(heard.map(event => event.kind)).toEqual(['phase-started', 'note', 'phase-started']);
});
