import { protection } from '../../evidence/protected-paths.ts';
import type { TestRun } from '../../types.ts';
import { failureSignature, failureSummary } from '../failure-summary.ts';
import { type AgentEnd, type Gate, runAgent } from '../loop.ts';
import { systemPrompt } from '../prompts/system.ts';
import { type CauseContext, type Shown, squeezed } from '../tools/name-cause.ts';
import type { Tool } from '../tools/tool.ts';
import type { ToolContext } from '../tools/tool-context.ts';
import { debugToolSet, toolSet } from '../tools/tool-set.ts';
import type { Workbench } from '../workbench.ts';

export interface RoleOptions {
  /** Name of the conversation, as replay and log know it. */
  readonly role: string;
  readonly brief: string;
  readonly maxSteps: number;
  /** Why this role may not change a path, or undefined. */
  readonly objectTo: (path: string) => string | undefined;
  /** The files that `run_tests` runs when the model names none. */
  readonly defaultTests: () => Promise<readonly string[]>;
  readonly newTests: readonly string[];
  /** Sees each run that the model asks for. */
  readonly onRun?: (run: TestRun, full: boolean) => Promise<string | undefined>;
  readonly gate: Gate;
  /** Of the debug agent: takes the cause that it names, if this step looks for one, and says why nothing may be edited now. */
  readonly debug?: {
    readonly takeCause: CauseContext['take'];
    readonly isLocked?: () => string | undefined;
  };
}

/** One conversation of one role on the workbench. */
export function runRole(bench: Workbench, options: RoleOptions): Promise<AgentEnd> {
  const seen = new Map<string, number>();
  const runTests = async ({ files, full }: { readonly files: readonly string[]; readonly full: boolean }) => {
    const wanted = full ? [] : files.length > 0 ? files : await options.defaultTests();
    const run = await bench.runTests(`${options.role} asked`, wanted);
    const text = summarize(bench, options, run, seen, wanted.length === 0);
    const note = await options.onRun?.(run, wanted.length === 0);
    // Failing tests are what was asked about; only a run that tells nothing is a failed call.
    const ok = run.report !== undefined && run.problem === undefined;
    return {
      text: note ? `${text}\n<harness>${note}</harness>` : text,
      ok,
      summary: text.split('\n')[1] ?? run.command,
    };
  };
  return runAgent({
    role: options.role,
    model: bench.model,
    system: systemPrompt(),
    brief: options.brief,
    tools: toolsOf(options, {
      shell: bench.sandbox.shell,
      workdir: bench.sandbox.workdir,
      objectTo: path => protection(path) ?? options.objectTo(path),
      runTests,
      ...(options.debug?.isLocked && { isLocked: options.debug.isLocked }),
    }),
    budget: bench.budget,
    emit: bench.emit,
    signal: bench.signal,
    maxSteps: options.maxSteps,
    gate: options.gate,
  });
}

/** A debugger's tools remember what they showed: only that can be evidence. */
function toolsOf({ debug, brief }: RoleOptions, context: ToolContext): readonly Tool[] {
  if (!debug) return toolSet(context);
  const shown: Shown[] = [{ text: squeezed(brief), asked: '' }];
  const tools = debugToolSet(context, { shown: () => shown, take: debug.takeCause });
  return tools.map(tool => ({
    ...tool,
    run: async (args, signal) => {
      const result = await tool.run(args, signal);
      // What failed tells what was asked for, not what is there.
      if (result.ok || RUNNING.has(tool.name))
        shown.push({ text: squeezed(result.text), asked: squeezed(JSON.stringify(args)) });
      return result;
    },
  }));
}

/** Their output is of the repository, however they end. */
const RUNNING = new Set(['bash', 'run_tests']);

function summarize(
  bench: Workbench,
  options: RoleOptions,
  run: TestRun,
  seen: Map<string, number>,
  full: boolean,
): string {
  const text = failureSummary(run, {
    workdir: bench.sandbox.workdir,
    baseline: bench.baseline,
    newTests: options.newTests,
    aim: bench.aim,
    seen,
    full,
  });
  for (const test of run.report?.cases ?? []) {
    if (test.status !== 'failed') continue;
    const signature = failureSignature(test);
    seen.set(signature, (seen.get(signature) ?? 0) + 1);
  }
  return text;
}

/** A gate's own run, told to the model in the same words as its own runs. */
export const gateSummary = (
  bench: Workbench,
  run: TestRun,
  newTests: readonly string[],
  full: boolean,
): string =>
  failureSummary(run, {
    workdir: bench.sandbox.workdir,
    baseline: bench.baseline,
    newTests,
    aim: bench.aim,
    seen: new Map(),
    full,
  });
