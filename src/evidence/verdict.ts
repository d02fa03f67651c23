import type { ProofTest, TestCase, TestRun } from '../types.ts';
import type { Baseline } from './baseline.ts';
import { type FailureMark, failureMark, isSameFailure, saidBy } from './failure-mark.ts';
import { fileOfId, withFileCases } from './file-cases.ts';

/** The runs of a proof. Each was made in a sandbox that the agent never entered. */
export interface Evidence {
  readonly baseline: Baseline;
  /** Base, stubs and new tests. */
  readonly red: TestRun;
  /** Base, new tests and the change; the new tests' files only. */
  readonly green: TestRun;
  /** The same files; the whole suite. */
  readonly suite: TestRun;
  /** The change with the old test files as they were, when the new tests changed some: those files, or the whole suite when a fixture was changed. */
  readonly oldTests?: TestRun;
  /** The ids that were red when the tests were frozen; of a fix, those that failed before anybody touched anything. */
  readonly newTests: readonly string[];
  /** Of a fix: how each of them failed when it was reproduced. Whatever that was, red is the same again. */
  readonly expected?: ReadonlyMap<string, FailureMark>;
  /** Ids that may be skipped or red in a file that is meant as a whole: they were on the base already. */
  readonly exempt?: readonly string[];
  /** Of a fix from words: with the change, the tests that had pinned the wrong behaviour down. They must fail now. */
  readonly pinned?: TestRun;
}

export interface Verdict {
  readonly proven: boolean;
  /** Empty when proven; otherwise the first thing that is wrong, as a sentence. */
  readonly reason: string;
  readonly failToPass: readonly ProofTest[];
  readonly passToPass: readonly string[];
  readonly broken: readonly string[];
  readonly lost: readonly string[];
}

/**
 * The claim of a TDD run: the new tests failed for a good reason, now they pass, and no other test was broken or lost.
 * Counts as SWE-bench's harness does (FAIL_TO_PASS, PASS_TO_PASS), but a skipped test is never a passed one.
 */
export function judge(evidence: Evidence): Verdict {
  const { baseline, red, green, suite, oldTests, newTests } = evidence;
  const [before, targeted, after] = [red, green, suite].map(run => byId(run, newTests, evidence.exempt)) as [
    Results,
    Results,
    Results,
  ];
  const words = evidence.expected ? FIX_WORDS : TDD_WORDS;
  const failToPass = newTests.map(
    id =>
      ({
        id,
        before: stateBefore(before.get(id)),
        ...said(before.get(id)),
        after: targeted.get(id)?.status ?? 'missing',
      }) as const,
  );
  const status = (id: string) => after.get(id)?.status;
  const lost = baseline.passed.filter(id => !after.has(id));
  const broken = baseline.passed.filter(id => status(id) !== undefined && status(id) !== 'passed');
  const passToPass = baseline.passed.filter(id => status(id) === 'passed');
  const newlyUnloadable = (suite.report?.fileErrors ?? [])
    .map(error => error.file)
    .filter(file => !baseline.brokenFiles.includes(file));

  const reason =
    unusable('red', red) ??
    unusable('green', green) ??
    unusable('whole-suite', suite) ??
    (newTests.length === 0 ? words.none : undefined) ??
    listed(
      words.notRed,
      failToPass
        .filter(test => !isRed(evidence, before.get(test.id)))
        .map(test => `${test.id} (${test.before})`),
    ) ??
    listed(
      words.notGreen,
      failToPass.filter(test => test.after !== 'passed').map(test => `${test.id} (${test.after})`),
    ) ??
    listed(
      words.notInSuite,
      newTests.filter(id => status(id) !== 'passed'),
    ) ??
    listed('test files can not be loaded any more', newlyUnloadable) ??
    listed('tests fail that were not seen before the change', unseenFailures(suite, baseline, newTests)) ??
    listed('tests that passed before no longer pass', broken) ??
    listed('tests that passed before no longer run', lost) ??
    (evidence.pinned && pinnedProblem(evidence.pinned, newTests)) ??
    (oldTests && unusable('old-tests', oldTests)) ??
    listed(
      'existing tests were changed, and as they were they do not pass any more',
      oldTests ? failedThen(oldTests, baseline) : [],
    ) ??
    '';
  return { proven: reason === '', reason, failToPass, passToPass, broken, lost };
}

const TDD_WORDS = {
  none: 'there is no new test that failed before the change',
  notRed: 'the new tests did not fail for a good reason before the change',
  notGreen: 'the new tests do not pass with the change',
  notInSuite: 'new tests do not pass in the whole suite',
};

const FIX_WORDS = {
  none: 'there is no test that failed before the change',
  notRed: 'without the change the tests do not fail as they did when the failure was reproduced',
  notGreen: 'tests that failed do not pass with the change',
  notInSuite: 'tests that failed do not pass in the whole suite',
};

/**
 * Tests that fail and that nobody knew: where a run ended early before the change, the baseline never saw what comes after it. Red tests
 * that were there before are known, by their ids.
 */
export function unseenFailures(
  run: TestRun,
  { passed, failed, skipped, flaky }: Baseline,
  newTests: readonly string[],
): readonly string[] {
  const known = new Set([...passed, ...failed, ...skipped, ...flaky, ...newTests]);
  return (run.report?.cases ?? [])
    .filter(test => test.status === 'failed' && !known.has(test.id))
    .map(test => test.id);
}

/** Of the tests in files of that run: those that passed before and do not pass in it. */
function failedThen(run: TestRun, { passed }: Baseline): readonly string[] {
  const status = byId(run, []);
  const files = new Set((run.report?.cases ?? []).map(test => test.file));
  for (const error of run.report?.fileErrors ?? []) files.add(error.file);
  return passed.filter(id => files.has(id.split('::', 1)[0] ?? '') && status.get(id)?.status !== 'passed');
}

/** True for the two ways of failing that say something about behaviour. */
export const isGoodRed = (state: ProofTest['before']): boolean =>
  state === 'assertion' || state === 'not-implemented';

function unusable(name: string, run: TestRun): string | undefined {
  if (run.sentinels && !run.sentinels.honest)
    return `the ${name} run was tampered with: ${run.sentinels.reason}`;
  if (!run.report) return `the ${name} run gave no report: ${run.problem ?? 'no reason known'}`;
  if (run.problem) return `the ${name} run can not be trusted: ${run.problem}`;
  return undefined;
}

function stateBefore(test: TestCase | undefined): ProofTest['before'] {
  if (!test) return 'missing';
  return test.status === 'failed' ? (test.failure?.kind ?? 'error') : test.status;
}

const said = (test: TestCase | undefined) =>
  test?.failure ? { said: saidBy(test.failure).slice(0, 300) } : {};

function listed(what: string, ids: readonly string[]): string | undefined {
  if (ids.length === 0) return undefined;
  const more = ids.length > 3 ? ` and ${ids.length - 3} more` : '';
  return `${what}: ${ids.slice(0, 3).join(', ')}${more}`;
}

/** By the test's own failure, or for a fix by the one that was reproduced. */
function isRed({ expected }: Evidence, test: TestCase | undefined): boolean {
  if (!expected) return isGoodRed(stateBefore(test));
  const wanted = test && expected.get(test.id);
  return wanted !== undefined && test?.status === 'failed' && isSameFailure(failureMark(test), wanted);
}

type Results = ReadonlyMap<string, TestCase>;

/** The results of a run, with those of files that `ids` name as a whole. */
const byId = (run: TestRun, ids: readonly string[], exempt?: readonly string[]): Results =>
  new Map(
    withFileCases(
      run.report,
      ids.flatMap(id => fileOfId(id) ?? []),
      exempt,
    ).map(test => [test.id, test]),
  );

/** What pinned the wrong behaviour down and passes still did not describe it. */
function pinnedProblem(run: TestRun, newTests: readonly string[]): string | undefined {
  const status = byId(run, []);
  return (
    unusable('characterization', run) ??
    listed(
      'the tests that had pinned the wrong behaviour down still pass with the change, so they did not describe it',
      newTests.filter(id => status.get(id)?.status !== 'failed'),
    )
  );
}
