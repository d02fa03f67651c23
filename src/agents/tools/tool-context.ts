import type { Shell } from '../../types.ts';

/** What tools may touch: the sandbox's shell, and the judgements of the step that they serve. */
export interface ToolContext {
  readonly shell: Shell;
  readonly workdir: string;
  /** Why this step may not change a path, or undefined. */
  readonly objectTo: (path: string) => string | undefined;
  /** Why nothing at all may be edited now, in the words for the model; undefined when editing is open. */
  readonly isLocked?: () => string | undefined;
  /** Runs test files, or the step's own when none are given, or the whole suite; answers what the model should read. */
  readonly runTests: (request: {
    readonly files: readonly string[];
    readonly full: boolean;
  }) => Promise<{ readonly text: string; readonly ok: boolean; readonly summary: string }>;
}
