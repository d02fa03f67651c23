import { judgeRed } from '../../evidence/red-gate.ts';
import type { TestRun } from '../../types.ts';
import { enforcePolicy, objectionText } from '../enforce-policy.ts';
import type { AgentEnd } from '../loop.ts';
import { writeTestsPrompt } from '../prompts/write-tests.ts';
import type { FinishReport } from '../tools/tool.ts';
import type { TreeState } from '../tree-state.ts';
import type { Workbench } from '../workbench.ts';
import { decideGate } from './decide-gate.ts';
import { deletedTests, type FrozenTests, lostTests, testFilesOf, testsOnly } from './frozen-tests.ts';
import { gateSummary, runRole } from './role.ts';
import type { Specification } from './specifier.ts';

export type TestWriterEnd =
  | { readonly kind: 'red'; readonly tests: FrozenTests }
  /** `last`: what there was when the step stopped, as far as its policy allows. */
  | (Exclude<AgentEnd, { kind: 'finished' }> & { readonly last: TreeState });

/** Step 2: tests by a role that never sees an implementation. Gate: they are red for the right reason, and nothing but tests was written. */
export async function writeTests(bench: Workbench, specification: Specification): Promise<TestWriterEnd> {
  const objectTo = testsOnly(bench);
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
      stubStatement: bench.runner.stubStatement,
      stubs: specification.stubs,
    }),
    onRun: async run => redNote(bench, run),
    maxSteps: bench.maxSteps['test-writer'],
    objectTo,
    defaultTests: async () => testFilesOf(bench, await bench.state(), specification.stubs),
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
  const deleted = deletedTests(bench, state);
  if (deleted) return { problem: deleted };
  const files = testFilesOf(bench, state, specification.stubs);
  if (files.length === 0) return { problem: 'No test file was written.' };

  const run = await bench.runTests('red gate', files);
  if (!run.report) return { problem: gateSummary(bench, run, [], false) };
  const lost = lostTests(run, files, bench.baseline);
  if (lost) return { problem: lost };
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

/** The red gate's judgement in advance: whether tests fail for the right reason is not to be seen from their counts. */
function redNote(bench: Workbench, run: TestRun): string | undefined {
  if (!run.report || run.report.cases.length === 0) return undefined;
  const red = judgeRed(run.report, bench.baseline);
  if (red.passed) return `All ${red.newTests.length} new tests fail for a good reason.`;
  return `Not yet right: ${red.problems.slice(0, 3).join(' | ')}${red.problems.length > 3 ? ' | …' : ''}`;
}
