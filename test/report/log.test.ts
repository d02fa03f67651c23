import { describe, expect, it } from 'vitest';
import { logLines } from '../../src/report/log-line.ts';
import { sanitizeForLog } from '../../src/report/log-text.ts';
import { createRedactor } from '../../src/report/redact.ts';
import type { RunEvent } from '../../src/run-events.ts';
import { commandsIn } from './runner-commands.ts';

const PAYLOADS = [
  '::add-mask::x',
  '  ::add-mask::x',
  '\u00a0\u3000::ADD-MASK::x',
  '10%\r::add-mask::x',
  'a\x0b::set-env name=A::b',
  'a\u2028::add-path::/x',
  'ok ##[add-mask]x',
  'ok ##[set-output name=a]b',
  '###[stop-commands]t',
  '#\x1b[31m#[error]x',
  '#\u200b#[error]x',
  '#\u034f#[error]x',
  '#\u{e0041}#[error]x',
  '#\x00#[error]x',
  '\x1b]0;title\x07::error::x',
  '\x1b[2K::error::x',
];

describe('sanitizeForLog', () => {
  it.each(PAYLOADS)('leaves no command in %j', payload => {
    expect(
      commandsIn(
        payload.replaceAll(/\x1b(?:\[\d*\w|\].*?\x07)|[\x0b\u2028]/g, match =>
          match.length === 1 ? '\n' : '',
        ),
      ),
    ).not.toEqual([]);
    expect(commandsIn(sanitizeForLog(payload))).toEqual([]);
  });

  it('leaves no command in 20,000 random texts', () => {
    const random = generator(42);
    const pieces = [
      '::',
      ':',
      '#',
      '##',
      '##[',
      '[',
      ']',
      'add-mask',
      'set-output name=a',
      'stop-commands',
      'ERROR',
      ' ',
      '\t',
      '\r',
      '\n',
      '\r\n',
      '\x0b',
      '\x0c',
      '\u0085',
      '\u2028',
      '\u00a0',
      '\u3000',
      '\u200b',
      '\u00ad',
      '\u034f',
      '\ufeff',
      '\u202e',
      '\x1b[31m',
      '\x1b]0;',
      '\x1b',
      '\x9b',
      '\x07',
      '\x00',
      'x',
      'é',
      '😀',
      '\ud800',
      '\u{e0020}',
    ];
    let dangerous = 0;
    for (let round = 0; round < 20_000; round++) {
      const text = Array.from({ length: 3 + random(14) }, () => pieces[random(pieces.length)]).join('');
      if (commandsIn(text).length > 0) dangerous++;
      const clean = sanitizeForLog(text);
      expect(commandsIn(clean), JSON.stringify(text)).toEqual([]);
      expect(clean.includes('##['), JSON.stringify(text)).toBe(false);
    }
    // The generator would prove nothing if its texts held no commands.
    expect(dangerous).toBeGreaterThan(50);
  });

  it('marks each line, and keeps what people read', () => {
    expect(sanitizeForLog('one\n\ttwo  \u001b[1mbold\u001b[0m é 😀\r\nthree\n\n')).toBe(
      '| one\n| \ttwo  bold é 😀\n| three',
    );
  });

  it('cuts long lines and leaves out the middle of long texts', () => {
    const line = sanitizeForLog('x'.repeat(10_000));
    expect(line.length).toBeLessThan(4200);
    expect(line).toContain('(5904 characters more)');
    const text = sanitizeForLog(Array.from({ length: 50_000 }, (_, index) => `line ${index}`).join('\n'));
    expect(text.length).toBeLessThan(65_000);
    expect(text).toMatch(/^\| line 0\n/);
    expect(text).toContain('lines left out');
    expect(text).toMatch(/line 49999$/);
  });

  it('cuts only where that saves more than the notice of it takes', () => {
    const shown = (length: number) => sanitizeForLog('x'.repeat(length), { maxLineLength: 100 });
    const notice = '… (23 characters more)'.length;
    expect(shown(100 + notice)).toBe(`| ${'x'.repeat(100 + notice)}`);
    expect(shown(101 + notice)).toBe(`| ${'x'.repeat(100)}… (23 characters more)`);
    for (let length = 90; length < 300; length++)
      expect(shown(length).length).toBeLessThanOrEqual(length + 2);
  });

  it('counts one line that is left out as one', () => {
    const lines = [40, 21, 40].map(length => 'x'.repeat(length)).join('\n');
    expect(sanitizeForLog(lines, { maxLength: 90 })).toMatch(/\n\| … 1 line left out …\n/);
  });

  it('hides secrets before it cuts, also when an escape sequence splits them', () => {
    const redact = createRedactor(['supersecretvalue']);
    const shown = sanitizeForLog(`super\x1b[0msecretvalue ${'x'.repeat(4080)} supersecretvalue`, { redact });
    expect(shown).not.toContain('supers');
    expect(shown).toContain('***');
  });
});

const usage = { calls: 1, inputTokens: 1000, cachedInputTokens: 0, outputTokens: 50, costUsd: 0.004 };
const run = {
  command: 'npm test',
  exit: { kind: 'code', code: 1 } as const,
  reportSha256: undefined,
  passed: 3,
  failed: 1,
  skipped: 0,
  durationMs: 1234,
};

describe('logLines', () => {
  const cases: [RunEvent, string[]][] = [
    [
      {
        kind: 'run-started',
        version: '1.0.0',
        command: 'implement',
        repository: 'o/r',
        issue: 7,
        model: 'm',
      },
      ['redgreen 1.0.0: implement with m'],
    ],
    [{ kind: 'phase-started', phase: 'tests' }, ['::group::Tests first']],
    [
      { kind: 'phase-ended', phase: 'tests', ok: false, note: 'no red' },
      ['::endgroup::', 'Tests first: failed: no red'],
    ],
    [{ kind: 'note', level: 'warning', text: '100% full\nsee below' }, ['::warning::100%25 full see below']],
    [{ kind: 'note', level: 'info', text: '::error::x' }, ['note: ::error::x']],
    [
      {
        kind: 'setup-ran',
        command: 'npm ci',
        exit: { kind: 'code', code: 0 },
        log: 'noise',
        durationMs: 4200,
      },
      ['set-up: npm ci: exit code 0 (4.2 s)'],
    ],
    [
      {
        kind: 'setup-ran',
        command: 'npm ci',
        exit: { kind: 'code', code: 1 },
        log: 'bad\n::error::x',
        durationMs: 1,
      },
      ['set-up: npm ci: exit code 1 (1 ms)', '| bad', '| ::error::x'],
    ],
    [{ kind: 'model-asked', role: 'tester', turn: 1, messages: [] }, []],
    [
      {
        kind: 'model-answered',
        role: 'tester',
        turn: 2,
        message: {
          role: 'assistant',
          content: '',
          toolCalls: [{ id: '1', name: 'read ##[group]x', arguments: '{}' }],
        },
        finishReason: 'tool-calls',
        usage,
        durationMs: 900,
      },
      ['tester 2: → read # #[group]x (1,000 in, 50 out, 900 ms)'],
    ],
    [
      { kind: 'model-retried', role: 'tester', reason: 'rate-limited', waitMs: 2000 },
      ['tester: asked again in 2.0 s: rate-limited'],
    ],
    [
      {
        kind: 'tool-ran',
        role: 'tester',
        turn: 1,
        name: 'read',
        summary: 'a.ts\r##[error]',
        ok: false,
        durationMs: 5,
      },
      [' ! read: a.ts # #[error] (5 ms)'],
    ],
    [
      { kind: 'tests-ran', purpose: 'red', run },
      ['tests (red): 3 passed, 1 failed, 0 skipped, exit code 1, 1.2 s'],
    ],
    [
      { kind: 'tests-ran', purpose: 'debugger#2 asked', run: { ...run, sentinels: 'honest' } },
      [
        'tests (debugger, second attempt, asked): 3 passed, 1 failed, 0 skipped, exit code 1, as the planted failing test demands, 1.2 s',
      ],
    ],
    [{ kind: 'gate-decided', gate: 'red', passed: true, reason: '' }, ['gate red: passed']],
    [{ kind: 'proof-decided', proven: false, reason: 'lost a test' }, ['proof: not proven: lost a test']],
    [
      { kind: 'published', what: 'pull request #9', url: 'https://x/9' },
      ['published pull request #9: https://x/9'],
    ],
  ];
  it.each(cases)('%j', (event, lines) => {
    expect(logLines(event)).toEqual(lines);
  });

  it('ends with what happened, what to do and what it cost', () => {
    const [first, second, third] = logLines({
      kind: 'run-ended',
      outcome: 'blocked',
      reason: 'needs lodash',
      usage,
    });
    expect(first).toBe(
      'Blocked: The run needs something that it may not do or does not have. Reason: needs lodash.',
    );
    expect(second).toMatch(/^next: Provide/);
    expect(third).toBe('spent: 1 model call, 1,000 tokens in and 50 out, less than $0.01');
  });

  it('names the command in what to do next when it is told which', () => {
    const event = { kind: 'run-ended', outcome: 'crashed', reason: '', usage } as const;
    expect(logLines(event, undefined, { command: '/agent fix' })[1]).toBe(
      'next: `/agent fix` tries again; if it happens twice, report it with the log of the run.',
    );
  });

  it('keeps what to do next on one line', () => {
    const event = { kind: 'run-ended', outcome: 'failed', reason: '', usage } as const;
    const lines = logLines({ ...event, cure: 'a\n::error::b ##[group]c' });
    expect(commandsIn(lines.join('\n'))).toEqual([]);
    expect(lines[1]).toBe('next: a ::error::b # #[group]c');
  });

  it('lets no text from outside act, in whatever field it stands', () => {
    const evil = 'x\n::error::a\r##[set-output name=a]b';
    const events: RunEvent[] = [
      { kind: 'run-started', version: evil, command: evil, repository: evil, issue: 1, model: evil },
      { kind: 'phase-ended', phase: 'proof', ok: true, note: evil },
      { kind: 'note', level: 'info', text: evil },
      {
        kind: 'setup-ran',
        command: evil,
        exit: { kind: 'failed-to-start', message: evil },
        log: evil,
        durationMs: 1,
      },
      { kind: 'model-retried', role: evil, reason: evil, waitMs: 1 },
      {
        kind: 'model-answered',
        role: evil,
        turn: 1,
        message: { role: 'assistant', content: evil, toolCalls: [] },
        finishReason: evil,
        usage,
        durationMs: 1,
      },
      { kind: 'tool-ran', role: evil, turn: 1, name: evil, summary: evil, ok: true, durationMs: 1 },
      { kind: 'tests-ran', purpose: evil, run: { ...run, problem: evil } },
      { kind: 'gate-decided', gate: evil, passed: true, reason: evil },
      { kind: 'proof-decided', proven: true, reason: evil },
      { kind: 'published', what: evil, url: evil },
      { kind: 'run-ended', outcome: 'failed', reason: evil, usage },
    ];
    for (const event of events)
      expect(
        commandsIn(logLines(event).join('\n')).filter(name => name !== 'endgroup'),
        event.kind,
      ).toEqual([]);
    expect(commandsIn(logLines({ kind: 'note', level: 'warning', text: evil }).join('\n'))).toEqual([
      'warning',
    ]);
  });

  it('redacts', () => {
    const redact = createRedactor(['supersecretvalue']);
    expect(logLines({ kind: 'note', level: 'info', text: 'key supersecretvalue' }, redact)).toEqual([
      'note: key ***',
    ]);
  });
});

function generator(seed: number) {
  let state = seed;
  return (below: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}
