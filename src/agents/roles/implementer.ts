import type { AgentEnd } from '../loop.ts';
import { implementPrompt } from '../prompts/implement.ts';
import type { FinishReport } from '../tools/tool.ts';
import type { TreeState } from '../tree-state.ts';
import type { Workbench } from '../workbench.ts';
import { decideGate } from './decide-gate.ts';
import { type FrozenTests, shownTests } from './frozen-tests.ts';
import { type Checkpoint, greenPolicy, judgeGreen, watchProgress } from './green-gate.ts';
import { runRole } from './role.ts';
import type { Specification } from './specifier.ts';

export interface Implementation {
  readonly state: TreeState;
  readonly report: FinishReport;
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
  const objectTo = greenPolicy(bench, tests);
  const watch = watchProgress(bench, tests, objectTo, attempt.onBest);
  let accepted: Implementation | undefined;

  const gate = async (report: FinishReport) => {
    const decided = await judgeGreen(bench, tests, objectTo);
    if ('state' in decided) accepted = { state: decided.state, report };
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
    onRun: watch.see,
    gate,
  });
  const best = watch.best();
  if (end.kind !== 'finished') return { ...end, best };
  if (!accepted) throw new Error('the implementation was accepted but is not there');
  return { kind: 'green', implementation: accepted, best };
}
