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
  const fresh = report.cases.filter(test => !known.has(test.id));
  const problems = [
    ...report.fileErrors.map(error => `${error.file} could not be run: ${firstLines(error.message)}`),
    ...fresh
      .filter(test => test.status === 'passed')
      .map(
        test =>
          `"${test.name}" (${test.file}) passes although nothing is implemented yet, so it proves nothing. Make it check behaviour that is missing, or remove it.`,
      ),
    ...fresh
      .filter(test => test.status === 'skipped' || test.status === 'todo')
      .map(
        test => `"${test.name}" (${test.file}) is ${test.status}. A test that does not run proves nothing.`,
      ),
    ...fresh.filter(failsBadly).map(badRed),
    ...brokenOld(report.cases, baseline),
  ];
  if (problems.length > 0) return { passed: false, problems };
  if (fresh.length === 0)
    return { passed: false, problems: ['No new test was found in the changed test files.'] };
  return { passed: true, newTests: fresh.map(test => test.id) };
}

const failsBadly = (test: TestCase): boolean =>
  test.status === 'failed' && !isGoodRed(test.failure?.kind ?? 'error');

function badRed(test: TestCase): string {
  const kind = test.failure?.kind ?? 'error';
  const why =
    { 'missing-symbol': 'a missing name', timeout: 'a time-out', error: 'an unexpected error' }[
      kind as 'error'
    ] ?? kind;
  return `"${test.name}" (${test.file}) fails by ${why}, not by an assertion or a stub: ${firstLines(test.failure?.message ?? 'no message')}`;
}

function brokenOld(cases: readonly TestCase[], baseline: Baseline): string[] {
  const passed = new Set(baseline.passed);
  return cases
    .filter(test => passed.has(test.id) && test.status !== 'passed')
    .map(
      test =>
        `"${test.name}" (${test.file}) passed before and is ${test.status} now. Leave existing tests as they are.`,
    );
}

const firstLines = (text: string): string => text.split('\n').slice(0, 4).join('\n').slice(0, 500);
