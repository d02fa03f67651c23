import type { Readable } from 'node:stream';
import type { ExecResult, ShellRequest } from '../types.ts';
import type { SandboxKind } from './sandbox.ts';

/**
 * What each kind of sandbox does in its own way: run a script, cut, copy itself, go.
 * Everything else (files, git, order) is built on `run` and is the same for all.
 */
export interface Place {
  readonly kind: SandboxKind;
  readonly isolated: boolean;
  readonly image: string;
  readonly workdir: string;
  readonly scratch: string;
  readonly tools: Tools;
  /** Runs a script as the agent in the work folder. Never called twice at once. Nothing of an earlier run is alive when it begins. */
  readonly run: Run;
  readonly rootShell: (request: ShellRequest) => Promise<ExecResult>;
  readonly cutNetwork: () => Promise<void>;
  readonly snapshot: () => Promise<PlaceSnapshot>;
  readonly dispose: () => Promise<void>;
}

export interface PlaceSnapshot {
  readonly digest: string;
  readonly start: () => Promise<Place>;
  readonly dispose: () => Promise<void>;
}

export type Run = (job: Job) => Promise<ExecResult>;

/** A script, with streams where a `ShellRequest` has bytes. */
export interface Job extends Omit<ShellRequest, 'stdin'> {
  readonly stdin?: Uint8Array | string | Readable;
  /** Gets standard output instead of the result. */
  readonly onStdout?: (stdout: Readable) => void;
  /** The script is ours and starts nothing of the repository's: nothing has to be killed after it. */
  readonly ours?: boolean;
}

/** What the programs inside can do. */
export interface Tools {
  readonly gnuTar: boolean;
  /** `find -print0` works. */
  readonly print0: boolean;
}

/** The same absolute paths in every kind but `unsafe-local`. Root owns the folder above, so that the agent can not swap them for links. */
export const INSIDE = {
  root: '/redgreen',
  workdir: '/redgreen/work',
  home: '/redgreen/home',
  scratch: '/redgreen/scratch',
} as const;
