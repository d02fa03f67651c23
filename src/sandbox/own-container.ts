import { randomBytes } from 'node:crypto';
import type { Engine } from './engine.ts';
import { type Limits, limitArgs } from './limits.ts';
import { REPAIR_NAMES } from './network.ts';

export interface OwnContainerOptions {
  readonly engine: Engine;
  readonly image: string;
  readonly runLabel: string;
  readonly limits: Limits;
  /** `set-up`: on the default network, and root may do what installing packages takes. `sealed`: no network, no capability at all. */
  readonly stage: 'set-up' | 'sealed';
  /** Variables that the image has and that nobody inside shall see. */
  readonly emptied: readonly string[];
}

/** Label by which this run's containers and images are found again. */
export const LABEL = 'redgreen';

/**
 * Starts a container of ours and returns its id. Main process is root without privileges to gain, so that the kill by uid
 * does not reach it; no tmpfs and no volume, because a snapshot would drop them.
 */
export async function startOwnContainer(options: OwnContainerOptions): Promise<string> {
  const { engine, image, runLabel, limits, stage, emptied } = options;
  const name = `redgreen-${runLabel}-${randomBytes(4).toString('hex')}`;
  const args = [
    'run',
    '--detach',
    '--name',
    name,
    '--label',
    `${LABEL}=${runLabel}`,
    '--init',
    ...STAGES[stage],
  ];
  const confined = [
    '--cap-drop',
    'ALL',
    '--security-opt',
    'no-new-privileges',
    '--user',
    '0:0',
    '--workdir',
    '/',
  ];
  const plain = ['--no-healthcheck', '--log-driver', 'none', '--shm-size', '256m', '--hostname', 'sandbox'];
  const env = ['-e', 'CI=true', ...emptied.flatMap(variable => ['-e', `${variable}=`])];
  const sleep = `while :; do sleep 3600; done`;
  const main = stage === 'sealed' ? `${REPAIR_NAMES}\n${sleep}` : sleep;
  const all = [
    ...args,
    ...confined,
    ...plain,
    ...limitArgs(limits),
    ...env,
    '--entrypoint',
    'sh',
    image,
    '-c',
    main,
  ];
  return engine.ask(all, { timeoutMs: 600_000 });
}

/** Never throws for one that is gone already. */
export async function removeContainer(engine: Engine, id: string): Promise<void> {
  const result = await engine.run(['rm', '--force', '--volumes', id], { timeoutMs: 60_000 });
  const words = result.stderr.toString();
  const gone =
    result.exit.kind === 'code' && (result.exit.code === 0 || /No such container|in progress/.test(words));
  if (!gone) throw new Error(`A sandbox container could not be removed: ${words.trim()}`);
}

/** What apt, apk and dnf need as root; with `no-new-privileges` the agent can not gain any of it. */
const INSTALLING = ['CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'FSETID', 'SETGID', 'SETUID'];

const STAGES = {
  'set-up': INSTALLING.flatMap(capability => ['--cap-add', capability]),
  sealed: ['--network', 'none', '--pull', 'never'],
} as const;
