import type { Budget } from '../agents/budget.ts';
import type { TaskText } from '../agents/prompts/task.ts';
import type { Model } from '../model/model.ts';
import type { FailedCiJob } from '../report/ci-section.ts';
import type { Emit } from '../run-events.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { Diagnosis, FileChange, FunctionSpec, Proof, TreeFile } from '../types.ts';
import type { Project } from './project.ts';

/** Everything that a command may touch. `prepare-work.ts` builds it; it holds neither the configuration nor the token. */
export interface Deps {
  readonly project: Project;
  readonly model: Model;
  readonly budget: Budget;
  readonly emit: Emit;
  readonly signal: AbortSignal | undefined;
  readonly openSandbox: () => Promise<Sandbox>;
  readonly settings: Settings;
  /** Hears what would be published if the run ended now, each time that it is better than before. */
  readonly keep: (soFar: WorkResult) => void;
}

/** What has to do with the sandbox alone. */
export type SandboxDeps = Omit<Deps, 'model' | 'budget' | 'keep'>;

export interface Settings {
  readonly rootSetupCommand: string | undefined;
  /** Undefined: the test stack's own set-up. */
  readonly setupCommand: string | undefined;
  readonly testCommand: string | undefined;
  /** Folder whose tests and set-up are meant; undefined for the root. */
  readonly workingDirectory: string | undefined;
  /** Generated or ignored files of the runner's checkout that go in beside the commit's. */
  readonly included: readonly TreeFile[];
  /** Minutes for the runs of the proof together, and for any single run before. */
  readonly proofMinutes: number;
  /** Epoch milliseconds at which the run is stopped. */
  readonly deadline: number;
}

/** What a command is to do. */
export interface Request {
  readonly task: TaskText;
  /** Instructions to agents that somebody proposes are no instructions yet: true for paths that a pull request changed. */
  readonly isProposed?: (path: string) => boolean;
}

/** What a command came to, before anything is published. Work that was done is in `change` whatever the outcome. */
export interface WorkResult {
  readonly outcome: 'proven' | 'unproven' | 'blocked' | 'partial' | 'not-reproduced' | 'failed';
  /** A sentence; empty when proven. */
  readonly reason: string;
  /** What to do about it, when a person has to. */
  readonly cure?: string;
  readonly change: readonly FileChange[];
  readonly proof?: Proof;
  /** Path → the model's sentence. */
  readonly descriptions: ReadonlyMap<string, string>;
  /** What the specification step asked for, in dependency order. */
  readonly functions: readonly FunctionSpec[];
  /** Of a fix: what was wrong. */
  readonly diagnosis?: Diagnosis;
  /** Of a fix: the tests that failed three times, with what they said; and whether they pass on the commit that a pull request started from. */
  readonly failing?: readonly { readonly id: string; readonly said: string }[];
  readonly passOnBase?: boolean;
  /** What failed in CI, of a fix on a pull request. */
  readonly ciJobs?: readonly FailedCiJob[];
  /** What a reader must look at, a sentence each. */
  readonly remarks?: readonly string[];
  /** Those of them that make it doubtful whether the cause was cured. */
  readonly doubts?: readonly string[];
  /** Of a fix that only the exit code of `test-command` can show. */
  readonly commandGreen?: { readonly command: string; readonly before: string; readonly after: string };
  /** The model's own summary of what it did; a claim, shown as one. */
  readonly summary: string;
  readonly isTestPath: (path: string) => boolean;
  /** Commands that were run, as a person would type them. */
  readonly commands: readonly string[];
  readonly sandbox: string;
}
