import { fileOfId, withFileCases } from '../../evidence/file-cases.ts';
import type { TestRun } from '../../types.ts';
import { enforcePolicy, objectionText } from '../enforce-policy.ts';
import { differing, type TreeState } from '../tree-state.ts';
import { putBack, type Workbench } from '../workbench.ts';
import { brokenTests } from './broken-tests.ts';
import type { FrozenTests } from './frozen-tests.ts';
import { gateSummary } from './role.ts';

type ObjectTo = (path: string) => string | undefined;

/** The best state that a failed attempt reached: most frozen tests passing with no old one broken. */
export interface Checkpoint {
  readonly state: TreeState;
  readonly passing: number;
}

/** Whoever makes tests green may change neither tests, wherever they lie, nor what decides how they run. */
export const greenPolicy =
  ({ runner }: Workbench, { files }: Pick<FrozenTests, 'files'>): ObjectTo =>
  path =>
    files.includes(path) || runner.isTestPath(path) || runner.isConfigPath(path)
      ? 'tests and configuration are read-only; a wrong test is reported with flag_blocked'
      : undefined;

/** The frozen tests pass, nothing that passed is broken, and tests and configuration are as they were. */
export async function judgeGreen(
  bench: Workbench,
  tests: FrozenTests,
  objectTo: ObjectTo,
): Promise<{ readonly state: TreeState } | { readonly problem: string }> {
  const { state, objections } = await enforcePolicy(bench, tests.state, { objectTo });
  if (objections.length > 0) return { problem: objectionText(objections) };
  if (differing(state, tests.state).length === 0)
    return { problem: 'Nothing was changed since the tests were written.' };
  const targeted = await bench.runTests('green gate', tests.files);
  const passing = passingOf(targeted, tests);
  if (!targeted.report || targeted.problem || passing < tests.newTests.length)
    return {
      problem: `The ${bench.aim ?? 'new tests'} do not all pass.\n${gateSummary(bench, targeted, tests.newTests, false)}`,
    };
  const suite = await bench.runTests('green gate, whole suite', []);
  const broken = brokenTests(suite, bench.baseline, tests.newTests);
  if (broken) return { problem: `${broken}\n${gateSummary(bench, suite, tests.newTests, true)}` };
  return { state };
}

/** How many of the frozen tests pass in a run. */
export const passingOf = (run: TestRun, tests: FrozenTests): number => {
  const wanted = new Set(tests.newTests);
  const files = tests.newTests.flatMap(id => fileOfId(id) ?? []);
  return withFileCases(run.report, files, tests.exempt).filter(
    test => wanted.has(test.id) && test.status === 'passed',
  ).length;
};

export interface ProgressWatch {
  /** Sees each run that the model asks for; what it says goes to the model. */
  readonly see: (run: TestRun, full: boolean) => Promise<string | undefined>;
  readonly best: () => Checkpoint | undefined;
}

/**
 * Keeps the best state, and says so when many runs brought nothing. A state may be published, so it is kept under the gate's own
 * policy: a run on changed tests counts for nothing.
 */
export function watchProgress(
  bench: Workbench,
  tests: FrozenTests,
  objectTo: ObjectTo,
  onBest: (best: Checkpoint) => void,
): ProgressWatch {
  let runsWithoutProgress = 0;
  let best: Checkpoint | undefined;
  const see = async (run: TestRun, full: boolean): Promise<string | undefined> => {
    const passing = passingOf(run, tests);
    const breaks = full && brokenTests(run, bench.baseline, tests.newTests) !== undefined;
    if (passing > (best?.passing ?? 0) && !breaks) {
      const { state, objections } = await enforcePolicy(bench, tests.state, { objectTo });
      if (objections.length > 0) return `${objectionText(objections)}\nThis run does not count.`;
      best = { passing, state };
      onBest(best);
      runsWithoutProgress = 0;
      return undefined;
    }
    runsWithoutProgress++;
    return runsWithoutProgress % 5 === 0 && passing < tests.newTests.length
      ? `${runsWithoutProgress} runs without another of the ${bench.aim ?? 'new tests'} passing. State what you now think is wrong, or undo and take a simpler way.`
      : undefined;
  };
  return { see, best: () => best };
}

/** Puts the work folder back to what it was when the tests were frozen, for an attempt from a clean start. */
export async function startOver(bench: Workbench, tests: FrozenTests): Promise<void> {
  const current = await bench.state();
  await putBack(bench, current, tests.state, differing(current, tests.state));
}
