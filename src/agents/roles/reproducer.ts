import type { FailureMark } from '../../evidence/failure-mark.ts';
import { judgeInverted, judgePinned } from '../../evidence/inverted-tests.ts';
import { REPRODUCTION_RUNS } from '../../evidence/reproduction.ts';
import type { TestReport, TestRun } from '../../types.ts';
import { enforcePolicy, objectionText } from '../enforce-policy.ts';
import type { AgentEnd, Gate } from '../loop.ts';
import { reproducePrompt } from '../prompts/reproduce.ts';
import type { FinishReport } from '../tools/tool.ts';
import type { TreeState } from '../tree-state.ts';
import type { Workbench } from '../workbench.ts';
import { decideGate } from './decide-gate.ts';
import { deletedTests, type FrozenTests, lostTests, testFilesOf, testsOnly } from './frozen-tests.ts';
import { gateSummary, runRole } from './role.ts';

/** Tests that show a failure, and how it shows itself. */
export interface Reproduced {
  readonly tests: FrozenTests;
  readonly marks: ReadonlyMap<string, FailureMark>;
  /** The runs in which they failed, the last one last. */
  readonly runs: readonly TestRun[];
  /** What each of the tests shows, in the words of who wrote them; absent for tests that were there. */
  readonly account?: string;
  /** The same tests on the commit that a pull request started from. */
  readonly baseRun?: TestRun;
  /** True when all of them are there and pass there. A test that a pull request adds is not there. */
  readonly passOnBase?: boolean;
}

export type ReproducerEnd =
  | ({ readonly kind: 'reproduced' } & Reproduced)
  | Exclude<AgentEnd, { kind: 'finished' }>;

export interface ReproduceOptions {
  /** What else is known of the failure; quoted as data. */
  readonly context: string;
  /** Paths of the base commit. */
  readonly paths: readonly string[];
}

/**
 * From words to tests that fail. Two moves, each decided by test runs: the wrong behaviour pinned down by tests that pass, then the same
 * tests turned around, failing three times in the same way (AssertFlip, arXiv 2507.17542).
 */
export async function reproduce(bench: Workbench, options: ReproduceOptions): Promise<ReproducerEnd> {
  const allowed = testsOnly(bench);
  let pinned: Pinned | undefined;
  let accepted: Reproduced | undefined;

  const gate: Gate = async report => {
    if (!pinned) {
      const decided = await pin(bench, allowed);
      if ('problem' in decided) return decideGate(bench.emit, 'characterization', decided.problem, '');
      pinned = decided;
      decideGate(
        bench.emit,
        'characterization',
        undefined,
        `${decided.ids.length} tests pass on the code as it is`,
      );
      return { accepted: false, isStep: true, feedback: TURN_AROUND };
    }
    const decided = await turnAround(bench, { allowed, pinned, report, paths: options.paths });
    if ('problem' in decided) return decideGate(bench.emit, 'reproduction', decided.problem, '');
    accepted = decided;
    const good = `${decided.marks.size} tests fail ${REPRODUCTION_RUNS} times, the same way`;
    return decideGate(bench.emit, 'reproduction', undefined, good);
  };

  const end = await runRole(bench, {
    role: 'reproducer',
    brief: reproducePrompt({ environment: bench.environment, task: bench.task, context: options.context }),
    maxSteps: bench.maxSteps.reproducer,
    objectTo: allowed,
    defaultTests: async () => testFilesOf(bench, await bench.state(), []),
    newTests: [],
    debug: { takeCause: undefined },
    gate,
  });
  if (end.kind !== 'finished') return end;
  if (!accepted) throw new Error('the reproduction was accepted but is not there');
  return { kind: 'reproduced', ...accepted };
}

const TURN_AROUND = `The wrong behaviour is pinned down: these tests pass on the code as it is. Check them against the request before you go on:
- Is it the call, with the arguments, that the report speaks of?
- Is it the wrong value or the error that the report shows, not another one?
- Does each test have the name of the right behaviour?
Now turn the expectations around, to what is right, and call finish again: it runs them.`;

type Step = { readonly state: TreeState; readonly files: readonly string[]; readonly run: TestRun };

/** What both moves share: nothing but tests was written, no old one is gone, and the files can be run. */
async function writtenTests(
  bench: Workbench,
  objectTo: (path: string) => string | undefined,
  purpose: string,
): Promise<Step | { readonly problem: string }> {
  const { state, objections } = await enforcePolicy(bench, [], { objectTo });
  if (objections.length > 0) return { problem: objectionText(objections) };
  const deleted = deletedTests(bench, state);
  if (deleted) return { problem: deleted };
  const files = testFilesOf(bench, state, []);
  if (files.length === 0) return { problem: 'No test file was written.' };
  const run = await bench.runTests(purpose, files);
  if (!run.report) return { problem: gateSummary(bench, run, [], false) };
  const lost = lostTests(run, files, bench.baseline);
  return lost ? { problem: lost } : { state, files, run };
}

interface Pinned {
  readonly ids: readonly string[];
  readonly state: TreeState;
}

async function pin(
  bench: Workbench,
  objectTo: (path: string) => string | undefined,
): Promise<Pinned | { readonly problem: string }> {
  const step = await writtenTests(bench, objectTo, 'characterization gate');
  if ('problem' in step) return step;
  const judged = judgePinned(reportOf(step.run), bench.baseline);
  return 'ids' in judged
    ? { ids: judged.ids, state: step.state }
    : { problem: listed('The wrong behaviour is not pinned down yet:', judged) };
}

interface TurnOptions {
  readonly allowed: (path: string) => string | undefined;
  readonly pinned: Pinned;
  readonly report: FinishReport;
  readonly paths: readonly string[];
}

async function turnAround(
  bench: Workbench,
  { allowed, pinned, report, paths }: TurnOptions,
): Promise<Reproduced | { readonly problem: string }> {
  const step = await writtenTests(bench, allowed, 'reproduction gate');
  if ('problem' in step) return step;
  const runs = [step.run];
  while (runs.length < REPRODUCTION_RUNS)
    runs.push(await bench.runTests('reproduction gate, again', step.files));
  const reports = runs.flatMap(run => (run.report ? [run.report] : []));
  if (reports.length < runs.length) return { problem: 'The tests gave no report in one of three runs.' };
  const known = new Set(paths);
  const judged = judgeInverted({
    reports,
    baseline: bench.baseline,
    pinned: pinned.ids,
    isOwnCode: path => known.has(path) && !bench.runner.isTestPath(path),
  });
  if ('problems' in judged) return { problem: listed('The tests do not show the bug yet:', judged) };
  const newTests = [...judged.marks.keys()];
  const { state, files } = step;
  return {
    tests: { state, files, newTests, descriptions: report.files, pinned: pinned.state },
    marks: judged.marks,
    runs,
    account: report.summary,
  };
}

const reportOf = (run: TestRun): TestReport => run.report ?? { cases: [], fileErrors: [] };

const listed = (headline: string, { problems }: { readonly problems: readonly string[] }): string =>
  `${headline}\n${problems
    .slice(0, 10)
    .map(problem => `- ${problem}`)
    .join('\n')}`;
