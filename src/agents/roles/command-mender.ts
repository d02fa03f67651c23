import type { Diagnosis, TestRun } from '../../types.ts';
import { enforcePolicy, objectionText } from '../enforce-policy.ts';
import type { AgentEnd } from '../loop.ts';
import { mendPrompt } from '../prompts/mend.ts';
import type { FinishReport } from '../tools/tool.ts';
import { differing, type TreeState } from '../tree-state.ts';
import type { Workbench } from '../workbench.ts';
import { openCauseLock } from './cause-lock.ts';
import { NO_CAUSE } from './debugger.ts';
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
  /** Paths that decide what the command says: scripts that it runs. */
  readonly commandPaths: readonly string[];
  /** Hears the state after each run that the model asks for, as far as the policy allows it. */
  readonly keep: (state: TreeState) => void;
}

/** True for a run of a command that ended well. */
export const isGreenCommand = (run: TestRun): boolean => run.exit.kind === 'code' && run.exit.code === 0;

/**
 * Makes a command succeed that shows its failure by its exit code alone: a linter, a build. `bench.runTests` runs that command.
 * Gate: it succeeds, and tests and configuration are as they were.
 */
export async function mend(bench: Workbench, options: MendOptions, attempt: Attempt): Promise<MenderEnd> {
  const { command, run, context } = options;
  const lock = openCauseLock(bench, { start: [], goal: 1, passing: seen => (isGreenCommand(seen) ? 1 : 0) });
  const policy = menderPolicy(bench, options);
  let accepted: { readonly implementation: Implementation; readonly diagnosis: Diagnosis } | undefined;

  const gate = async (report: FinishReport) => {
    const diagnosis = lock.diagnosis(report.summary);
    if (!diagnosis) return decideGate(bench.emit, 'cause', NO_CAUSE, '');
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
    objectTo: policy,
    defaultTests: async () => [],
    newTests: [],
    onRun: async seen => {
      const { state, objections } = await enforcePolicy(bench, [], { objectTo: policy });
      if (objections.length > 0) return `${objectionText(objections)}\nThis run does not count.`;
      options.keep(state);
      return lock.see(seen);
    },
    debug: { takeCause: lock.take, isLocked: lock.objection },
    gate,
  });
  if (end.kind !== 'finished') return { ...end, best: undefined };
  if (!accepted) throw new Error('the fix was accepted but is not there');
  return { kind: 'green', ...accepted, best: undefined };
}

/** What configures linters, formatters, compilers and build tools: with it any command can be silenced. */
const TOOL_CONFIG =
  /(^|\/)(Makefile|GNUmakefile|justfile|Justfile|Taskfile[^/]*|\.eslint[^/]*|eslint\.config\.[^/]+|biome\.jsonc?|\.prettier[^/]*|prettier\.config\.[^/]+|\.stylelint[^/]*|stylelint\.config\.[^/]+|\.flake8|\.?ruff\.toml|mypy\.ini|\.mypy\.ini|\.pylintrc|pylintrc|\.golangci[^/]*|clippy\.toml|\.editorconfig|tslint\.json|\.pre-commit-config\.yaml|pyproject\.toml|setup\.cfg|tox\.ini|noxfile\.py|package\.json)$|\.(sh|bash|mk)$/;

/** Tests, configuration, and whatever else decides what the command says. */
const menderPolicy = (bench: Workbench, { commandPaths }: MendOptions) => {
  const policy = greenPolicy(bench, { files: [] });
  return (path: string): string | undefined =>
    policy(path) ??
    (commandPaths.includes(path) || TOOL_CONFIG.test(path)
      ? 'it decides what the command says; mend what the command complains about'
      : undefined);
};
