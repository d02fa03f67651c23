import { type Baseline, summarizeBaseline } from '../evidence/baseline.ts';
import { proofRun } from '../evidence/proof-run.ts';
import type { ProofRun, TestReport, TestRun } from '../types.ts';

export type BaselineResult =
  | {
      readonly usable: true;
      readonly baseline: Baseline;
      readonly runs: readonly ProofRun[];
      /** What the runs reported, in order. */
      readonly reports: readonly TestReport[];
      readonly skippedForTime: readonly string[];
    }
  | { readonly usable: false; readonly run: TestRun };

/** Slower suites run once: a second run would eat the proof's time. */
const QUICK_MS = 90_000;

/** Runs the repository's own suite before anything is changed, twice if it is quick, so that old failures and flaky tests are known. */
export async function measureBaseline(
  runSuite: (purpose: string) => Promise<TestRun>,
): Promise<BaselineResult> {
  const first = await runSuite('baseline');
  if (!first.report || isContradictory(first)) return { usable: false, run: first };
  if (first.durationMs > QUICK_MS) {
    return {
      usable: true,
      baseline: summarizeBaseline([first.report]),
      runs: [proofRun('baseline', first)],
      reports: [first.report],
      skippedForTime: ['second baseline run'],
    };
  }
  const again = await runSuite('baseline again');
  if (!again.report || isContradictory(again)) return { usable: false, run: again };
  return {
    usable: true,
    baseline: summarizeBaseline([first.report, again.report]),
    runs: [proofRun('baseline', first), proofRun('baseline-again', again)],
    reports: [first.report, again.report],
    skippedForTime: [],
  };
}

/** A repository without tests yet is fine; tests whose report and exit code contradict each other are no base to judge from. */
const isContradictory = (run: TestRun): boolean =>
  run.problem !== undefined && (run.report?.cases.length ?? 0) > 0;
