import { messageOf, UserError } from '../errors.ts';
import { openBubblewrap } from './bubblewrap.ts';
import { openDocker } from './docker.ts';
import { createEngine, type Engine, engineProblem } from './engine.ts';
import { containerInput } from './find-container.ts';
import type { Place } from './place.ts';
import type { Sandbox, SandboxOptions } from './sandbox.ts';
import { sandboxOver } from './sandbox-over.ts';
import { openService } from './service.ts';
import { openUnsafeLocal } from './unsafe-local.ts';

/**
 * Opens the sandbox that was asked for; with `auto`, the strongest that there is. Says which, and throws a UserError that
 * names each kind and what it lacks when there is none. Never settles for `unsafe-local` by itself.
 */
export async function openSandbox(options: SandboxOptions): Promise<Sandbox> {
  if (!/^[A-Za-z0-9-]+$/.test(options.runLabel)) throw new Error(`Not a run label: ${options.runLabel}`);
  const place = options.kind === 'auto' ? await openAny(options) : await OPENERS[options.kind](options);
  options.note('info', `Sandbox: ${place.kind}, ${place.image}`);
  return sandboxOver(place);
}

const OPENERS: Record<Place['kind'], (options: SandboxOptions) => Promise<Place>> = {
  service: async options => {
    if (options.container === undefined) {
      throw new UserError(
        'The sandbox `service` needs to know its container.',
        `Set \`${containerInput('sandbox')}\`.`,
      );
    }
    return openService(await answeringEngine(options), options.container, options);
  },
  docker: async options => {
    if (options.image === undefined) {
      throw new UserError(
        'The sandbox `docker` needs an image.',
        'Set `image` to one with your tools, such as `node:24`.',
      );
    }
    return openDocker(await answeringEngine(options), options.image, options);
  },
  bubblewrap: openBubblewrap,
  'unsafe-local': options => {
    options.note(
      'warning',
      'unsafe-local: nothing keeps the code from this machine, its network and its secrets.',
    );
    return openUnsafeLocal(options);
  },
};

async function answeringEngine(options: SandboxOptions): Promise<Engine> {
  const engine = await createEngine(options);
  const problem = await engineProblem(engine);
  if (problem === undefined) return engine;
  throw new UserError(
    `The sandbox can not be opened: ${problem}.`,
    'Use a runner with Docker whose socket this user may open, or `sandbox: bubblewrap`.',
  );
}

/** A container that was named is used or refused, never replaced by something else. */
async function openAny(options: SandboxOptions): Promise<Place> {
  if (options.container !== undefined) return OPENERS.service(options);
  const engine = await createEngine(options);
  const problem = await engineProblem(engine);
  if (problem === undefined && options.image !== undefined) return openDocker(engine, options.image, options);
  const noDocker = problem ?? 'an engine answers, but `image` is not set';
  try {
    const place = await openBubblewrap(options);
    const level = options.image === undefined ? 'info' : 'warning';
    options.note(
      level,
      `Sandbox bubblewrap was chosen: no service container was named; docker: ${noDocker}.`,
    );
    return place;
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    throw nothingServes(noDocker, messageOf(error), error);
  }
}

const nothingServes = (noDocker: string, noBubblewrap: string, cause: UserError): UserError =>
  new UserError(
    [
      'There is no sandbox to run code in.',
      'service: `sandbox-container` is not set.',
      `docker: ${noDocker}.`,
      `bubblewrap: ${noBubblewrap}`,
    ].join('\n'),
    `Add a service container to the job and pass its id as \`${containerInput('sandbox')}\`; ` +
      `or set \`image\`. For bubblewrap: ${cause.cure}`,
    { cause },
  );
