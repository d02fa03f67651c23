/** The nouns that travel between rooms. Types only; whoever makes a thing documents how. */

// ── processes ────────────────────────────────────────────────────────────────────────────────────

/** How a process ended. A code other than 0 is a result like any other; `failed-to-start` is the engine's fault, not the program's. */
export type Exit =
  | { readonly kind: 'code'; readonly code: number }
  | { readonly kind: 'signal'; readonly signal: number }
  | { readonly kind: 'timeout'; readonly timeoutMs: number }
  | { readonly kind: 'out-of-memory' }
  | { readonly kind: 'output-limit'; readonly maxBytes: number }
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'failed-to-start'; readonly message: string };

/** A finished process is data. `stdout` and `stderr` are never mixed; both are cut at the caller's `maxOutputBytes` together. */
export interface ExecResult {
  readonly exit: Exit;
  readonly stdout: Buffer;
  readonly stderr: Buffer;
  /** True when output beyond `maxOutputBytes` was dropped. */
  readonly truncated: boolean;
  readonly durationMs: number;
}

/** A POSIX `sh` script to run in a work folder. Nothing that it starts outlives it. */
export interface ShellRequest {
  readonly script: string;
  readonly stdin?: Uint8Array | string;
  /** Default 120,000. */
  readonly timeoutMs?: number;
  /** Standard output and error together. Default 10 MiB; past it the script is killed with `output-limit`. */
  readonly maxOutputBytes?: number;
  readonly env?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  readonly onOutput?: (stream: 'stdout' | 'stderr', chunk: Buffer) => void;
}

/** Runs a script somewhere: every sandbox is one of these, and `git/` and `test-runners/` do not ask whose it is. */
export type Shell = (request: ShellRequest) => Promise<ExecResult>;

// ── files ────────────────────────────────────────────────────────────────────────────────────────

export type FileMode = '100644' | '100755' | '120000';

/** One file of a tree as git sees it. `path` is relative, with `/`; a link's bytes are its target. */
export interface TreeFile {
  readonly path: string;
  readonly mode: FileMode;
  readonly bytes: Buffer;
}

/** One path that differs from the base tree. `before`/`after` are absent when the file was added/deleted. */
export interface FileChange {
  readonly path: string;
  readonly status: 'added' | 'modified' | 'deleted';
  readonly before?: TreeFile;
  readonly after?: TreeFile;
}

/** Read access to the files of one commit, for detection; never the work tree. */
export interface BaseFiles {
  /** All paths, sorted. */
  readonly paths: readonly string[];
  /** UTF-8 text of a small file, or undefined when it is not there. */
  readonly text: (path: string) => Promise<string | undefined>;
}

export type FileKind = 'code' | 'test' | 'data' | 'image';

/** A line of the file summary. Everything but `description` is a fact from the diff. */
export interface FileSummaryRow {
  readonly path: string;
  readonly kind: FileKind;
  readonly status: FileChange['status'];
  /** Lines; undefined for binary files. */
  readonly added: number | undefined;
  readonly removed: number | undefined;
  readonly description: string;
}

/** A function that the specification asks for. */
export interface FunctionSpec {
  readonly name: string;
  readonly file: string;
  readonly purpose: string;
  readonly inputs?: string | undefined;
  readonly outputs?: string | undefined;
  readonly errors?: string | undefined;
  readonly dependencies: readonly string[];
  readonly complexity?: string | undefined;
}

// ── tests ────────────────────────────────────────────────────────────────────────────────────────

export type TestStatus = 'passed' | 'failed' | 'skipped' | 'todo';

/** Why a test failed. Only the first two are a good red: the others say nothing about behaviour. */
export type FailureKind = 'assertion' | 'not-implemented' | 'missing-symbol' | 'timeout' | 'error';

export interface TestFailure {
  readonly kind: FailureKind;
  readonly message: string;
  readonly expected?: string;
  readonly received?: string;
  readonly stack?: string;
}

export interface TestCase {
  /** `file::group > name`, unique within a report and stable between runs. */
  readonly id: string;
  readonly file: string;
  readonly name: string;
  readonly status: TestStatus;
  readonly line?: number;
  readonly durationMs?: number;
  readonly failure?: TestFailure;
}

/** A test file that could not be loaded or collected, or that left before its tests had run. */
export interface FileError {
  readonly file: string;
  readonly message: string;
}

export interface TestReport {
  readonly cases: readonly TestCase[];
  readonly fileErrors: readonly FileError[];
}

/** One run of a test command. No `report` means that no fresh, well-formed report appeared; `problem` says why. */
export interface TestRun {
  readonly command: string;
  readonly exit: Exit;
  readonly report?: TestReport;
  readonly reportSha256?: string;
  readonly problem?: string;
  /** Output of the command, both streams, cut in the middle. For people and models, never evidence. */
  readonly log: string;
  readonly durationMs: number;
  /** Present in proof runs: what the two planted tests reported. */
  readonly sentinels?: SentinelVerdict;
}

export type SentinelVerdict = { readonly honest: true } | { readonly honest: false; readonly reason: string };

// ── the model ────────────────────────────────────────────────────────────────────────────────────

export interface ToolCall {
  readonly id: string;
  readonly name: string;
  /** The arguments as the model wrote them: JSON text, perhaps malformed. */
  readonly arguments: string;
}

export type Message =
  | { readonly role: 'system' | 'user'; readonly content: string }
  | {
      readonly role: 'assistant';
      readonly content: string;
      readonly toolCalls: readonly ToolCall[];
      /** Fields of the endpoint's own (such as `reasoning_content`), echoed back as they came. */
      readonly extra?: Readonly<Record<string, unknown>>;
    }
  | { readonly role: 'tool'; readonly toolCallId: string; readonly content: string };

export type AssistantMessage = Extract<Message, { role: 'assistant' }>;

/** Tokens and money of one or more model calls. `costUsd` is undefined when the model's price is not known. */
export interface Usage {
  readonly calls: number;
  readonly inputTokens: number;
  readonly cachedInputTokens: number;
  readonly outputTokens: number;
  readonly costUsd: number | undefined;
}

// ── what a run ends in ───────────────────────────────────────────────────────────────────────────

export type Outcome =
  | 'proven'
  | 'unproven'
  | 'blocked'
  | 'partial'
  | 'not-reproduced'
  | 'answered'
  | 'refused'
  | 'failed'
  | 'cancelled'
  | 'crashed'
  | 'ignored';

/** One step of the proof, with the evidence by which a third party can check it. */
export interface ProofRun {
  readonly name:
    | 'baseline'
    | 'baseline-again'
    | 'reproduction'
    | 'on-base'
    | 'red'
    | 'green'
    | 'suite'
    | 'old-tests'
    | 'characterization'
    | 'command-before'
    | 'command-after';
  readonly command: string;
  readonly exit: Exit;
  readonly reportSha256: string | undefined;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly durationMs: number;
  readonly problem?: string;
  /**
   * What became of the two planted tests. `honest`: one passed and one failed, as they had to, and both are left out of the counts; the
   * planted failure is why such a run exits with an error.
   */
  readonly sentinels?: 'honest' | 'misreported';
}

/** A test that the change turns from failing to passing, or that the proof expected to. */
export interface ProofTest {
  readonly id: string;
  readonly before: TestStatus | 'missing' | FailureKind;
  /** First line of what it said when it failed before. */
  readonly said?: string;
  readonly after: TestStatus | 'missing';
}

/** Why something was wrong, and what was done about it: the model's words, but for the evidence, which the harness saw as it is quoted. */
export interface Diagnosis {
  /** What was wrong, and why that makes the tests fail. */
  readonly cause: string;
  /** `file:line` of the root cause. */
  readonly place: string;
  /** Each a line or two of output or source that was on the record before the first edit. */
  readonly evidence: readonly { readonly source: string; readonly quote: string }[];
  /** How it was fixed. */
  readonly fix: string;
  /** Of a failure that was reported in words: what the tests written for it show. */
  readonly reproduced?: string;
}

/** The machine-checked claim of a run; written to `proof.json` as it is. */
export interface Proof {
  readonly version: 1;
  readonly proven: boolean;
  /** False with `unsafe-local`: the runs shared the machine with the agent. */
  readonly isolated: boolean;
  /** A sentence; empty when proven. */
  readonly reason: string;
  readonly base: string;
  readonly sandbox: { readonly kind: string; readonly image: string; readonly snapshot: string };
  readonly runner: string;
  readonly setupCommand: string;
  readonly runs: readonly ProofRun[];
  readonly failToPass: readonly ProofTest[];
  /** Ids that passed before and after. */
  readonly passToPass: readonly string[];
  readonly brokenTests: readonly string[];
  readonly lostTests: readonly string[];
  /** Ids that failed on the base already; never blamed on the change. */
  readonly failedBefore: readonly string[];
  /** Ids that differed between the two baseline runs. */
  readonly flaky: readonly string[];
  /** Path → SHA-256 of every new or changed test file, frozen when the tests were red. */
  readonly frozenTests: Readonly<Record<string, string>>;
  /** Path → SHA-256 of every file of the change. */
  readonly change: Readonly<Record<string, string | 'deleted'>>;
  /** What was not done for want of time, in words. */
  readonly skippedForTime: readonly string[];
}
