import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildHostImage, hasBusybox } from '../../scripts/host-image.ts';
import { openSandbox } from '../../src/sandbox/open-sandbox.ts';
import type { Sandbox, SandboxKind, SandboxOptions } from '../../src/sandbox/sandbox.ts';
import { ask, dockerEngine, startService } from '../helpers/docker-engine.ts';

export const engine = await dockerEngine();

/** A folder and a label for one test's sandboxes. */
export interface Ground {
  readonly options: SandboxOptions;
  readonly notes: string[];
  readonly remove: () => Promise<void>;
}

export async function makeGround(more: Partial<SandboxOptions> = {}): Promise<Ground> {
  const notes: string[] = [];
  const hostFolder = await mkdtemp(join(tmpdir(), 'redgreen-test-'));
  const options: SandboxOptions = {
    kind: 'auto',
    container: undefined,
    image: undefined,
    runLabel: `Test-${randomBytes(4).toString('hex')}`,
    hostFolder,
    hostPath: engine.hostPath,
    dockerHost: engine.dockerHost,
    note: (level, text) => notes.push(`${level}: ${text}`),
    ...more,
  };
  return { options, notes, remove: () => rm(hostFolder, { recursive: true, force: true }) };
}

export interface Opened {
  readonly sandbox: Sandbox;
  readonly ground: Ground;
  /** The host's address as seen from inside while there is a network. */
  readonly hostAddress: string;
  /** The service's container, where there is one. */
  readonly container: string | undefined;
  readonly close: () => Promise<void>;
}

export interface Kind {
  readonly title: string;
  readonly kind: SandboxKind;
  readonly runnable: boolean;
  readonly open: () => Promise<Opened>;
}

const plain = async (kind: SandboxKind, image?: string): Promise<Opened> => {
  const ground = await makeGround({ kind, image });
  const sandbox = await openSandbox(ground.options);
  const hostAddress = kind === 'docker' ? await gatewayOfOwn(ground.options.runLabel) : '127.0.0.1';
  return { sandbox, ground, hostAddress, container: undefined, close: ground.remove };
};

const gatewayOfOwn = async (runLabel: string) => {
  const id = await ask(['ps', '--quiet', '--filter', `label=redgreen=${runLabel}`]);
  return ask(['inspect', '--format', '{{.NetworkSettings.Gateway}}', id]);
};

const service = async (image: string, options: readonly string[]): Promise<Opened> => {
  const started = await startService({ image, options });
  const ground = await makeGround({ container: started.id });
  try {
    const sandbox = await openSandbox(ground.options);
    const close = async () => {
      await started.stop();
      await ground.remove();
    };
    return { sandbox, ground, hostAddress: started.gateway, container: started.id, close };
  } catch (error) {
    await started.stop();
    throw error;
  }
};

const HARDENED = ['--tty', '--init', '--cap-drop', 'ALL', '--security-opt', 'no-new-privileges'];

export const KINDS: readonly Kind[] = [
  {
    title: 'service',
    kind: 'service',
    runnable: engine.available,
    open: async () => service(await buildHostImage(), ['--tty']),
  },
  {
    title: 'service, busybox and hardened',
    kind: 'service',
    runnable: engine.available && hasBusybox(),
    open: async () => service(await buildHostImage({ busybox: true }), HARDENED),
  },
  {
    title: 'docker',
    kind: 'docker',
    runnable: engine.available,
    open: async () => plain('docker', await buildHostImage()),
  },
  {
    title: 'bubblewrap',
    kind: 'bubblewrap',
    runnable: process.platform === 'linux',
    open: () => plain('bubblewrap'),
  },
  { title: 'unsafe-local', kind: 'unsafe-local', runnable: true, open: () => plain('unsafe-local') },
];
