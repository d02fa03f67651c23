import type { Baseline } from '../evidence/baseline.ts';
import type { Model } from '../model/model.ts';
import type { Emit } from '../run-events.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { TestRunner } from '../test-runners/test-runner.ts';
import type { TestRun } from '../types.ts';
import type { Budget } from './budget.ts';
import { restoration, type TreeState } from './tree-state.ts';

export type RoleName = 'specifier' | 'test-writer' | 'implementer' | 'reproducer' | 'debugger';

/** What every role works with: one sandbox, the way to run its tests, and the way to see and put back its files. */
export interface Workbench {
  readonly sandbox: Sandbox;
  readonly runner: TestRunner;
  readonly baseline: Baseline;
  readonly model: Model;
  readonly budget: Budget;
  readonly emit: Emit;
  readonly signal: AbortSignal | undefined;
  /** Environment part of the briefs. */
  readonly environment: string;
  readonly task: string;
  /** What the frozen tests are called in messages. Default `new tests`. */
  readonly aim?: 'new tests' | 'failing tests';
  /** Model calls that each role may make. */
  readonly maxSteps: Readonly<Record<RoleName, number>>;
  /** Runs test files, or the whole suite for an empty list, and tells the event stream. */
  readonly runTests: (purpose: string, files: readonly string[]) => Promise<TestRun>;
  /** The work folder now, as differences from the base commit; what set-up left behind is not counted. */
  readonly state: () => Promise<TreeState>;
}

/** Makes `paths` as they are in `wanted`. */
export async function putBack(
  bench: Workbench,
  current: TreeState,
  wanted: TreeState,
  paths: readonly string[],
): Promise<void> {
  if (paths.length === 0) return;
  const { write, remove } = restoration(current, wanted, paths);
  // A folder may stand where a file belongs. Outermost first, so that nothing is removed through a link.
  const places = [...remove, ...write.map(file => file.path)].sort();
  await bench.sandbox.remove(places);
  await bench.sandbox.copyIn(write);
}
