import type { TestCase, TestReport } from '../types.ts';
import { type FailureMark, failureMark, isSameFailure } from './failure-mark.ts';
import { withFileCases } from './file-cases.ts';

/** What fails, told apart by whether it fails each time and the same way. */
export interface Reproduction {
  /** Ids that failed in every run, the same way, with how. Files that can not be loaded are among them, as a whole. */
  readonly steady: ReadonlyMap<string, FailureMark>;
  /** Ids that failed in some runs, or in different ways. */
  readonly unsteady: readonly string[];
}

/** How often a failure is seen before anybody works on it. */
export const REPRODUCTION_RUNS = 3;

/**
 * Compares reports of the same tests on the same files. A test that is not in a report did not fail there. `isFile` is false for what an error is
 * pinned to when no file can be told, such as the runner's own name.
 */
export function judgeReproduction(
  reports: readonly TestReport[],
  isFile: (path: string) => boolean = () => true,
): Reproduction {
  const errors = reports.flatMap(report => report.fileErrors.map(error => error.file));
  const broken = [...new Set(errors)].filter(isFile);
  const runs = reports.map(
    report => new Map(withFileCases(report, broken).map(test => [test.id, test] as const)),
  );
  const failed = new Set(runs.flatMap(run => [...run.values()].filter(isFailed).map(test => test.id)));
  const steady = new Map<string, FailureMark>();
  const unsteady: string[] = [];
  for (const id of [...failed].sort()) {
    const mark = sameEverywhere(runs.map(run => run.get(id)));
    if (mark) steady.set(id, mark);
    else unsteady.push(id);
  }
  return { steady, unsteady };
}

const isFailed = (test: TestCase): boolean => test.status === 'failed';

function sameEverywhere(tests: readonly (TestCase | undefined)[]): FailureMark | undefined {
  const marks = tests.flatMap(test => (test && isFailed(test) ? [failureMark(test)] : []));
  const [first] = marks;
  return first && marks.length === tests.length && marks.every(mark => isSameFailure(mark, first))
    ? first
    : undefined;
}
