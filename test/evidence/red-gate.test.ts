import { describe, expect, it } from 'vitest';
import { summarizeBaseline } from '../../src/evidence/baseline.ts';
import { judgeRed } from '../../src/evidence/red-gate.ts';
import type { FailureKind, TestCase } from '../../src/types.ts';

const failing = (id: string, kind: FailureKind): TestCase => ({
  id,
  file: 't.js',
  name: id,
  status: 'failed',
  failure: { kind, message: `${kind} in ${id}` },
});
const passing = (id: string): TestCase => ({ id, file: 't.js', name: id, status: 'passed' });
const baseline = summarizeBaseline([{ cases: [passing('old')], fileErrors: [] }]);
const gate = (...cases: TestCase[]) => judgeRed({ cases, fileErrors: [] }, baseline);

describe('the red gate', () => {
  it.each(['assertion', 'not-implemented'] as const)('takes a failure by %s', kind => {
    expect(gate(failing('n', kind), passing('old'))).toEqual({ passed: true, newTests: ['n'] });
  });

  it.each(['missing-symbol', 'timeout', 'error'] as const)(
    'refuses a failure by %s and says what the test said',
    kind => {
      const result = gate(failing('n', kind));
      expect(result.passed).toBe(false);
      expect(!result.passed && result.problems[0]).toContain(`${kind} in n`);
    },
  );

  it('refuses a new test that passes already, by name', () => {
    const result = gate(failing('n', 'assertion'), passing('vacuous'));
    expect(!result.passed && result.problems).toEqual([expect.stringContaining('"vacuous"')]);
  });

  it('refuses a new test that is skipped', () => {
    expect(gate({ ...passing('s'), status: 'skipped' }).passed).toBe(false);
  });

  it('refuses when an old test in the same file no longer passes', () => {
    const result = gate(failing('n', 'assertion'), failing('old', 'assertion'));
    expect(!result.passed && result.problems.join()).toContain('"old"');
  });

  it('judges forty thousand old tests that fail in a moment', () => {
    const ids = Array.from({ length: 40_000 }, (_, i) => `a rather long name of a test, number ${i}`);
    const before = summarizeBaseline([{ cases: ids.map(passing), fileErrors: [] }]);
    const cases = ids.map(id => failing(id, 'assertion'));
    const started = performance.now();
    expect(judgeRed({ cases, fileErrors: [] }, before).passed).toBe(false);
    expect(performance.now() - started).toBeLessThan(1_500);
  });

  it('refuses a file that can not be run, and one without a new test', () => {
    expect(
      judgeRed({ cases: [], fileErrors: [{ file: 't.js', message: 'SyntaxError: x' }] }, baseline).passed,
    ).toBe(false);
    expect(gate(passing('old')).passed).toBe(false);
  });
});
