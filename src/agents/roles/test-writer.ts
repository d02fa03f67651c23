import type { Baseline } from '../../evidence/baseline.ts';
import { judgeRed } from '../../evidence/red-gate.ts';
import type { TestRun } from '../../types.ts';
import { enforcePolicy, objectionText } from '../enforce-policy.ts';
import type { AgentEnd } from '../loop.ts';
import { writeTestsPrompt } from '../prompts/write-tests.ts';
import type { FinishReport } from '../tools/tool.ts';
import { differing, type TreeState } from '../tree-state.ts';
import type { Workbench } from '../workbench.ts';
import { decideGate } from './decide-gate.ts';
import { gateSummary, runRole } from './role.ts';
import type { Specification } from './specifier.ts';

export interface FrozenTests {
  /** Base, stubs and new tests. */
  readonly state: TreeState;
  /** New or changed test files that the runner is given. */
  readonly files: readonly string[];
  /** Ids that were red. */
  readonly newTests: readonly string[];
  readonly descriptions: FinishReport['files'];
}

export type TestWriterEnd =
  | { readonly kind: 'red'; readonly tests: FrozenTests }
  /** `last`: what there was when the step stopped, as far as its policy allows. */
  | (Exclude<AgentEnd, { kind: 'finished' }> & { readonly last: TreeState });

/** Step 2: tests by a role that never sees an implementation. Gate: they are red for the right reason, and nothing but tests was written. */
export async function writeTests(bench: Workbench, specification: Specification): Promise<TestWriterEnd> {
  const { runner } = bench;
  const objectTo = (path: string) =>
    runner.isConfigPath(path)
      ? 'configuration stays as it is'
      : runner.isTestPath(path)
        ? undefined
        : 'only test files may be changed in this step';
  let accepted: FrozenTests | undefined;

  const gate = async (report: FinishReport) => {
    const decided = await judge(bench, specification, objectTo);
    if ('tests' in decided) accepted = { ...decided.tests, descriptions: report.files };
    const problem = 'problem' in decided ? decided.problem : undefined;
    return decideGate(
      bench.emit,
      'red',
      problem,
      `${accepted?.newTests.length} new tests fail for the right reason`,
    );
  };

  const end = await runRole(bench, {
    role: 'test-writer',
    brief: writeTestsPrompt({
      environment: bench.environment,
      task: bench.task,
      functions: specification.functions,
      stubStatement: runner.stubStatement,
      stubs: specification.stubs,
    }),
    onRun: async run => redNote(bench, run),
    maxSteps: bench.maxSteps['test-writer'],
    objectTo,
    defaultTests: async () => testFiles(bench, await bench.state(), specification.stubs),
    newTests: [],
    gate,
  });
  if (end.kind !== 'finished') {
    const { state } = await enforcePolicy(bench, specification.stubs, { objectTo });
    return { ...end, last: state };
  }
  if (!accepted) throw new Error('the tests were accepted but are not there');
  return { kind: 'red', tests: accepted };
}

type Judged = { readonly tests: Omit<FrozenTests, 'descriptions'> } | { readonly problem: string };

async function judge(
  bench: Workbench,
  specification: Specification,
  objectTo: (path: string) => string | undefined,
): Promise<Judged> {
  const { state, objections } = await enforcePolicy(bench, specification.stubs, { objectTo });
  if (objections.length > 0) return { problem: objectionText(objections) };
  const deleted = state.filter(file => file.status === 'deleted' && bench.runner.isTestPath(file.path));
  if (deleted.length > 0)
    return { problem: `Existing tests may not be deleted: ${deleted.map(file => file.path).join(', ')}.` };
  const files = testFiles(bench, state, specification.stubs);
  if (files.length === 0) return { problem: 'No test file was written.' };

  const run = await bench.runTests('red gate', files);
  if (!run.report) return { problem: gateSummary(bench, run, [], false) };
  const lost = lostTests(run, files, bench.baseline);
  if (lost.length > 0)
    return {
      problem: `Existing tests may not be removed or renamed: ${lost.slice(0, 5).join(', ')}${lost.length > 5 ? ` and ${lost.length - 5} more` : ''}.`,
    };
  const red = judgeRed(run.report, bench.baseline);
  if (!red.passed)
    return {
      problem: `The tests are not yet red for the right reason:\n${red.problems
        .slice(0, 10)
        .map(problem => `- ${problem}`)
        .join('\n')}`,
    };
  const tooFew = red.newTests.length < specification.functions.length;
  if (tooFew)
    return {
      problem: `${specification.functions.length} functions are specified, but there are only ${red.newTests.length} new tests. Every function needs its normal case, edge cases and errors.`,
    };
  return { tests: { state, files, newTests: red.newTests } };
}

/** What passed before in these files and is not there any more. A file that can not be run is the red gate's to refuse. */
function lostTests(run: TestRun, files: readonly string[], { passed }: Baseline): readonly string[] {
  const broken = new Set(run.report?.fileErrors.map(error => error.file));
  const ids = new Set(run.report?.cases.map(test => test.id));
  const expected = files.filter(file => !broken.has(file)).map(file => `${file}::`);
  return passed.filter(id => !ids.has(id) && expected.some(prefix => id.startsWith(prefix)));
}

/** The files of this step that hold tests: those that the runner can be given, not fixtures or helpers. */
const testFiles = (bench: Workbench, state: TreeState, stubs: TreeState): readonly string[] => {
  const touched = new Set(differing(state, stubs));
  return state
    .filter(file => touched.has(file.path) && file.after && bench.runner.isTestFile(file.path))
    .map(file => file.path);
};

/** The red gate's judgement in advance: whether tests fail for the right reason is not to be seen from their counts. */
function redNote(bench: Workbench, run: TestRun): string | undefined {
  if (!run.report || run.report.cases.length === 0) return undefined;
  const red = judgeRed(run.report, bench.baseline);
  if (red.passed) return `All ${red.newTests.length} new tests fail for a good reason.`;
  return `Not yet right: ${red.problems.slice(0, 3).join(' | ')}${red.problems.length > 3 ? ' | …' : ''}`;
}
