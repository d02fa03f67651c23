import type { Engine } from './engine.ts';
import type { ContainerFacts } from './inspect.ts';

/** Enough for a JVM build's threads, and an end to a fork bomb. */
const PIDS = 2048;
const MEMORY_SHARE = 0.75;
const GIBIBYTE = 1024 ** 3;

export interface Limits {
  readonly memoryBytes: number;
  readonly cpus: number;
}

/** Three quarters of the engine's memory: what is left keeps the runner alive. */
export async function chooseLimits(engine: Engine): Promise<Limits> {
  const [memory, cpus] = (await engine.ask(['info', '--format', '{{.MemTotal}} {{.NCPU}}']))
    .split(' ')
    .map(Number);
  return {
    memoryBytes: Math.max(GIBIBYTE, Math.floor((memory ?? 0) * MEMORY_SHARE)),
    cpus: Math.max(1, cpus ?? 1),
  };
}

/** Arguments of `docker run`. */
export const limitArgs = ({ memoryBytes, cpus }: Limits): string[] => [
  ...[
    '--pids-limit',
    `${PIDS}`,
    '--memory',
    `${memoryBytes}`,
    '--memory-swap',
    `${memoryBytes}`,
    '--cpus',
    `${cpus}`,
  ],
  ...['--ulimit', 'nofile=8192:8192', '--ulimit', 'core=0', '--ulimit', `fsize=${8 * GIBIBYTE}`],
];

/** Limits a container that somebody else started, where it has none of its own. Returns why it could not, if so. */
export async function limitRunning(engine: Engine, facts: ContainerFacts): Promise<string | undefined> {
  const { Memory, NanoCpus, CpuQuota, PidsLimit } = facts.HostConfig;
  const limits = await chooseLimits(engine);
  const args: string[] = [];
  if (!PidsLimit || PidsLimit < 0) args.push('--pids-limit', `${PIDS}`);
  if (Memory === 0) args.push('--memory', `${limits.memoryBytes}`, '--memory-swap', `${limits.memoryBytes}`);
  if (NanoCpus === 0 && CpuQuota <= 0) args.push('--cpus', `${limits.cpus}`);
  if (args.length === 0) return undefined;
  const result = await engine.run(['update', ...args, facts.Id]);
  return result.exit.kind === 'code' && result.exit.code === 0 ? undefined : result.stderr.toString().trim();
}
