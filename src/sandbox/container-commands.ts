import { messageOf } from '../errors.ts';
import type { ExecResult, ShellRequest } from '../types.ts';
import type { AgentUser } from './agent-user.ts';
import { type Engine, failureOf } from './engine.ts';
import { environmentArgs } from './environment.ts';
import type { Job, Run } from './place.ts';

export interface CommandsOptions {
  readonly engine: Engine;
  readonly id: string;
  readonly agent: AgentUser;
  readonly workdir: string;
  readonly env: Readonly<Record<string, string>>;
  readonly signal: AbortSignal | undefined;
  /** Called after the container had to be restarted, before the next command. */
  readonly onRestart: () => Promise<void>;
}

export interface Commands {
  readonly run: Run;
  readonly runAsRoot: (request: ShellRequest) => Promise<ExecResult>;
  /** Ends everything that runs as the agent, and waits for it. Never throws. */
  readonly killAll: () => Promise<void>;
}

interface Killing {
  /** How many processes the kernel had killed for want of memory; undefined where it does not tell. */
  readonly oomKills: number | undefined;
  /** True when the container had to be started anew. */
  readonly restarted: boolean;
  readonly problem?: string;
}

/**
 * Commands in a container. The kill of what a command left behind begins when the command returns and overlaps what the
 * caller does next; the next command awaits it. `-w` and `-u` are constant, so that no path or name of the agent's
 * making ever reaches the container runtime.
 */
export function createCommands(options: CommandsOptions): Commands {
  const { engine, id, agent, workdir } = options;
  let killing: Promise<Killing> = Promise.resolve({ oomKills: undefined, restarted: false });
  let oomKills = 0;

  const run = async (job: Job): Promise<ExecResult> => {
    const before = await killing;
    if (before.problem !== undefined) return failed(before.problem);
    oomKills = before.oomKills ?? oomKills;
    const script = `cd ${workdir} || exit 126; ${job.script}`;
    const env = environmentArgs({ ...options.env, ...job.env });
    const command = [...agent.wrapper, 'sh', '-c', script];
    const interactive = job.stdin === undefined ? [] : ['-i'];
    const args = ['exec', ...interactive, '-u', agent.user, '-w', '/', ...env, id, ...command];
    const result = await engine.run(args, streamsOf(job, options.signal));
    const ended = result.exit.kind === 'code' && result.exit.code !== 137;
    if (!job.ours || !ended) killing = settled(killOrRestart(options));
    return judge(result, async () => ({ ...(await killing), before: oomKills }));
  };

  const runAsRoot = async (request: ShellRequest): Promise<ExecResult> => {
    const args = ['exec', ...(request.stdin === undefined ? [] : ['-i']), '-u', '0:0', '-w', '/'];
    const env = environmentArgs({ CI: 'true', ...request.env });
    const result = await engine.run(
      [...args, ...env, id, 'sh', '-c', request.script],
      streamsOf(request, options.signal),
    );
    // Root's processes can only be ended with the container.
    if (result.exit.kind !== 'code') killing = settled(restart(options));
    return judge(result, async () => ({ oomKills: undefined, restarted: false, before: 0 }));
  };

  return {
    run,
    runAsRoot,
    killAll: async () => {
      await killing;
      killing = settled(killOrRestart(options));
      await killing;
    },
  };
}

function streamsOf(job: Job, signal: AbortSignal | undefined) {
  const signals = [job.signal, signal].filter(one => one !== undefined);
  return {
    ...(job.stdin !== undefined && { stdin: job.stdin }),
    ...(job.timeoutMs !== undefined && { timeoutMs: job.timeoutMs }),
    ...(job.maxOutputBytes !== undefined && { maxOutputBytes: job.maxOutputBytes }),
    ...(job.onOutput && { onOutput: job.onOutput }),
    ...(job.onStdout && { onStdout: job.onStdout }),
    ...(signals.length > 0 && { signal: AbortSignal.any(signals) }),
  };
}

const ENGINE_WORDS =
  /^(Error response from daemon|OCI runtime exec failed|Error: No such container|error during connect|Cannot connect to the Docker daemon|unable to upgrade to tcp)/;

/**
 * Parts the engine's failures from the program's. The client says 1 or 126 for its own too, so its words decide; a program
 * that prints them can only make its own run look as if it had not been one. Codes above 128 stay codes: the client
 * gives 137 for a signal and for `exit 137` alike.
 */
async function judge(
  result: ExecResult,
  killed: () => Promise<Killing & { before: number }>,
): Promise<ExecResult> {
  if (result.exit.kind !== 'code') return result;
  const { code } = result.exit;
  // Some engines put the runtime's words into standard output.
  const words = (result.stderr.length > 0 ? result.stderr : result.stdout).toString('utf8', 0, 1000).trim();
  if ([1, 125, 126, 127].includes(code) && ENGINE_WORDS.test(words)) {
    return failedAs(result, `the sandbox container did not run the command: ${words}`);
  }
  if (code !== 137) return result;
  const { oomKills, before, restarted, problem } = await killed();
  if (restarted || problem !== undefined) {
    return failedAs(result, `the sandbox container stopped while the command ran. ${problem ?? ''}`.trim());
  }
  return (oomKills ?? 0) > before ? { ...result, exit: { kind: 'out-of-memory' } } : result;
}

const failedAs = (result: ExecResult, message: string): ExecResult => ({
  ...result,
  exit: { kind: 'failed-to-start', message },
});

const failed = (message: string): ExecResult => ({
  exit: { kind: 'failed-to-start', message },
  stdout: Buffer.alloc(0),
  stderr: Buffer.alloc(0),
  truncated: false,
  durationMs: 0,
});

/**
 * Kills by uid, because it is the only thing that a daemon can not evade; then looks whether anybody is left. Nothing but
 * builtins: at the process limit a shell can not fork. Ends with 99 when somebody will not die.
 */
const killScript = (uid: string) => `
others() {
  for status in /proc/[0-9]*/status; do
    case $status in /proc/$$/status) continue;; esac
    state= owner=
    while read -r key value rest; do
      case $key in State:) state=$value;; Uid:) owner=$value; break;; esac
    done <$status
    case $owner$state in ${uid}[!ZX]) return 0;; esac
  done 2>/dev/null
  return 1
}
tries=0
kill -9 -1 2>/dev/null
while others; do
  kill -9 -1 2>/dev/null
  tries=$((tries + 1))
  [ $tries -gt 300 ] && exit 99
done
for file in /sys/fs/cgroup/memory.events /sys/fs/cgroup/memory/memory.oom_control; do
  [ -r $file ] && while read -r key value; do [ "$key" = oom_kill ] && echo "$value"; done <$file
done
exit 0
`;

/** Never rejects: nobody may be waiting for it yet. */
const settled = (killing: Promise<Killing>): Promise<Killing> =>
  killing.catch((error: unknown) => ({
    oomKills: undefined,
    restarted: true,
    problem: `The sandbox container did not come back: ${messageOf(error)}`,
  }));

async function killOrRestart(options: CommandsOptions): Promise<Killing> {
  const { engine, id, agent } = options;
  const uid = agent.user.split(':', 1)[0] ?? '';
  const args = ['exec', '-u', agent.user, '-w', '/', id, 'sh', '-c', killScript(uid)];
  const killed = await engine.run(args, { timeoutMs: 20_000 });
  if (killed.exit.kind === 'code' && killed.exit.code === 0) {
    const count = Number.parseInt(killed.stdout.toString(), 10);
    return { oomKills: Number.isNaN(count) ? undefined : count, restarted: false };
  }
  return restart(options);
}

async function restart({ engine, id, onRestart }: CommandsOptions): Promise<Killing> {
  const restarted = await engine.run(['restart', '-t', '0', id], { timeoutMs: 60_000 });
  if (restarted.exit.kind !== 'code' || restarted.exit.code !== 0) {
    return {
      oomKills: undefined,
      restarted: true,
      problem: `The sandbox container is gone: ${failureOf(restarted)}`,
    };
  }
  await onRestart();
  return { oomKills: 0, restarted: true };
}
