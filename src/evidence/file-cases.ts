import type { TestCase, TestFailure, TestReport } from '../types.ts';

/** Ends the id that stands for a test file as a whole. */
const WHOLE_FILE = '::(the file as a whole)';

/** The id of a test file as a whole: what is red when a file can not be loaded. */
export const wholeFileId = (file: string): string => `${file}${WHOLE_FILE}`;

/** The file that an id stands for as a whole; undefined for the id of a test. */
export const fileOfId = (id: string): string | undefined =>
  id.endsWith(WHOLE_FILE) ? id.slice(0, -WHOLE_FILE.length) : undefined;

/**
 * The cases of a report with one more for each file that is meant as a whole: failed when the file could not be loaded or one of its tests
 * does not pass, passed when it was loaded, has tests, and all of them pass. Tests in `exempt` need not: they were skipped or red on the base
 * already. A file that did not run at all has none.
 */
export function withFileCases(
  report: TestReport | undefined,
  files: readonly string[],
  exempt: readonly string[] = [],
): readonly TestCase[] {
  if (!report) return [];
  const excused = new Set(exempt);
  const whole = files.flatMap(file => wholeFileCase(report, file, excused));
  return whole.length === 0 ? report.cases : [...report.cases, ...whole];
}

const failureOf = ({ name, status, failure }: TestCase): TestFailure =>
  failure ?? { kind: 'error', message: `"${name}" is ${status}` };

function wholeFileCase(report: TestReport, file: string, exempt: ReadonlySet<string>): TestCase[] {
  const about = { id: wholeFileId(file), file, name: 'the file as a whole' };
  const error = report.fileErrors.find(each => each.file === file);
  if (error) return [{ ...about, status: 'failed', failure: { kind: 'error', message: error.message } }];
  const cases = report.cases.filter(test => test.file === file);
  const open = cases.find(test => test.status !== 'passed' && !exempt.has(test.id));
  if (open) return [{ ...about, status: 'failed', failure: failureOf(open) }];
  return cases.some(test => test.status === 'passed') ? [{ ...about, status: 'passed' }] : [];
}
