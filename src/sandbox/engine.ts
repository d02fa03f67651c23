import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { exec, type HostCommand } from '../lib/exec.ts';
import type { ExecResult } from '../types.ts';
import type { SandboxOptions } from './sandbox.ts';

/** A Docker engine, spoken to through its command-line client. */
export interface Engine {
  /** Runs `docker <args>`; how it ended is data. */
  readonly run: (args: readonly string[], more?: Partial<HostCommand>) => Promise<ExecResult>;
  /** Runs `docker <args>` and returns what it printed, trimmed. Throws the engine's own words when it failed. */
  readonly ask: (args: readonly string[], more?: Partial<HostCommand>) => Promise<string>;
}

export type EngineOptions = Pick<SandboxOptions, 'hostPath' | 'dockerHost' | 'hostFolder'>;

/**
 * The client sees PATH, DOCKER_HOST and an empty configuration folder: a user's own would add registry credentials,
 * and its `proxies` would put their passwords into every container's environment.
 */
export async function createEngine({ hostPath, dockerHost, hostFolder }: EngineOptions): Promise<Engine> {
  const config = join(hostFolder, 'docker-config');
  await mkdir(config, { recursive: true, mode: 0o700 });
  const env = { PATH: hostPath, DOCKER_CONFIG: config, ...(dockerHost && { DOCKER_HOST: dockerHost }) };
  const run: Engine['run'] = (args, more) => exec({ file: 'docker', args, env, ...more });
  const ask: Engine['ask'] = async (args, more) => {
    const result = await run(args, more);
    if (result.exit.kind === 'code' && result.exit.code === 0) return result.stdout.toString().trim();
    throw new Error(`docker ${args[0]}: ${failureOf(result)}`);
  };
  return { run, ask };
}

/** The engine's words for what went wrong. */
export function failureOf({ exit, stderr }: ExecResult): string {
  if (exit.kind === 'failed-to-start') return exit.message;
  const words = stderr.toString().trim();
  return words === '' || exit.kind !== 'code' ? `${JSON.stringify(exit)} ${words}`.trim() : words;
}

/** Why no engine can be used, or undefined when one answers. */
export async function engineProblem(engine: Engine): Promise<string | undefined> {
  const result = await engine.run(['version', '--format', '{{.Server.Version}}'], { timeoutMs: 15_000 });
  if (result.exit.kind === 'code' && result.exit.code === 0) return undefined;
  return `no Docker engine answers (${failureOf(result).split('\n')[0]})`;
}
