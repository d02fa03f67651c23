import type { TestReport } from '../types.ts';

/** What the repository's own tests did before anybody touched it. Old failures and flaky tests are never blamed on a change. */
export interface Baseline {
  /** Ids that passed in every run. */
  readonly passed: readonly string[];
  readonly failed: readonly string[];
  readonly skipped: readonly string[];
  /** Ids whose status differed between the runs. */
  readonly flaky: readonly string[];
  /** Test files that could not be loaded. */
  readonly brokenFiles: readonly string[];
}

/** Sums up one or two runs of the same suite on the same files. */
export function summarizeBaseline(reports: readonly TestReport[]): Baseline {
  const statuses = new Map<string, Set<string>>();
  for (const report of reports) {
    for (const test of report.cases) {
      const seen = statuses.get(test.id) ?? new Set();
      statuses.set(test.id, seen.add(test.status));
    }
  }
  const present = reports.map(report => new Set(report.cases.map(test => test.id)));
  const ids = [...statuses.keys()].sort();
  const isFlaky = (id: string) => (statuses.get(id)?.size ?? 0) > 1 || present.some(run => !run.has(id));
  const steady = (status: string) => ids.filter(id => !isFlaky(id) && statuses.get(id)?.has(status));
  return {
    passed: steady('passed'),
    failed: steady('failed'),
    skipped: [...steady('skipped'), ...steady('todo')],
    flaky: ids.filter(isFlaky),
    brokenFiles: [...new Set(reports.flatMap(report => report.fileErrors.map(error => error.file)))].sort(),
  };
}
