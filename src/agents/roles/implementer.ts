import type { TestRun } from '../../types.ts';
import { enforcePolicy, objectionText } from '../enforce-policy.ts';
import type { AgentEnd } from '../loop.ts';
import { implementPrompt } from '../prompts/implement.ts';
import type { FinishReport } from '../tools/tool.ts';
import { differing, type TreeState } from '../tree-state.ts';
import { putBack, type Workbench } from '../workbench.ts';
import { brokenTests } from './broken-tests.ts';
import { decideGate } from './decide-gate.ts';
import { gateSummary, runRole } from './role.ts';
import type { Specification } from './specifier.ts';
import type { FrozenTests } from './test-writer.ts';

export interface Implementation {
  readonly state: TreeState;
  readonly report: FinishReport;
}

/** The best state that a failed attempt reached: most new tests passing with no old one broken. */
export interface Checkpoint {
  readonly state: TreeState;
  readonly passing: number;
}

export type ImplementerEnd = (
  | { readonly kind: 'green'; readonly implementation: Implementation }
  | Exclude<AgentEnd, { kind: 'finished' }>
) & { readonly best: Checkpoint | undefined };

export interface Attempt {
  readonly number: number;
  /** What the one before came to. */
  readonly postMortem: string | undefined;
  readonly onBest: (best: Checkpoint) => void;
}

/** Step 3: make the frozen tests pass. Gate: they do, nothing that passed is broken, and tests and configuration are as they were. */
export async function implement(
  bench: Workbench,
  specification: Specification,
  tests: FrozenTests,
  attempt: Attempt,
): Promise<ImplementerEnd> {
  const { runner } = bench;
  const objectTo = (path: string) =>
    runner.isTestPath(path) || runner.isConfigPath(path)
      ? 'tests and configuration are read-only; a wrong test is reported with flag_blocked'
      : undefined;
  const found: { accepted?: Implementation; best?: Checkpoint } = {};

  const gate = async (report: FinishReport) => {
    const decided = await judge(bench, tests, objectTo);
    if ('state' in decided) found.accepted = { state: decided.state, report };
    const problem = 'problem' in decided ? decided.problem : undefined;
    return decideGate(bench.emit, 'green', problem, 'the new tests pass and no old one is broken');
  };

  const end = await runRole(bench, {
    role: attempt.number === 1 ? 'implementer' : `implementer#${attempt.number}`,
    brief: implementPrompt({
      environment: bench.environment,
      task: bench.task,
      functions: specification.functions,
      testFiles: shownTests(tests),
      newTests: tests.newTests.length,
      changed: specification.stubs,
      postMortem: attempt.postMortem,
    }),
    maxSteps: bench.maxSteps.implementer,
    objectTo,
    defaultTests: async () => tests.files,
    newTests: tests.newTests,
    onRun: progressWatch(bench, tests, objectTo, found, attempt.onBest),
    gate,
  });
  const best = found.best;
  if (end.kind !== 'finished') return { ...end, best };
  if (!found.accepted) throw new Error('the implementation was accepted but is not there');
  return { kind: 'green', implementation: found.accepted, best };
}

async function judge(
  bench: Workbench,
  tests: FrozenTests,
  objectTo: (path: string) => string | undefined,
): Promise<{ readonly state: TreeState } | { readonly problem: string }> {
  const { state, objections } = await enforcePolicy(bench, tests.state, { objectTo });
  if (objections.length > 0) return { problem: objectionText(objections) };
  if (differing(state, tests.state).length === 0)
    return { problem: 'Nothing was changed since the tests were written.' };
  const targeted = await bench.runTests('green gate', tests.files);
  const passing = passingOf(targeted, tests);
  if (!targeted.report || targeted.problem || passing < tests.newTests.length)
    return {
      problem: `The new tests do not all pass.\n${gateSummary(bench, targeted, tests.newTests, false)}`,
    };
  const suite = await bench.runTests('green gate, whole suite', []);
  const broken = brokenTests(suite, bench.baseline);
  if (broken) return { problem: `${broken}\n${gateSummary(bench, suite, tests.newTests, true)}` };
  return { state };
}

const passingOf = (run: TestRun, tests: FrozenTests): number => {
  const wanted = new Set(tests.newTests);
  return (run.report?.cases ?? []).filter(test => wanted.has(test.id) && test.status === 'passed').length;
};

/**
 * Keeps the best state, and says so when many runs brought nothing. A state may be published, so it is kept under the gate's own
 * policy: a run on changed tests counts for nothing.
 */
function progressWatch(
  bench: Workbench,
  tests: FrozenTests,
  objectTo: (path: string) => string | undefined,
  found: { best?: Checkpoint },
  onBest: (best: Checkpoint) => void,
) {
  let runsWithoutProgress = 0;
  return async (run: TestRun, full: boolean): Promise<string | undefined> => {
    const passing = passingOf(run, tests);
    const breaks = full && brokenTests(run, bench.baseline) !== undefined;
    if (passing > (found.best?.passing ?? 0) && !breaks) {
      const { state, objections } = await enforcePolicy(bench, tests.state, { objectTo });
      if (objections.length > 0) return `${objectionText(objections)}\nThis run does not count.`;
      found.best = { passing, state };
      onBest(found.best);
      runsWithoutProgress = 0;
      return undefined;
    }
    runsWithoutProgress++;
    return runsWithoutProgress % 5 === 0 && passing < tests.newTests.length
      ? `${runsWithoutProgress} runs without another new test passing. State what you now think is wrong, or undo and take a simpler way.`
      : undefined;
  };
}

/** Puts the work folder back to stubs and tests, for an attempt from a clean start. */
export async function startOver(bench: Workbench, tests: FrozenTests): Promise<void> {
  const current = await bench.state();
  await putBack(bench, current, tests.state, differing(current, tests.state));
}

/** Longer ones are read by the model, as far as it needs them. */
const MAX_SHOWN_TESTS = 16_000;

function shownTests(tests: FrozenTests) {
  let left = MAX_SHOWN_TESTS;
  return tests.files.map(path => {
    const text = tests.state.find(file => file.path === path)?.after?.bytes.toString() ?? '';
    left -= text.length;
    return { path, text: left >= 0 ? text : undefined };
  });
}
