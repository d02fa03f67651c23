import type { Readable } from 'node:stream';
import { execa } from 'execa';
import type { ExecResult, Exit } from '../types.ts';

export interface HostCommand {
  readonly file: string;
  readonly args: readonly string[];
  /** The child's whole environment. Nothing is inherited: a secret reaches a child only when it stands here. */
  readonly env: Readonly<Record<string, string>>;
  /** Default `/`, so that no folder that others can write to is ever the current one. */
  readonly cwd?: string;
  readonly stdin?: Uint8Array | string | Readable;
  /** Default 120,000. */
  readonly timeoutMs?: number;
  /** Default 10 MiB, both streams together. */
  readonly maxOutputBytes?: number;
  readonly signal?: AbortSignal;
  readonly onOutput?: (stream: 'stdout' | 'stderr', chunk: Buffer) => void;
  /** Called with standard output as it comes, without keeping or counting it. For streams larger than memory should hold. */
  readonly onStdout?: (stdout: Readable) => void;
}

const MEBIBYTE = 1024 * 1024;

/**
 * Runs a program of the host and returns how it ended; never throws for what the program did.
 * Standard streams are always pipes, so nothing a child prints can reach the runner's log by itself.
 */
export async function exec(command: HostCommand): Promise<ExecResult> {
  const started = performance.now();
  const { timeoutMs = 120_000, maxOutputBytes = 10 * MEBIBYTE } = command;
  const durationMs = () => performance.now() - started;
  if (command.signal?.aborted) return { ...nothing, exit: { kind: 'cancelled' }, durationMs: durationMs() };

  const child = start(command);
  let stop: Exit | undefined;
  const halt = (exit: Exit) => {
    stop ??= exit;
    killGroup(child.pid);
  };
  const timer = setTimeout(() => halt({ kind: 'timeout', timeoutMs }), timeoutMs);
  const cancel = () => halt({ kind: 'cancelled' });
  const leave = () => killGroup(child.pid);
  command.signal?.addEventListener('abort', cancel, { once: true });
  process.once('exit', leave);
  const output = collect(child, command, maxOutputBytes, halt);
  try {
    const result = await child;
    return { exit: stop ?? exitOf(result), ...output(), durationMs: durationMs() };
  } finally {
    clearTimeout(timer);
    process.off('exit', leave);
    command.signal?.removeEventListener('abort', cancel);
  }
}

function start(command: HostCommand) {
  const given = typeof command.stdin === 'string' ? Buffer.from(command.stdin) : command.stdin;
  return execa(command.file, command.args, {
    env: command.env,
    extendEnv: false,
    cwd: command.cwd ?? '/',
    ...(given ? { input: given } : { stdin: 'ignore' }),
    stdout: 'pipe',
    stderr: 'pipe',
    buffer: false,
    encoding: 'buffer',
    reject: false,
    // An own process group: a shell's children hold its pipes open, so they must be killed with it.
    detached: true,
    cleanup: false,
  });
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

interface Streams {
  readonly stdout: Readable | null;
  readonly stderr: Readable | null;
}

function collect(child: Streams, command: HostCommand, maxBytes: number, halt: (exit: Exit) => void) {
  const kept = { stdout: [] as Buffer[], stderr: [] as Buffer[] };
  let size = 0;
  const keep = (name: 'stdout' | 'stderr') => (chunk: Buffer) => {
    const room = Math.max(0, maxBytes - size);
    size += chunk.length;
    if (room > 0) kept[name].push(chunk.length > room ? chunk.subarray(0, room) : chunk);
    if (size > maxBytes) halt({ kind: 'output-limit', maxBytes });
    command.onOutput?.(name, chunk);
  };
  if (command.onStdout && child.stdout) command.onStdout(child.stdout);
  else child.stdout?.on('data', keep('stdout'));
  child.stderr?.on('data', keep('stderr'));
  return () => ({
    stdout: Buffer.concat(kept.stdout),
    stderr: Buffer.concat(kept.stderr),
    truncated: size > maxBytes,
  });
}

const SIGNALS: Readonly<Record<string, number>> = {
  SIGHUP: 1,
  SIGINT: 2,
  SIGQUIT: 3,
  SIGABRT: 6,
  SIGKILL: 9,
  SIGSEGV: 11,
  SIGPIPE: 13,
  SIGTERM: 15,
};

interface Ended {
  readonly exitCode?: number | undefined;
  readonly signal?: string | undefined;
  readonly originalMessage?: string | undefined;
  readonly code?: string | undefined;
}

function exitOf(result: Ended): Exit {
  if (result.signal) return { kind: 'signal', signal: SIGNALS[result.signal] ?? 0 };
  if (result.exitCode !== undefined) return { kind: 'code', code: result.exitCode };
  return {
    kind: 'failed-to-start',
    message: result.originalMessage ?? result.code ?? 'the program could not be started',
  };
}

const nothing = { stdout: Buffer.alloc(0), stderr: Buffer.alloc(0), truncated: false };
