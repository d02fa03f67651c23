import { describe, expect, it } from 'vitest';
import { failureMark, isSameFailure } from '../../src/evidence/failure-mark.ts';
import { fileOfId, wholeFileId, withFileCases } from '../../src/evidence/file-cases.ts';
import { judgeReproduction } from '../../src/evidence/reproduction.ts';
import { judge } from '../../src/evidence/verdict.ts';
import type { TestCase, TestFailure, TestReport, TestRun } from '../../src/types.ts';

const FILE = 'test/a.test.js';
const passing = (name: string): TestCase => ({ id: `${FILE}::${name}`, file: FILE, name, status: 'passed' });
const failing = (name: string, message: string, kind: TestFailure['kind'] = 'assertion'): TestCase => ({
  ...passing(name),
  status: 'failed',
  failure: { kind, message },
});
const report = (...cases: TestCase[]): TestReport => ({ cases, fileErrors: [] });
const broken = (message: string): TestReport => ({ cases: [], fileErrors: [{ file: FILE, message }] });

describe('a failure', () => {
  it('is the same when only numbers, addresses, ids and paths differ', () => {
    const one = failing('x', 'took 12 ms at 0xff12 in /tmp/a1/b for 123e4567-e89b-12d3-a456-426614174000');
    const two = failing('x', 'took 7 ms at 0x01 in /tmp/q/b for 00000000-e89b-12d3-a456-426614174abc');
    expect(isSameFailure(failureMark(one), failureMark(two))).toBe(true);
  });

  it.each([
    ['another message', failing('x', 'expected a, got c')],
    ['another kind', failing('x', 'expected a, got b', 'error')],
  ])('is another one with %s', (_what, other) => {
    expect(isSameFailure(failureMark(failing('x', 'expected a, got b')), failureMark(other))).toBe(false);
  });
});

describe('a reproduction', () => {
  it('holds what failed in every run, the same way', () => {
    const { steady, unsteady } = judgeReproduction([
      report(failing('a', 'no'), failing('b', 'no'), failing('c', 'no'), passing('d')),
      report(failing('a', 'no'), passing('b'), failing('c', 'why'), passing('d')),
      report(failing('a', 'no'), failing('b', 'no'), failing('c', 'no'), passing('d')),
    ]);
    expect([...steady.keys()]).toEqual([`${FILE}::a`]);
    expect(unsteady).toEqual([`${FILE}::b`, `${FILE}::c`]);
  });

  it('takes a test that is missing from a run for one that did not fail there', () => {
    const { steady, unsteady } = judgeReproduction([report(failing('a', 'no')), report()]);
    expect([...steady.keys()]).toEqual([]);
    expect(unsteady).toEqual([`${FILE}::a`]);
  });

  it('knows a file that can not be loaded as a whole', () => {
    const { steady } = judgeReproduction([broken('Cannot find x'), broken('Cannot find x')]);
    expect([...steady]).toEqual([[wholeFileId(FILE), { kind: 'error', said: 'Cannot find x' }]]);
  });

  it('does not take a file that loads now and then for a steady failure', () => {
    const { steady, unsteady } = judgeReproduction([broken('x'), report(passing('a'))]);
    expect([...steady.keys()]).toEqual([]);
    expect(unsteady).toEqual([wholeFileId(FILE)]);
  });
});

describe('a file as a whole', () => {
  it('passes only when it has tests and every one of them passes', () => {
    const statusOf = (given: TestReport) => withFileCases(given, [FILE]).at(-1)?.status;
    const skipped: TestCase = { ...passing('b'), status: 'skipped' };
    expect(statusOf(broken('x'))).toBe('failed');
    expect(statusOf(report(passing('a')))).toBe('passed');
    expect(statusOf(report(passing('a'), failing('b', 'no')))).toBe('failed');
    expect(statusOf(report(passing('a'), skipped))).toBe('failed');
    expect(withFileCases(report(), [FILE])).toEqual([]);
  });

  it('need not pass what was skipped or red on the base already', () => {
    const skipped: TestCase = { ...passing('b'), status: 'skipped' };
    const given = report(passing('a'), skipped, failing('c', 'no'));
    expect(withFileCases(given, [FILE], [`${FILE}::b`, `${FILE}::c`]).at(-1)?.status).toBe('passed');
  });

  it('has an id that no test has', () => {
    expect(fileOfId(wholeFileId(FILE))).toBe(FILE);
    expect(fileOfId(`${FILE}::a`)).toBeUndefined();
  });
});

describe('the verdict on a fix', () => {
  const run = (given: TestReport): TestRun => ({
    command: 'x',
    exit: { kind: 'code', code: 1 },
    report: given,
    log: '',
    durationMs: 1,
    sentinels: { honest: true },
  });
  const baseline = { passed: [`${FILE}::old`], failed: [], skipped: [], flaky: [], brokenFiles: [] };
  const error = failing('a', 'TypeError: x is undefined', 'error');
  const id = error.id;
  const judged = (red: TestReport, green = report(passing('a'), passing('old'))) =>
    judge({
      baseline,
      red: run(red),
      green: run(green),
      suite: run(green),
      newTests: [id],
      expected: new Map([[id, failureMark(error)]]),
    });

  it('accepts any failure as red, when it is the one that was reproduced', () => {
    expect(judged(report(error))).toMatchObject({ proven: true, failToPass: [{ id, before: 'error' }] });
  });

  it('does not accept another failure, nor a test that passes or is missing without the change', () => {
    for (const red of [report(failing('a', 'AssertionError: no')), report(passing('a')), report()]) {
      expect(judged(red)).toMatchObject({
        proven: false,
        reason: expect.stringContaining('do not fail as they did when the failure was reproduced'),
      });
    }
  });

  it('does not hold when a test fails that was never seen before the change', () => {
    const other = { ...failing('x', 'no'), id: 'test/b.test.js::x', file: 'test/b.test.js' };
    const verdict = judge({
      baseline,
      red: run(report(error)),
      green: run(report(passing('a'))),
      suite: run(report(passing('a'), passing('old'), other)),
      newTests: [id],
      expected: new Map([[id, failureMark(error)]]),
    });
    expect(verdict.proven).toBe(false);
    expect(verdict.reason).toContain('tests fail that were not seen before the change: test/b.test.js::x');
  });

  it('does not hold when what had pinned the bug down passes with the change', () => {
    const pinned = (status: TestCase) =>
      judge({
        baseline,
        red: run(report(error)),
        green: run(report(passing('a'))),
        suite: run(report(passing('a'), passing('old'))),
        newTests: [id],
        expected: new Map([[id, failureMark(error)]]),
        pinned: run(report(status)),
      });
    expect(pinned(failing('a', 'AssertionError: 1 != 2'))).toMatchObject({ proven: true });
    expect(pinned(passing('a')).reason).toContain('did not describe it');
  });

  it('does not hold when a test of a file that could not be loaded fails after the change', () => {
    const whole = wholeFileId(FILE);
    const verdict = (green: TestReport) =>
      judge({
        baseline: { ...baseline, passed: [] },
        red: run(broken('SyntaxError: x')),
        green: run(green),
        suite: run(green),
        newTests: [whole],
        expected: new Map([[whole, { kind: 'error', said: 'SyntaxError: x' }]]),
      });
    expect(verdict(report(passing('a'), passing('b')))).toMatchObject({ proven: true });
    expect(verdict(report(passing('a'), failing('b', 'no')))).toMatchObject({ proven: false });
    expect(verdict(report())).toMatchObject({ proven: false });
  });
});
