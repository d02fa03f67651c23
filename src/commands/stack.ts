import type { TestRunner } from '../test-runners/test-runner.ts';

/** The test stack of a run: the runner, and the command that it builds on. */
export interface Stack {
  readonly runner: TestRunner;
  /** As `detectRunner` gave it; undefined for the runner's default. */
  readonly testCommand: string | undefined;
}
