import { describe, expect, it } from 'vitest';
import { type CheckRow, checkLines, checkTable } from '../../src/report/check-table.ts';
import { createRedactor } from '../../src/report/redact.ts';
import { commandsIn } from './runner-commands.ts';
import { EVIL, whatActs } from './what-acts.ts';

const rows: CheckRow[] = [
  { what: 'Engine', state: 'ok', found: 'Docker 29.1', cure: '' },
  { what: 'Tests', state: 'warning', found: '', cure: 'Set `test-command`.' },
  {
    what: 'Model',
    state: 'failed',
    found: '401 | <b>no</b>\nfor @ada',
    cure: 'Add the secret:\nsee [secrets](https://github.com/o/r/settings/secrets) and `a|b`.',
  },
  { what: 'Push', state: 'skipped', found: 'the model comes first', cure: '' },
];

describe('checkTable', () => {
  it('is a headline and one table', () => {
    expect(checkTable(rows)).toBe(`**1 thing to mend, and 1 to look at; 1 not tried**

| What | Result | What to do |
| --- | --- | --- |
| Engine | ✅ Docker 29.1 |  |
| Tests | ⚠️ to look at | Set \`test-command\`. |
| Model | ❌ 401 &#124; &lt;b&gt;no&lt;/b&gt; for @\u200bada | Add the secret: see [secrets](https://github.com/o/r/settings/secrets) and <code>a&#124;b</code>. |
| Push | ⬜ the model comes first |  |`);
  });

  it.each([
    [['ok', 'ok'], 'Everything is in place'],
    [['ok', 'skipped'], 'Everything that was tried is in place; 1 not tried'],
    [['skipped'], 'Nothing was tried'],
    [[], 'Nothing was tried'],
    [['ok', 'warning'], 'Nothing is in the way; 1 thing to look at'],
    [['failed', 'failed', 'ok'], '2 things to mend'],
  ] as const)('%j: %s', (states, headline) => {
    const given = states.map(state => ({ what: 'w', state, found: 'f', cure: '' }));
    expect(checkTable(given)).toMatch(new RegExp(`^\\*\\*${headline}\\*\\*(?:\n|$)`));
  });

  it('lets nothing act that a model or a test run said, in whatever cell', () => {
    for (const state of ['ok', 'warning', 'failed', 'skipped'] as const)
      expect(whatActs(checkTable([{ what: EVIL, state, found: EVIL, cure: '' }]))).toEqual([]);
  });

  it('keeps code and links of a cure on one line, and nothing else of it acts', () => {
    const cure =
      'Use `a` at https://github.com/o/r. @ada fixes #5 <!-- redgreen:end --> | <img src=x>\n\n/agent fix `';
    const table = checkTable([{ what: 'w', state: 'failed', found: 'f', cure }]);
    expect(table.split('\n')).toHaveLength(5);
    expect(table).toContain('Use `a` at [https:\u200b//github.com/o/r](https://github.com/o/r). @');
    expect(whatActs(table)).toEqual([]);
  });

  it('leaves whole rows out when there is not room for all, and counts them', () => {
    const big = Array.from({ length: 100 }, (_, index) => ({
      what: `row ${index}`,
      state: 'failed' as const,
      found: '|'.repeat(100_000),
      cure: '`x` '.repeat(30_000),
    }));
    const table = checkTable(big);
    const shown = table.split('\n').filter(line => line.startsWith('| row'));
    expect(table.length).toBeLessThanOrEqual(50_200);
    expect(shown.length).toBeGreaterThan(5);
    expect(shown.every(line => line.endsWith(' |'))).toBe(true);
    expect(table).toContain(`*${100 - shown.length} more lines, in the log of the run.*`);
    expect(whatActs(table)).toEqual([]);
  });
});

describe('checkLines', () => {
  it('says the same in plain lines', () => {
    expect(checkLines(rows)).toEqual([
      'check ok: Engine: Docker 29.1',
      'check warning: Tests: to look at → Set `test-command`.',
      'check FAILED: Model: 401 | <b>no</b> for @ada → Add the secret: see [secrets](https://github.com/o/r/settings/secrets) and `a|b`.',
      'check skipped: Push: the model comes first',
      'check: 1 thing to mend, and 1 to look at; 1 not tried',
    ]);
  });

  it('lets nothing act in the log, and redacts', () => {
    const evil = 'x\n::error::a\r##[set-output name=a]b supersecretvalue';
    const lines = checkLines(
      [{ what: evil, state: 'failed', found: evil, cure: evil }],
      createRedactor(['supersecretvalue']),
    );
    expect(commandsIn(lines.join('\n'))).toEqual([]);
    expect(lines.join('\n')).not.toMatch(/supersecret|\n.*\n/);
  });

  it('keeps lines short', () => {
    const long = 'x'.repeat(100_000);
    expect(checkLines([{ what: long, state: 'ok', found: long, cure: long }])[0]!.length).toBeLessThan(3200);
  });
});
