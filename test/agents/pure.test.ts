import { describe, expect, it } from 'vitest';
import { openBudget } from '../../src/agents/budget.ts';
import { cutMiddle, cutOutput, plain } from '../../src/agents/cut-text.ts';
import { elideOldResults } from '../../src/agents/elide.ts';
import { failureSignature, failureSummary } from '../../src/agents/failure-summary.ts';
import { quotedData } from '../../src/agents/prompts/quoted-data.ts';
import { orderSpecs } from '../../src/agents/spec-order.ts';
import { sandboxPath } from '../../src/agents/tools/sandbox-path.ts';
import { differing, restoration } from '../../src/agents/tree-state.ts';
import { summarizeBaseline } from '../../src/evidence/baseline.ts';
import type { FileChange, Message, TestCase, TestRun } from '../../src/types.ts';

describe('orderSpecs', () => {
  const spec = (name: string, ...dependencies: string[]) => ({
    name,
    file: 'a.js',
    purpose: 'p',
    dependencies,
  });

  it('puts dependencies first and leaves existing code out of it', () => {
    const order = orderSpecs([spec('c', 'b'), spec('b', 'a', 'readFile'), spec('a')]);
    expect(order.ok && order.functions.map(each => each.name)).toEqual(['a', 'b', 'c']);
  });

  it('names a cycle', () => {
    expect(orderSpecs([spec('a', 'b'), spec('b', 'c'), spec('c', 'a')])).toMatchObject({
      ok: false,
      problem: expect.stringContaining('a → b → c → a'),
    });
    expect(orderSpecs([spec('a', 'a')]).ok).toBe(false);
  });

  it('refuses two functions of one name', () => {
    expect(orderSpecs([spec('a'), spec('a')]).ok).toBe(false);
  });
});

describe('tree state', () => {
  const file = (path: string, text: string) => ({ path, mode: '100644' as const, bytes: Buffer.from(text) });
  const modified = (path: string, text: string): FileChange => ({
    path,
    status: 'modified',
    before: file(path, 'base'),
    after: file(path, text),
  });
  const added = (path: string, text: string): FileChange => ({
    path,
    status: 'added',
    after: file(path, text),
  });
  const deleted = (path: string): FileChange => ({ path, status: 'deleted', before: file(path, 'base') });

  it('finds what differs between two states', () => {
    expect(differing([modified('a', '1'), added('b', '1')], [modified('a', '1'), added('c', '1')])).toEqual([
      'b',
      'c',
    ]);
    expect(differing([modified('a', '1')], [modified('a', '2')])).toEqual(['a']);
    expect(differing([deleted('a')], [])).toEqual(['a']);
  });

  it('puts back to an earlier state, to the base, and removes what is new', () => {
    const now = [modified('a', 'new'), added('b', 'new'), deleted('c'), added('d', 'new')];
    const then = [modified('a', 'old'), added('e', 'old')];
    const { write, remove } = restoration(now, then, differing(now, then));
    expect(write.map(each => `${each.path}=${each.bytes}`)).toEqual(['a=old', 'c=base', 'e=old']);
    expect(remove).toEqual(['b', 'd']);
  });
});

describe('the budget', () => {
  const limits = { maxSteps: 10, maxTokens: 1000, maxCostUsd: 1, deadline: 60_000 };
  const usage = {
    calls: 1,
    inputTokens: 10,
    cachedInputTokens: 0,
    outputTokens: 1,
    costUsd: 0.01 as number | undefined,
  };

  it.each([
    ['steps', { ...usage, calls: 10 }],
    ['tokens', { ...usage, inputTokens: 1000 }],
    ['cost', { ...usage, costUsd: 1 }],
  ])('ends by %s', (name, spent) => {
    const budget = openBudget(limits, () => 0);
    expect(budget.exhausted()).toBeUndefined();
    budget.add(spent);
    expect(budget.exhausted()).toContain(name);
  });

  it('ends by time and is low before', () => {
    let now = 0;
    const budget = openBudget(limits, () => now);
    now = 50_000;
    expect([budget.isLow(), budget.exhausted()]).toEqual([true, undefined]);
    now = 60_000;
    expect(budget.exhausted()).toContain('time');
  });

  it('does not know the sum once one cost is not known', () => {
    const budget = openBudget(limits, () => 0);
    budget.add(usage);
    budget.add({ ...usage, costUsd: undefined });
    expect(budget.spent()).toMatchObject({ calls: 2, costUsd: undefined });
    expect(budget.left()).not.toContain('$');
  });
});

describe('text for the model', () => {
  it('keeps head, tail and the error lines between after a failure', () => {
    const lines = Array.from({ length: 3000 }, (_, i) =>
      i === 1500 ? 'TypeError: in the middle' : `line ${i}`,
    );
    const cut = cutOutput(lines.join('\n'), true);
    expect(cut.length).toBeLessThan(13_500);
    expect(cut).toContain('line 0\n');
    expect(cut).toContain('line 2999');
    expect(cut).toContain('TypeError: in the middle');
    expect(cutOutput(lines.join('\n'), false)).not.toContain('TypeError');
  });

  it('folds repeats and progress lines, and strips escapes', () => {
    expect(cutOutput('a\nb\nb\nb\nc', false)).toBe('a\nb\n  (× 3)\nc');
    expect(plain('\u001b[31mred\u001b[0m\r\n10%\r100%')).toBe('red\n100%');
    expect(cutMiddle('x'.repeat(100), 60)).toHaveLength(cutMiddle('x'.repeat(100), 60).length);
    expect(cutMiddle('short', 60)).toBe('short');
  });

  it.each(['\u001b]', '\u001b[', '\u001b]x\n', '\u009b1;'])(
    'takes no long time for escapes that never end: %j',
    piece => {
      const started = performance.now();
      cutOutput(piece.repeat(500_000), true);
      expect(performance.now() - started).toBeLessThan(5_000);
    },
  );

  it('does not let data end its own quotation', () => {
    const quoted = quotedData('issue', 'a </data> b <data> c');
    expect(quoted.match(/<\/data>/g)).toHaveLength(1);
    expect(quoted.match(/<data/g)).toHaveLength(1);
  });

  it('keeps every tool answer when old ones are elided', () => {
    const messages: Message[] = Array.from({ length: 10 }, (_, i) => ({
      role: 'tool',
      toolCallId: `c${i}`,
      content: 'x'.repeat(1000),
    }));
    const elided = elideOldResults(messages);
    expect(elided).toHaveLength(10);
    expect(elided.filter(message => message.content.length < 1000)).toHaveLength(4);
    expect(elided.at(-1)?.content).toHaveLength(1000);
  });
});

describe('sandboxPath', () => {
  it.each([
    ['src/a.js', true, 'src/a.js'],
    ['./src/../a.js', true, 'a.js'],
    ['/w/b.js', true, 'b.js'],
    ['', true, '.'],
    ['../x', false, '/x'],
    ['/etc/passwd', false, '/etc/passwd'],
    ['/w-other/x', false, '/w-other/x'],
  ])('%s', (given, inside, path) => {
    expect(sandboxPath(given, '/w')).toEqual({ inside, path });
  });
});

describe('the failure summary', () => {
  const failing = (id: string, message = 'expected 1 to equal 2'): TestCase => ({
    id,
    file: 'test/a.test.js',
    name: id,
    line: 7,
    status: 'failed',
    failure: {
      kind: 'assertion',
      message,
      expected: '2',
      received: '1',
      stack: 'Error\n    at f (/w/src/a.js:3:1)\n    at node:internal/x:1:1',
    },
  });
  const passing = (id: string): TestCase => ({ id, file: 'test/a.test.js', name: id, status: 'passed' });
  const run = (...cases: TestCase[]): TestRun => ({
    command: 'node --test',
    exit: { kind: 'code', code: 1 },
    report: { cases, fileErrors: [] },
    log: '',
    durationMs: 1200,
  });
  const context = {
    workdir: '/w',
    baseline: summarizeBaseline([{ cases: [passing('old')], fileErrors: [] }]),
    newTests: ['n1', 'n2'],
    seen: new Map<string, number>(),
    full: true,
  };

  it('shows counts, newly broken tests first, values and frames of the repository', () => {
    const text = failureSummary(run(failing('n1'), passing('n2'), failing('old')), context);
    expect(text).toContain('1 pass, 2 fail');
    expect(text).toContain('new tests 1/2 pass');
    expect(text.indexOf('"old"')).toBeLessThan(text.indexOf('"n1"'));
    expect(text).toContain('[passed before!]');
    expect(text).toContain('expected: 2');
    expect(text).toContain('at f (src/a.js:3:1)');
    expect(text).not.toContain('node:internal');
  });

  it('counts a failure that comes back, whatever numbers it carries', () => {
    const first = failing('n1', 'took 12 ms at 0xff');
    const seen = new Map([[failureSignature(failing('n1', 'took 99 ms at 0xab')), 2]]);
    expect(failureSummary(run(first), { ...context, seen })).toContain('(same failure ×3)');
  });

  it('stays short whatever fails', () => {
    const many = Array.from({ length: 300 }, (_, i) => failing(`t${i}`, 'x'.repeat(5000)));
    expect(failureSummary(run(...many), context).length).toBeLessThanOrEqual(6_000);
  });

  it('is made soon of twenty thousand broken tests and a name of brackets', () => {
    const ids = Array.from({ length: 20_000 }, (_, i) => `a rather long name of a test, number ${i}`);
    const baseline = summarizeBaseline([{ cases: ids.map(passing), fileErrors: [] }]);
    const broken = [...ids.map(id => failing(id)), failing('['.repeat(100_000))];
    const started = performance.now();
    expect(failureSummary(run(...broken), { ...context, baseline })).toContain('20001 fail');
    expect(performance.now() - started).toBeLessThan(2_000);
  });

  it('shows parameters of one test as one thing', () => {
    const text = failureSummary(run(failing('t[1-[2]]'), failing('t[3]'), failing('u')), context);
    expect(text).toContain('the same in 1 more: "t[3]"');
  });

  it('shows the end of the log when there is no report', () => {
    const { report: _, ...without } = run();
    expect(failureSummary({ ...without, problem: 'timed out', log: 'last words' }, context)).toMatch(
      /timed out[\s\S]*last words/,
    );
  });
});
