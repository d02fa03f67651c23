import { randomBytes } from 'node:crypto';
import { exec } from '../../src/lib/exec.ts';

export type DockerEngine =
  | {
      readonly available: true;
      /** Undefined: the client's own default socket. */
      readonly dockerHost: string | undefined;
      readonly hostPath: string;
    }
  | {
      readonly available: false;
      readonly reason: string;
      readonly dockerHost: undefined;
      readonly hostPath: string;
    };

const hostPath = process.env.PATH ?? '/usr/local/bin:/usr/bin:/bin';

/** Whether a Docker engine answers; starts none. */
export async function dockerEngine(): Promise<DockerEngine> {
  const result = await docker(['version', '--format', '{{.Server.Version}}']);
  if (result.exit.kind === 'code' && result.exit.code === 0) {
    return { available: true, dockerHost: process.env.DOCKER_HOST, hostPath };
  }
  const reason = `${result.stderr}`.trim().split('\n')[0] || JSON.stringify(result.exit);
  // A run without its sandboxes proves nothing: where it counts, it has to fail.
  if (process.env.CI) throw new Error(`CI has no Docker engine: ${reason}`);
  return { available: false, reason, dockerHost: undefined, hostPath };
}

/** What a test that needs an engine says when there is none. */
export const unlessDocker = (engine: DockerEngine): string =>
  engine.available ? '' : ` (skipped: no Docker engine, ${engine.reason})`;

export function docker(args: readonly string[]) {
  const env: Record<string, string> = { PATH: hostPath };
  if (process.env.DOCKER_HOST) env.DOCKER_HOST = process.env.DOCKER_HOST;
  return exec({ file: 'docker', args, env });
}

/** Runs `docker` and returns what it printed; throws when it failed. */
export async function ask(args: readonly string[]): Promise<string> {
  const result = await docker(args);
  if (result.exit.kind === 'code' && result.exit.code === 0) return result.stdout.toString().trim();
  throw new Error(`docker ${args.join(' ')}: ${result.stderr} ${JSON.stringify(result.exit)}`);
}

export interface Service {
  readonly id: string;
  readonly name: string;
  readonly alias: string;
  readonly network: string;
  /** Address of the host on the service's network. */
  readonly gateway: string;
  /** What the runner does at the end of a job. */
  readonly stop: () => Promise<void>;
}

export interface ServiceOptions {
  readonly image: string;
  /** As under `options:` in a workflow. Default `--tty --init`. */
  readonly options?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Default: a name of its own, so that tests at the same time do not find each other. */
  readonly alias?: string;
  /** For options such as `--privileged`, with which not every engine can start a container. */
  readonly startMayFail?: boolean;
}

/** Starts a service container as the runner does before the first step. */
export async function startService(service: ServiceOptions): Promise<Service> {
  const suffix = randomBytes(6).toString('hex');
  const network = `github_network_${suffix}`;
  const alias = service.alias ?? `sandbox-${suffix}`;
  const name = `${suffix}_sandbox`;
  const variables = { ...service.env, GITHUB_ACTIONS: 'true', CI: 'true' };
  const env = Object.entries(variables).flatMap(([key, value]) => ['-e', `${key}=${value}`]);
  const options = service.options ?? ['--tty', '--init'];
  await ask(['network', 'create', '--label', suffix, network]);
  const place = ['--name', name, '--label', suffix, '--network', network, '--network-alias', alias];
  const stop = async () => {
    await docker(['rm', '--force', '--volumes', name]);
    await docker(['network', 'rm', network]);
  };
  try {
    const id = await ask(['create', ...place, ...options, ...env, service.image]);
    await (service.startMayFail ? docker(['start', id]) : ask(['start', id]));
    const gateway = await ask([
      'network',
      'inspect',
      '--format',
      '{{(index .IPAM.Config 0).Gateway}}',
      network,
    ]);
    return { id, name, alias, network, gateway, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
