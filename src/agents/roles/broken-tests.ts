import type { Baseline } from '../../evidence/baseline.ts';
import { unseenFailures } from '../../evidence/verdict.ts';
import type { TestRun } from '../../types.ts';

/** What a whole-suite run shows that was fine before, as one sentence; undefined when nothing was broken or lost. */
export function brokenTests(
  run: TestRun,
  baseline: Baseline,
  newTests: readonly string[] = [],
): string | undefined {
  if (!run.report) return `The test run gave no report: ${run.problem ?? 'no reason known'}.`;
  const status = new Map(run.report.cases.map(test => [test.id, test.status]));
  const broken = baseline.passed.filter(id => status.get(id) !== 'passed');
  const files = run.report.fileErrors.filter(error => !baseline.brokenFiles.includes(error.file));
  const unseen = unseenFailures(run, baseline, newTests);
  if (broken.length === 0 && files.length === 0 && unseen.length === 0) return undefined;
  const what = [
    ...files.map(error => `${error.file} can not be run`),
    ...broken.map(id => `${id} is ${status.get(id) ?? 'missing'}`),
    ...unseen.map(id => `${id} fails, and did not run before the change`),
  ];
  return `What passed before must still pass: ${what.slice(0, 5).join('; ')}${what.length > 5 ? ` and ${what.length - 5} more` : ''}.`;
}
