import { describe, expect, it } from 'vitest';
import { judgeInverted, judgePinned } from '../../src/evidence/inverted-tests.ts';
import type { TestCase, TestFailure, TestReport } from '../../src/types.ts';

const FILE = 'test/a.test.js';
const baseline = { passed: [`${FILE}::old`], failed: [], skipped: [], flaky: [], brokenFiles: [] };
const passing = (name: string): TestCase => ({ id: `${FILE}::${name}`, file: FILE, name, status: 'passed' });
const failing = (name: string, failure: Partial<TestFailure> = {}): TestCase => ({
  ...passing(name),
  status: 'failed',
  failure: { kind: 'assertion', message: 'expected 1, got 2', ...failure },
});
const report = (...cases: TestCase[]): TestReport => ({ cases: [passing('old'), ...cases], fileErrors: [] });

describe('the first move', () => {
  it('pins behaviour down by new tests that pass', () => {
    expect(judgePinned(report(passing('a'), passing('b')), baseline)).toEqual({
      ids: [`${FILE}::a`, `${FILE}::b`],
    });
  });

  it.each([
    ['a test that fails', report(failing('a')), 'expects what the code does now'],
    ['a test that is skipped', report({ ...passing('a'), status: 'skipped' }), 'is skipped'],
    ['no new test', report(), 'No new test was found'],
    [
      'a file that can not be run',
      { cases: [], fileErrors: [{ file: FILE, message: 'x' }] },
      'could not be run',
    ],
  ])('does not accept %s', (_what, given, said) => {
    const judged = judgePinned(given, baseline);
    expect('problems' in judged && judged.problems.join()).toContain(said);
  });
});

describe('the second move', () => {
  const judged = (...cases: TestCase[][]) =>
    judgeInverted({
      reports: cases.map(each => report(...each)),
      baseline,
      pinned: [`${FILE}::a`],
      isOwnCode: path => path === 'src/a.js',
    });
  const thrice = (test: TestCase) => judged([test], [test], [test]);
  const problemsOf = (result: ReturnType<typeof judged>) =>
    'problems' in result ? result.problems.join() : '';

  it('turns the same tests around, and they fail each time in the same way', () => {
    const result = thrice(failing('a'));
    expect('marks' in result && [...result.marks.keys()]).toEqual([`${FILE}::a`]);
  });

  it('may fail by an error that the repository’s own code throws', () => {
    const stack = 'TypeError: x\n    at parse (src/a.js:3:4)\n    at test/a.test.js:9:1';
    expect('marks' in thrice(failing('a', { kind: 'error', message: 'TypeError: x', stack }))).toBe(true);
  });

  it('looks at the innermost frame that is no dependency’s, whichever end of the stack that is', () => {
    const own = (stack: string) =>
      'marks' in thrice(failing('a', { kind: 'error', message: 'Error: x', stack }));
    expect(own('Error: x\n    at fake (test/a.test.js:2:1)\n    at each (src/a.js:3:4)')).toBe(false);
    expect(
      own(
        'Error: x\n    at node:internal/x:1:1\n    at go (node_modules/b/c.js:1:1)\n    at f (src/a.js:3:4)',
      ),
    ).toBe(true);
    expect(own('test/a.test.js:9: \nsrc/a.js:3: TypeError')).toBe(true);
    expect(own('src/a.js:3: \ntest/a.test.js:9: TypeError')).toBe(false);
  });

  it.each([
    ['by an error of the test alone', { kind: 'error', stack: 'at test/a.test.js:9:1' }, 'own code'],
    ['by a missing name', { kind: 'missing-symbol' }, 'missing-symbol'],
    ['by a time-out', { kind: 'timeout' }, 'timeout'],
  ] as const)('does not count %s', (_what, failure, said) => {
    expect(problemsOf(thrice(failing('a', failure)))).toContain(said);
  });

  it('does not count what fails now and then, passes, is gone, or was never pinned down', () => {
    expect(problemsOf(judged([failing('a')], [passing('a')], [failing('a')]))).toContain('deterministic');
    expect(problemsOf(thrice(passing('a')))).toContain('still passes');
    expect(problemsOf(judged([], [], []))).toContain('is gone');
    expect(problemsOf(judged([failing('a'), failing('b')]))).toContain('was not there in the first move');
  });

  it('leaves existing tests as they are', () => {
    const old = { ...failing('old') };
    const result = judgeInverted({
      reports: [{ cases: [old, failing('a')], fileErrors: [] }],
      baseline,
      pinned: [`${FILE}::a`],
      isOwnCode: () => false,
    });
    expect(problemsOf(result)).toContain('leave existing tests as they are');
  });

  it('reads a hostile stack in no time', () => {
    const stack = `${'('.repeat(100_000)}${'a:'.repeat(100_000)}`;
    expect(problemsOf(thrice(failing('a', { kind: 'error', stack })))).toContain('own code');
  });
});
