import type { SentinelVerdict, TestCase, TestReport } from '../types.ts';
import { pythonName, type SentinelNames } from './sentinel-text.ts';

export interface Sentinels extends SentinelNames {
  /** The test files that `TestRunner.sentinel` was appended to, relative. */
  readonly files: readonly string[];
}

/** Whether both planted tests told the truth in every file: one passed, one failed with its own message. */
export function judgeSentinels(report: TestReport, sentinels: Sentinels): SentinelVerdict {
  for (const file of sentinels.files) {
    const cases = report.cases.filter(test => test.file === file);
    const passing = cases.filter(test => isNamed(test, sentinels.passing));
    const failing = cases.filter(test => isNamed(test, sentinels.failing));
    const broken = report.fileErrors.find(error => error.file === file)?.message;
    const reason =
      broken && failing.length === 0
        ? `did not run: ${broken}`
        : reasonAgainst(passing, failing, sentinels.failing);
    if (reason) return { honest: false, reason: `${file}: ${reason}` };
  }
  if (sentinels.files.length === 0) return { honest: false, reason: 'no file carries the planted tests' };
  return { honest: true };
}

function reasonAgainst(
  passing: readonly TestCase[],
  failing: readonly TestCase[],
  name: string,
): string | undefined {
  if (passing.length === 0) return 'the planted test that passes was not reported';
  if (failing.length === 0) return 'the planted test that fails was not reported';
  if (passing.some(test => test.status !== 'passed'))
    return 'the planted test that passes was not reported as passed';
  const wrong = failing.find(test => test.status !== 'failed');
  if (wrong) return `the planted test that fails was reported as ${wrong.status}`;
  const isOwn = (test: TestCase) => test.failure?.kind === 'assertion' && test.failure.message.includes(name);
  return failing.every(isOwn) ? undefined : 'the planted test that fails was reported with another error';
}

/** The report as if nothing had been planted. */
export const withoutSentinels = (report: TestReport, sentinels: SentinelNames): TestReport => ({
  ...report,
  cases: report.cases.filter(test => !isNamed(test, sentinels.passing) && !isNamed(test, sentinels.failing)),
});

/** The last part of the test's name, without what a plugin may add in brackets. */
function isNamed(test: TestCase, name: string): boolean {
  const last = test.name.split(' > ').at(-1) ?? '';
  const own = last.endsWith(']') ? last.split('[', 1)[0] : last;
  return own === name || own === pythonName(name);
}
