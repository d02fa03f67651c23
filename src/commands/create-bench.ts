import { type EnvironmentFacts, environmentPrompt } from '../agents/prompts/environment.ts';
import { taskPrompt } from '../agents/prompts/task.ts';
import { differing, without } from '../agents/tree-state.ts';
import type { Workbench } from '../agents/workbench.ts';
import type { Baseline } from '../evidence/baseline.ts';
import { runFacts } from '../evidence/proof-run.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { runTests } from '../test-runners/run-tests.ts';
import { typicalTests } from '../test-runners/suite-facts.ts';
import type { BaseFiles, TestRun } from '../types.ts';
import type { Deps, Request } from './deps.ts';
import { folderTree } from './folder-tree.ts';
import type { Prepared } from './prepare-sandbox.ts';
import type { Stack } from './stack.ts';

/** Runs tests in one sandbox and tells the event stream. */
export const testRunIn =
  (deps: Deps, stack: Stack, sandbox: Sandbox, prefix = '') =>
  async (purpose: string, files: readonly string[]): Promise<TestRun> => {
    const run = await runTests({
      shell: sandbox.shell,
      runner: stack.runner,
      testCommand: stack.testCommand,
      files,
      workdir: sandbox.workdir,
      scratch: sandbox.scratch,
      timeoutMs: Math.max(
        1_000,
        Math.min(deps.settings.proofMinutes * 60_000, deps.settings.deadline - Date.now()),
      ),
      ...(deps.signal && { signal: deps.signal }),
    });
    deps.emit({ kind: 'tests-ran', purpose: prefix + purpose, run: runFacts(run) });
    return run;
  };

/** What is known before the agent begins. */
export interface Groundwork {
  readonly prepared: Prepared;
  readonly stack: Stack;
  readonly baseline: Baseline;
  /** Paths that the suite itself writes; left out of every state. */
  readonly litter: readonly string[];
  /** The test command as a person would type it. */
  readonly shownCommand: string;
}

/** The agent's sandbox as the roles see it. */
export async function createBench(deps: Deps, request: Request, ground: Groundwork): Promise<Workbench> {
  const { project } = deps;
  const { stack, baseline, litter } = ground;
  const { sandbox, leftovers } = ground.prepared;
  return {
    sandbox,
    runner: stack.runner,
    baseline,
    model: deps.model,
    budget: deps.budget,
    emit: deps.emit,
    signal: deps.signal,
    environment: environmentPrompt(await environmentFacts(request, project.files, ground)),
    task: taskPrompt(request.task),
    maxSteps: { specifier: 30, 'test-writer': 40, implementer: 80, reproducer: 40, debugger: 80 },
    runTests: testRunIn(deps, stack, sandbox),
    state: async () => {
      const { change, refused } = await project.difference(sandbox);
      for (const entry of refused)
        deps.emit({
          kind: 'note',
          level: 'warning',
          text: `left in the sandbox: ${entry.path}: ${entry.reason}`,
        });
      const changed = new Set(differing(leftovers, change));
      const same = leftovers.filter(file => !changed.has(file.path));
      return without(change, [...same.map(file => file.path), ...litter]);
    },
  };
}

const INSTRUCTION_FILES = ['AGENTS.md', 'CLAUDE.md', '.github/copilot-instructions.md'];
const MAX_INSTRUCTIONS = 8_000;

async function environmentFacts(
  request: Request,
  files: BaseFiles,
  ground: Groundwork,
): Promise<EnvironmentFacts> {
  const { stack, baseline, shownCommand } = ground;
  const instructions = INSTRUCTION_FILES.find(
    path => files.paths.includes(path) && !request.isProposed?.(path),
  );
  const text = instructions ? await files.text(instructions) : undefined;
  return {
    language: stack.runner.language,
    runner: stack.runner.name,
    isInstalled: ground.prepared.setupProblem === undefined,
    testCommand: shownCommand,
    passing: baseline.passed.length,
    failing: baseline.failed,
    flaky: baseline.flaky,
    tree: folderTree(files.paths, stack.runner.isTestPath),
    exampleTests: typicalTests(files, stack.runner),
    instructions: text?.slice(0, MAX_INSTRUCTIONS),
  };
}
