import type { Diagnosis, TestRun } from '../../types.ts';
import type { AgentEnd } from '../loop.ts';
import { debugPrompt } from '../prompts/debug.ts';
import type { FinishReport } from '../tools/tool.ts';
import type { Workbench } from '../workbench.ts';
import { openCauseLock } from './cause-lock.ts';
import { decideGate } from './decide-gate.ts';
import { type FrozenTests, shownTests } from './frozen-tests.ts';
import { type Checkpoint, greenPolicy, judgeGreen, passingOf, watchProgress } from './green-gate.ts';
import type { Attempt, Implementation } from './implementer.ts';
import { gateSummary, runRole } from './role.ts';

export type DebuggerEnd = (
  | { readonly kind: 'green'; readonly implementation: Implementation; readonly diagnosis: Diagnosis }
  | Exclude<AgentEnd, { kind: 'finished' }>
) & { readonly best: Checkpoint | undefined };

export interface DebugOptions {
  readonly tests: FrozenTests;
  /** One of the runs in which they failed. */
  readonly run: TestRun;
  /** What else is known of the failure; quoted as data. */
  readonly context: string;
}

/**
 * Names the root cause with evidence, then fixes it. Edits are refused until a cause was named, and again when three changes did not help.
 * Gate: the failing tests pass, nothing that passed is broken, and tests and configuration are as they were.
 */
export async function debug(
  bench: Workbench,
  { tests, run, context }: DebugOptions,
  attempt: Attempt,
): Promise<DebuggerEnd> {
  const lock = openCauseLock(bench, {
    start: tests.state,
    goal: tests.newTests.length,
    passing: seen => passingOf(seen, tests),
  });
  const policy = greenPolicy(bench);
  const watch = watchProgress(bench, tests, policy, attempt.onBest);
  let accepted: { readonly implementation: Implementation; readonly diagnosis: Diagnosis } | undefined;

  const gate = async (report: FinishReport) => {
    const diagnosis = lock.diagnosis(report.summary);
    if (!diagnosis) return decideGate(bench.emit, 'cause', 'No cause was named: call name_cause first.', '');
    const decided = await judgeGreen(bench, tests, policy);
    if ('state' in decided) accepted = { implementation: { state: decided.state, report }, diagnosis };
    const problem = 'problem' in decided ? decided.problem : undefined;
    return decideGate(bench.emit, 'green', problem, 'the failing tests pass and no other is broken');
  };

  const end = await runRole(bench, {
    role: attempt.number === 1 ? 'debugger' : `debugger#${attempt.number}`,
    brief: debugPrompt({
      environment: bench.environment,
      task: bench.task,
      context,
      failures: gateSummary(bench, run, tests.newTests, false),
      targets: tests.newTests,
      testFiles: shownTests(tests),
      postMortem: attempt.postMortem,
    }),
    maxSteps: bench.maxSteps.debugger,
    objectTo: path => policy(path) ?? lock.objection(),
    defaultTests: async () => tests.files,
    newTests: tests.newTests,
    onRun: async (seen, full) => {
      const note = await watch.see(seen, full);
      return (await lock.see(seen)) ?? note;
    },
    debug: { takeCause: lock.take },
    gate,
  });
  const best = watch.best();
  if (end.kind !== 'finished') return { ...end, best };
  if (!accepted) throw new Error('the fix was accepted but is not there');
  return { kind: 'green', ...accepted, best };
}
