import type { Diagnosis, TestRun } from '../../types.ts';
import { enforcePolicy, objectionText } from '../enforce-policy.ts';
import type { AgentEnd } from '../loop.ts';
import { mendPrompt } from '../prompts/mend.ts';
import type { FinishReport } from '../tools/tool.ts';
import { differing } from '../tree-state.ts';
import type { Workbench } from '../workbench.ts';
import { openCauseLock } from './cause-lock.ts';
import { decideGate } from './decide-gate.ts';
import { type Checkpoint, greenPolicy } from './green-gate.ts';
import type { Attempt, Implementation } from './implementer.ts';
import { gateSummary, runRole } from './role.ts';

export type MenderEnd = (
  | { readonly kind: 'green'; readonly implementation: Implementation; readonly diagnosis: Diagnosis }
  | Exclude<AgentEnd, { kind: 'finished' }>
) & { readonly best: Checkpoint | undefined };

export interface MendOptions {
  /** The command as the maintainer wrote it. */
  readonly command: string;
  /** A run of it that failed. */
  readonly run: TestRun;
  readonly context: string;
}

/** True for a run of a command that ended well. */
export const isGreenCommand = (run: TestRun): boolean => run.exit.kind === 'code' && run.exit.code === 0;

/**
 * Makes a command succeed that shows its failure by its exit code alone: a linter, a build. `bench.runTests` runs that command.
 * Gate: it succeeds, and tests and configuration are as they were.
 */
export async function mend(
  bench: Workbench,
  { command, run, context }: MendOptions,
  attempt: Attempt,
): Promise<MenderEnd> {
  const lock = openCauseLock(bench, { start: [], goal: 1, passing: seen => (isGreenCommand(seen) ? 1 : 0) });
  const policy = greenPolicy(bench);
  let accepted: { readonly implementation: Implementation; readonly diagnosis: Diagnosis } | undefined;

  const gate = async (report: FinishReport) => {
    const diagnosis = lock.diagnosis(report.summary);
    if (!diagnosis) return decideGate(bench.emit, 'cause', 'No cause was named: call name_cause first.', '');
    const { state, objections } = await enforcePolicy(bench, [], { objectTo: policy });
    if (objections.length > 0) return decideGate(bench.emit, 'command', objectionText(objections), '');
    if (differing(state, []).length === 0)
      return decideGate(bench.emit, 'command', 'Nothing was changed.', '');
    const after = await bench.runTests('command gate', []);
    if (!isGreenCommand(after))
      return decideGate(bench.emit, 'command', `It still fails.\n${gateSummary(bench, after, [], true)}`, '');
    accepted = { implementation: { state, report }, diagnosis };
    return decideGate(bench.emit, 'command', undefined, `\`${command}\` succeeds`);
  };

  const end = await runRole(bench, {
    role: attempt.number === 1 ? 'mender' : `mender#${attempt.number}`,
    brief: mendPrompt({
      environment: bench.environment,
      task: bench.task,
      context,
      command,
      output: gateSummary(bench, run, [], true),
      postMortem: attempt.postMortem,
    }),
    maxSteps: bench.maxSteps.debugger,
    objectTo: path => policy(path) ?? lock.objection(),
    defaultTests: async () => [],
    newTests: [],
    onRun: lock.see,
    debug: { takeCause: lock.take },
    gate,
  });
  if (end.kind !== 'finished') return { ...end, best: undefined };
  if (!accepted) throw new Error('the fix was accepted but is not there');
  return { kind: 'green', ...accepted, best: undefined };
}
