import type { TestCase, TestReport } from '../types.ts';
import type { Baseline } from './baseline.ts';
import { isGoodRed } from './verdict.ts';

export type RedGate =
  | { readonly passed: true; readonly newTests: readonly string[] }
  | { readonly passed: false; readonly problems: readonly string[] };

/**
 * Are the new tests red for the right reason? `report` is a run of the new and changed test files on base and stubs.
 * Every new test must fail by assertion or not-implemented; old tests in the same files must do what they did.
 */
export function judgeRed(report: TestReport, baseline: Baseline): RedGate {
  const known = new Set([...baseline.passed, ...baseline.failed, ...baseline.skipped, ...baseline.flaky]);
  const passed = new Set(baseline.passed);
  const fresh = report.cases.filter(test => !known.has(test.id));
  const problems = [
    ...report.fileErrors.map(error => `${error.file} could not be run: ${firstLines(error.message)}`),
    ...grouped([...fresh.flatMap(complaint), ...report.cases.flatMap(test => oldComplaint(test, passed))]),
  ];
  if (problems.length > 0) return { passed: false, problems };
  if (fresh.length === 0)
    return { passed: false, problems: ['No new test was found in the changed test files.'] };
  return { passed: true, newTests: fresh.map(test => test.id) };
}

interface Complaint {
  readonly test: TestCase;
  /** What is wrong, as a predicate: the same for all tests that share it. */
  readonly what: string;
}

function complaint(test: TestCase): Complaint[] {
  const about = (what: string) => [{ test, what }];
  if (test.status === 'passed')
    return about(
      'passes although nothing is implemented yet, so it proves nothing: make it check behaviour that is missing, or remove it',
    );
  if (test.status !== 'failed') return about(`is ${test.status}; a test that does not run proves nothing`);
  const kind = test.failure?.kind ?? 'error';
  if (isGoodRed(kind)) return [];
  const why =
    { 'missing-symbol': 'a missing name', timeout: 'a time-out', error: 'an unexpected error' }[
      kind as 'error'
    ] ?? kind;
  return about(
    `fails by ${why}, not by an assertion or a stub: ${firstLines(test.failure?.message ?? 'no message')}`,
  );
}

function oldComplaint(test: TestCase, passed: ReadonlySet<string>): Complaint[] {
  if (test.status === 'passed' || !passed.has(test.id)) return [];
  return [{ test, what: `passed before and is ${test.status} now; leave existing tests as they are` }];
}

/** One line for all tests with the same complaint. */
function grouped(complaints: readonly Complaint[]): string[] {
  const groups = Map.groupBy(complaints, each => each.what);
  return [...groups].map(([what, each]) => {
    const [first] = each;
    const names = each.slice(0, 3).map(({ test }) => `"${test.name}"`);
    if (each.length === 1) return `${names[0]} (${first?.test.file}) ${what}`;
    return `${each.length} tests, such as ${names.join(', ')}: each ${what}`;
  });
}

const firstLines = (text: string): string => text.split('\n').slice(0, 4).join('\n').slice(0, 500);
