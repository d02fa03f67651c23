import { describe, expect, it } from 'vitest';
import { summarizeBaseline } from '../../src/evidence/baseline.ts';
import { judge } from '../../src/evidence/verdict.ts';
import type { FailureKind, TestCase, TestReport, TestRun } from '../../src/types.ts';

/** One word a test: `a` passes, `!a` fails by assertion, `?a` by a missing name, `-a` is skipped. */
const report = (words: string, fileErrors: string[] = []): TestReport => ({
  cases: words.split(' ').filter(Boolean).map(testCase),
  fileErrors: fileErrors.map(file => ({ file, message: 'cannot be loaded' })),
});

function testCase(word: string): TestCase {
  const id = word.replace(/^[!?-]/, '');
  const kinds: Record<string, FailureKind> = { '!': 'assertion', '?': 'missing-symbol' };
  const kind = kinds[word[0] ?? ''];
  return {
    id,
    file: 't',
    name: id,
    status: kind ? 'failed' : word.startsWith('-') ? 'skipped' : 'passed',
    ...(kind && { failure: { kind, message: 'no' } }),
  };
}

const run = (words: string, more: Partial<TestRun> = {}): TestRun => ({
  command: 'npm test',
  exit: { kind: 'code', code: 1 },
  report: report(words),
  log: '',
  durationMs: 1,
  sentinels: { honest: true },
  ...more,
});

const evidence = (baseline: string, red: string, green: string, suite: string, newTests = 'n') => ({
  baseline: summarizeBaseline([report(baseline)]),
  red: run(red),
  green: run(green),
  suite: run(suite),
  newTests: newTests.split(' ').filter(Boolean),
});

describe('judge', () => {
  it.each([
    ['red then green is proof', 'a', '!n', 'n', 'a n', ''],
    ['an old failure is not ours', 'a !z', '!n', 'n', 'a !z n', ''],
    ['an old failure that is mended is welcome', 'a !z', '!n', 'n', 'a z n', ''],
    ['green from the start proves nothing', 'a', 'n', 'n', 'a n', 'did not fail for a good reason'],
    ['red by a missing name is not a good red', 'a', '?n', 'n', 'a n', 'n (missing-symbol)'],
    ['a new test that was skipped before', 'a', '-n', 'n', 'a n', 'n (skipped)'],
    ['a new test that was not there before', 'a', 'a', 'n', 'a n', 'n (missing)'],
    ['still red', 'a', '!n', '!n', 'a !n', 'do not pass with the change: n (failed)'],
    ['a new test skipped with the change', 'a', '!n', '-n', 'a -n', 'n (skipped)'],
    ['a new test gone with the change', 'a', '!n', '', 'a', 'n (missing)'],
    ['a new test that fails only in the whole suite', 'a', '!n', 'n', 'a !n', 'in the whole suite: n'],
    ['an old test broken', 'a b', '!n', 'n', 'a !b n', 'no longer pass: b'],
    ['an old test skipped', 'a b', '!n', 'n', 'a -b n', 'no longer pass: b'],
    ['an old test deleted', 'a b', '!n', 'n', 'a n', 'no longer run: b'],
  ])('%s', (_title, baseline, red, green, suite, reason) => {
    const verdict = judge(evidence(baseline, red, green, suite));
    expect(verdict.proven).toBe(reason === '');
    expect(verdict.reason).toContain(reason);
  });

  it('proves nothing without a new test', () => {
    expect(judge(evidence('a', 'a', 'a', 'a', '')).reason).toContain('no new test');
  });

  it('does not count a flaky test as broken', () => {
    const baseline = summarizeBaseline([report('a f'), report('a !f')]);
    expect(baseline.flaky).toEqual(['f']);
    expect(judge({ ...evidence('a', '!n', 'n', 'a !f n'), baseline }).proven).toBe(true);
  });

  it.each(['red', 'green', 'suite'] as const)(
    'believes nothing when a sentinel of the %s run is misreported',
    name => {
      const good = evidence('a', '!n', 'n', 'a n');
      const verdict = judge({
        ...good,
        [name]: { ...good[name], sentinels: { honest: false, reason: 'the failing one passed' } },
      });
      expect(verdict.reason).toMatch(/tampered with: the failing one passed/);
    },
  );

  it.each(['red', 'green', 'suite'] as const)('needs the report of the %s run', name => {
    const good = evidence('a', '!n', 'n', 'a n');
    const { report: _, ...without } = good[name];
    const verdict = judge({ ...good, [name]: { ...without, problem: 'timed out' } });
    expect(verdict.reason).toMatch(/gave no report: timed out/);
  });

  it('does not accept a run whose exit code and report disagree', () => {
    const good = evidence('a', '!n', 'n', 'a n');
    expect(judge({ ...good, suite: { ...good.suite, problem: 'exit 0 with failures' } }).reason).toContain(
      'can not be trusted',
    );
  });

  it('names test files that can not be loaded any more', () => {
    const good = evidence('a', '!n', 'n', 'a n');
    const suite = { ...good.suite, report: report('a n', ['old.test.js']) };
    expect(judge({ ...good, suite }).reason).toContain('old.test.js');
  });
});
