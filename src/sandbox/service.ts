import { prepareAgentUser } from './agent-user.ts';
import { containerPlace } from './container-place.ts';
import type { Engine } from './engine.ts';
import { proxiesWithPassword } from './environment.ts';
import { findContainer } from './find-container.ts';
import { imageEnvironment, imageNameOf } from './inspect.ts';
import { limitRunning } from './limits.ts';
import type { Place } from './place.ts';
import { assertSafe } from './preflight.ts';
import type { SandboxOptions } from './sandbox.ts';

/** The job's service container as a sandbox. Throws a UserError that lists everything that speaks against it. */
export async function openService(engine: Engine, wanted: string, options: SandboxOptions): Promise<Place> {
  const facts = await findContainer(engine, wanted);
  const imageEnv = await imageEnvironment(engine, facts.Image);
  assertSafe(facts, {
    imageEnv,
    protectedFolders: [options.hostFolder, ...(options.protectedFolders ?? [])],
  });
  const image = imageNameOf(facts);
  const [agent, unlimited] = await Promise.all([
    prepareAgentUser(engine, facts.Id, image),
    limitRunning(engine, facts),
  ]);
  if (unlimited) options.note('warning', `The sandbox runs without limits of ours: ${unlimited}`);
  if (!agent.noNewPrivileges) {
    options.note(
      'warning',
      "The sandbox can not forbid new privileges: add `--security-opt no-new-privileges` to the service's options.",
    );
  }
  const environment = facts.Config.Env ?? [];
  return containerPlace({
    engine,
    id: facts.Id,
    kind: 'service',
    image,
    agent,
    runLabel: options.runLabel,
    environment,
    emptied: proxiesWithPassword(environment),
    signal: options.signal,
    ownership: 'lent',
    sealed: false,
  });
}
