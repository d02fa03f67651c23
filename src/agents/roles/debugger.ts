import type { Diagnosis, TestRun } from '../../types.ts';
import type { AgentEnd } from '../loop.ts';
import { debugPrompt } from '../prompts/debug.ts';
import type { FinishReport } from '../tools/tool.ts';
import type { Workbench } from '../workbench.ts';
import { openCauseLock } from './cause-lock.ts';
import { decideGate } from './decide-gate.ts';
import { doubtsAbout, openDoubts } from './doubts.ts';
import { type FrozenTests, shownTests } from './frozen-tests.ts';
import { type Checkpoint, greenPolicy, judgeGreen, passingOf, watchProgress } from './green-gate.ts';
import type { Attempt, Implementation } from './implementer.ts';
import { gateSummary, runRole } from './role.ts';

/** A fix that passed its gate. */
export interface Fixed {
  readonly implementation: Implementation;
  readonly diagnosis: Diagnosis;
  /** What a reader should look at, a sentence each. */
  readonly remarks: readonly string[];
}

export type DebuggerEnd = (({ readonly kind: 'green' } & Fixed) | Exclude<AgentEnd, { kind: 'finished' }>) & {
  readonly best: Checkpoint | undefined;
};

export interface DebugOptions {
  readonly tests: FrozenTests;
  /** One of the runs in which they failed. */
  readonly run: TestRun;
  /** What else is known of the failure; quoted as data. */
  readonly context: string;
  /** The text of the failing tests' files. */
  readonly testTexts: readonly string[];
}

export const NO_CAUSE =
  'No cause was named: find it with read, search, bash and run_tests, then call name_cause, and only then edit. If it really can not be done, call flag_blocked.';

/**
 * Names the root cause with evidence, then fixes it. Edits are refused until a cause was named, and again when three changes did not help.
 * Gate: the failing tests pass, nothing that passed is broken, and tests and configuration are as they were.
 */
export async function debug(
  bench: Workbench,
  { tests, run, context, testTexts }: DebugOptions,
  attempt: Attempt,
): Promise<DebuggerEnd> {
  const lock = openCauseLock(bench, {
    start: tests.state,
    goal: tests.newTests.length,
    passing: seen => passingOf(seen, tests),
  });
  const policy = greenPolicy(bench, tests);
  const watch = watchProgress(bench, tests, policy, attempt.onBest);
  const doubts = openDoubts();
  let accepted: Fixed | undefined;

  const gate = async (report: FinishReport) => {
    const diagnosis = lock.diagnosis(report.summary);
    if (!diagnosis) return decideGate(bench.emit, 'cause', NO_CAUSE, '');
    const decided = await judgeGreen(bench, tests, policy);
    if ('problem' in decided) return decideGate(bench.emit, 'green', decided.problem, '');
    const { state } = decided;
    const found = doubtsAbout(bench, { state, start: tests.state, report, diagnosis, testTexts });
    const question = doubts.question(found);
    if (question) return decideGate(bench.emit, 'doubts', question, '');
    accepted = {
      implementation: { state, report },
      diagnosis,
      remarks: found.map(doubt => doubt.toReader),
    };
    return decideGate(bench.emit, 'green', undefined, 'the failing tests pass and no other is broken');
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
    objectTo: policy,
    defaultTests: async () => tests.files,
    newTests: tests.newTests,
    onRun: async (seen, full) => {
      const note = await watch.see(seen, full);
      return (await lock.see(seen)) ?? note;
    },
    debug: { takeCause: lock.take, isLocked: lock.objection },
    gate,
  });
  const best = watch.best();
  if (end.kind !== 'finished') return { ...end, best };
  if (!accepted) throw new Error('the fix was accepted but is not there');
  return { kind: 'green', ...accepted, best };
}
