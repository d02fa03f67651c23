import type { ExecResult, Shell, ShellRequest, TreeFile } from '../types.ts';

export type SandboxKind = 'service' | 'docker' | 'bubblewrap' | 'unsafe-local';

/**
 * A place where code of the repository and of the model runs, and the only one. It holds a copy of files,
 * no token, no key and, after `cutNetwork`, no network. Everything that it says is data.
 */
export interface Sandbox {
  readonly kind: SandboxKind;
  /** False for `unsafe-local` alone. */
  readonly isolated: boolean;
  /** What runs inside, for people and the proof: an image's name and digest, or the host's name for the other kinds. */
  readonly image: string;
  /** Absolute path of the work folder inside; the same in every sandbox started from one snapshot. */
  readonly workdir: string;
  /** Absolute path of a folder inside, outside the work folder, for reports and reporters. Part of snapshots. */
  readonly scratch: string;
  /** Runs a script in the work folder as the unprivileged user. Nothing that it started is alive when the next one begins. */
  readonly shell: Shell;
  /** Runs `root-setup-command`. Only before `copyIn`, so that no repository code ever runs as root. Throws a UserError where the kind has no root. */
  readonly rootShell: (request: ShellRequest) => Promise<ExecResult>;
  /** Writes files below the work folder, over what is there; deletes nothing. Links stay links. */
  readonly copyIn: (files: Iterable<TreeFile> | AsyncIterable<TreeFile>) => Promise<void>;
  /** Removes paths below the work folder; absent ones are fine. */
  readonly remove: (paths: readonly string[]) => Promise<void>;
  /** Everything below the work folder that `prune` leaves, as one tar stream parsed on the host. */
  readonly copyOut: (options: CopyOutOptions) => Promise<CopyOutResult>;
  /** A one-commit `.git` without config, remote or hooks, for tools that ask git. Does nothing where the image has no git. */
  readonly plantGit: (tag: string | undefined) => Promise<void>;
  readonly cutNetwork: () => Promise<void>;
  readonly snapshot: () => Promise<Snapshot>;
  /** Kills everything inside and removes what we made. Idempotent; never throws for a container that is already gone. */
  readonly dispose: () => Promise<void>;
}

/** The state of a sandbox after set-up. Fresh sandboxes start from it, have no network, and never saw the agent. */
export interface Snapshot {
  /** Digest of the image or of the copied tree, for the proof. */
  readonly digest: string;
  readonly start: () => Promise<Sandbox>;
  readonly dispose: () => Promise<void>;
}

export interface CopyOutOptions {
  /**
   * Given folders below the work folder (relative, `/`-separated), answers those to leave out: the base's ignore rules,
   * applied on the host. Called once for each depth, parents first, and never about what lies below a folder that is left
   * out. `.git` is always left out.
   */
  readonly prune: (folders: readonly string[]) => Promise<ReadonlySet<string>>;
  /** Only these paths, when given. */
  readonly only?: readonly string[];
  /** Default 100,000. */
  readonly maxFiles?: number;
  /** How many folders `prune` may be asked about. Default 200,000. */
  readonly maxFolders?: number;
  /** Default 512 MiB. */
  readonly maxTotalBytes?: number;
  /** Default 100 MiB, GitHub's own limit for one file. */
  readonly maxFileBytes?: number;
}

export interface CopyOutResult {
  readonly files: readonly TreeFile[];
  /** Entries that can not be published (devices, hard links out, odd names, too large), each with its reason. Never dropped silently. */
  readonly refused: readonly { readonly path: string; readonly reason: string }[];
}

/** What `openSandbox` needs to know; `prepare-work.ts` fills it from inputs. */
export interface SandboxOptions {
  readonly kind: 'auto' | SandboxKind;
  /** Id, name or network alias of the service container. */
  readonly container: string | undefined;
  /** Image for kind `docker`. */
  readonly image: string | undefined;
  /** Names this run's containers, images and folders, so that the post step finds them. Letters, digits and dashes. */
  readonly runLabel: string;
  /** A folder of the host that only we use, for the folder kinds and for Docker's client configuration. */
  readonly hostFolder: string;
  /** More folders of the host (the workspace, the runner's temporary files) that a service container must not mount. */
  readonly protectedFolders?: readonly string[];
  /** The host's PATH and DOCKER_HOST, if any: how the engine's client is found. Nothing else of the host's environment travels. */
  readonly hostPath: string;
  readonly dockerHost: string | undefined;
  readonly note: (level: 'info' | 'warning', text: string) => void;
  readonly signal?: AbortSignal;
}
