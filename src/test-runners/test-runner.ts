import type { BaseFiles, TestReport } from '../types.ts';

/** A test stack: how to recognise it, run it with a machine-readable report, and read that report. One file a kind; `detect.ts` lists them. */
export interface TestRunner {
  readonly name: 'node:test' | 'vitest' | 'jest' | 'mocha' | 'pytest';
  /** For prompts: the language's name, and how an unimplemented function says so there. */
  readonly language: string;
  readonly stubStatement: string;
  /** Undefined when the repository does not use this runner; otherwise why we think so, in words, and a rank (higher wins). */
  readonly detect: (files: BaseFiles) => Promise<RunnerMatch | undefined>;
  /** The script that installs dependencies, when the user gave no `setup-command`; empty when there is nothing to install. */
  readonly setupScript: (files: BaseFiles) => Promise<string>;
  /** Files that must lie in the sandbox's scratch folder for `command` (a reporter of ours, say). Path relative to it → text. */
  readonly scratchFiles: Readonly<Record<string, string>>;
  readonly command: (options: CommandOptions) => RunnerCommand;
  /** Reads a report. Throws an Error with a clear message for one that is broken, truncated or not a report. */
  readonly parse: (report: Buffer, workdir: string) => TestReport;
  /** Set when the report names files relative to the folder in which `command` ran; all others name them absolutely. */
  readonly reportsRelativePaths?: true;
  /** True for the files that hold tests and can be given to `command`. */
  readonly isTestFile: (path: string) => boolean;
  /** True for paths that the runner collects or that only tests use (fixtures, helpers in test folders, snapshots). */
  readonly isTestPath: (path: string) => boolean;
  /** True for configuration that changes what or how the runner runs. */
  readonly isConfigPath: (path: string) => boolean;
  /**
   * Text to append to a test file so that two more tests run in the same process or worker: one that must pass and one that must fail.
   * `passing` and `failing` are random names.
   */
  readonly sentinel: (
    file: { readonly path: string; readonly text: string },
    names: { readonly passing: string; readonly failing: string },
  ) => string;
}

export interface RunnerMatch {
  readonly why: string;
  readonly rank: number;
  /** The repository's own test command, when it has one that we build on. */
  readonly script?: string;
}

export interface CommandOptions {
  /** The user's `test-command` or the repository's own script; our flags are added to it. */
  readonly testCommand: string | undefined;
  /** Test files, relative; empty for the whole suite. */
  readonly files: readonly string[];
  /** Absolute path inside the sandbox for the report; its folder is fresh and empty. */
  readonly reportPath: string;
  readonly scratch: string;
  /** The folder in which the command runs, absolute. */
  readonly workdir: string;
}

export interface RunnerCommand {
  /** As a person would type it, without our report flags: for comments and the pull request. */
  readonly shown: string;
  readonly script: string;
  readonly env: Readonly<Record<string, string>>;
}
