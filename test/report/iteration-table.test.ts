import { describe, expect, it } from 'vitest';
import { iterationTable } from '../../src/report/iteration-table.ts';
import type { Iteration } from '../../src/report/progress.ts';
import { purposeText } from '../../src/report/purpose-text.ts';
import { EVIL, whatActs } from './what-acts.ts';

const run = (facts: Partial<Extract<Iteration, { kind: 'tests' }>> = {}): Iteration => ({
  kind: 'tests',
  purpose: 'baseline',
  command: 'npm test',
  exit: { kind: 'code', code: 1 },
  passed: 3,
  failed: 0,
  skipped: 0,
  durationMs: 1500,
  problem: '',
  sentinels: undefined,
  ...facts,
});
const gate: Iteration = { kind: 'gate', gate: 'cause', passed: false, reason: 'no cause was named' };
const rows = (table: string) => table.match(/^\| (?![#-]).*/gm) ?? [];

describe('iterationTable', () => {
  it('gives neighbours that read the same one row', () => {
    const table = iterationTable([run(), ...Array<Iteration>(10).fill(gate), run(), gate], 40);
    expect(rows(table)).toEqual([
      '| 1 | baseline `npm test` | 3 | 0 | 0 | 1.5 s | exit code 1 |',
      '| 2–11 | gate cause ×10 |  |  |  |  | **not passed**: no cause was named |',
      '| 12 | baseline `npm test` | 3 | 0 | 0 | 1.5 s | exit code 1 |',
      '| 13 | gate cause |  |  |  |  | **not passed**: no cause was named |',
    ]);
  });

  it('keeps neighbours apart that differ in anything', () => {
    const table = iterationTable(
      [gate, { ...gate, reason: 'other' }, { ...gate, passed: true }, run(), run({ durationMs: 2000 })],
      40,
    );
    expect(rows(table)).toHaveLength(5);
  });

  it('counts what stands in rows that are not shown', () => {
    const table = iterationTable([...Array<Iteration>(10).fill(gate), run(), gate], 2);
    expect(rows(table).map(row => row.split(' | ')[0])).toEqual(['| 11', '| 12']);
    expect(table).toMatch(/\n\n\*10 earlier in the step summary\.\*$/);
  });

  it('explains the planted tests once, below the table', () => {
    const table = iterationTable(
      [run(), run({ sentinels: 'honest' }), run({ sentinels: 'honest', passed: 4 })],
      9,
    );
    expect(rows(table).map(row => row.split(' | ').at(-1))).toEqual([
      'exit code 1 |',
      'exit code 1 ¹ |',
      'exit code 1 ¹ |',
    ]);
    expect(table).toMatch(/ \|\n\n<sub>¹ By design\. [^\n]*neither of the two is counted\.<\/sub>$/);
    expect(table.match(/¹ By design/g)).toHaveLength(1);
  });

  it.each([
    ['nothing was planted', {}],
    ['what was planted was misreported', { sentinels: 'misreported' }],
    ['there is a problem', { sentinels: 'honest', problem: 'no report' }],
  ] as const)('has no footnote where %s', (_what, facts) => {
    expect(iterationTable([run(facts)], 9)).not.toContain('¹');
  });

  it('has no footnote for a row that is not shown', () => {
    expect(iterationTable([run({ sentinels: 'honest' }), gate], 1)).not.toContain('¹');
  });

  it('lets nothing act, also in rows that were put together', () => {
    const evil = run({ purpose: EVIL, command: EVIL, problem: EVIL });
    const table = iterationTable([evil, evil, { ...gate, gate: EVIL, reason: EVIL }], 9);
    expect(rows(table)).toHaveLength(2);
    expect(whatActs(table)).toEqual([]);
  });
});

it.each([
  ['debugger#2 asked', 'debugger, second attempt, asked'],
  ['test-writer#3', 'test-writer, third attempt'],
  ['debugger#12 asked', 'debugger, attempt 12, asked'],
  ['debugger asked', 'debugger asked'],
  ['proof: green', 'proof: green'],
  ['see #5 there', 'see #5 there'],
  ['a#5b', 'a#5b'],
])('purposeText: %s', (purpose, text) => {
  expect(purposeText(purpose)).toBe(text);
});
