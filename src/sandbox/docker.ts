import { messageOf, UserError } from '../errors.ts';
import { prepareAgentUser } from './agent-user.ts';
import { containerPlace } from './container-place.ts';
import type { Engine } from './engine.ts';
import { imageNameOf, inspectContainers } from './inspect.ts';
import { chooseLimits } from './limits.ts';
import { removeContainer, startOwnContainer } from './own-container.ts';
import type { Place } from './place.ts';
import type { SandboxOptions } from './sandbox.ts';

/** A container of our own, started hardened. On the engine's default network until the network is cut. */
export async function openDocker(engine: Engine, image: string, options: SandboxOptions): Promise<Place> {
  const { runLabel, signal } = options;
  const id = await start(engine, image, runLabel);
  try {
    const [facts] = await inspectContainers(engine, [id]);
    if (!facts?.State.Running) throw noShell(image, facts?.State.Status ?? 'gone');
    const agent = await prepareAgentUser(engine, id, image);
    const environment = facts.Config.Env ?? [];
    const common = { engine, id, runLabel, environment, signal, agent };
    const name = imageNameOf(facts);
    return containerPlace({
      ...common,
      kind: 'docker',
      image: name,
      emptied: [],
      ownership: 'ours',
      sealed: false,
    });
  } catch (error) {
    await removeContainer(engine, id);
    throw error;
  }
}

async function start(engine: Engine, image: string, runLabel: string): Promise<string> {
  if (!/^[A-Za-z0-9][\w.:/@-]*$/.test(image)) {
    throw new UserError(
      `${JSON.stringify(image)} is not the name of an image.`,
      'Set `image` to one, such as `node:24`.',
    );
  }
  const limits = await chooseLimits(engine);
  try {
    return await startOwnContainer({ engine, image, runLabel, limits, stage: 'set-up', emptied: [] });
  } catch (error) {
    throw new UserError(
      `The image ${image} could not be started: ${messageOf(error)}`,
      'Check the name. An image behind a login has to be pulled by an earlier step: our client carries no credentials.',
      { cause: error },
    );
  }
}

const noShell = (image: string, status: string): UserError =>
  new UserError(
    `A container of ${image} did not stay (${status}).`,
    'Use an image with a POSIX shell and `sleep`.',
  );
