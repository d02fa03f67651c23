import { randomBytes } from 'node:crypto';
import { type AgentUser, emptyFolders } from './agent-user.ts';
import { withBigScripts } from './big-script.ts';
import { type Commands, createCommands } from './container-commands.ts';
import type { Engine } from './engine.ts';
import { agentEnvironment, namesToEmpty } from './environment.ts';
import { chooseLimits } from './limits.ts';
import { cutContainerNetwork, repairNames } from './network.ts';
import { LABEL, removeContainer, startOwnContainer } from './own-container.ts';
import { INSIDE, type Place, type PlaceSnapshot } from './place.ts';

export interface ContainerPlaceOptions {
  readonly engine: Engine;
  readonly id: string;
  readonly kind: 'service' | 'docker';
  readonly image: string;
  readonly agent: AgentUser;
  readonly runLabel: string;
  /** `NAME=value` pairs of the container. */
  readonly environment: readonly string[];
  /** Names emptied in every command. */
  readonly emptied: readonly string[];
  readonly signal: AbortSignal | undefined;
  /** `lent`: the runner's own, left as it was found. `ours`: removed at the end. */
  readonly ownership: 'lent' | 'ours';
  readonly sealed: boolean;
}

/** A place in a running, prepared container. */
export function containerPlace(options: ContainerPlaceOptions): Place {
  const { engine, id, agent, kind, image, ownership } = options;
  let sealed = options.sealed;
  const commands = createCommands({
    engine,
    id,
    agent,
    workdir: INSIDE.workdir,
    env: { ...agentEnvironment(INSIDE.home), ...Object.fromEntries(options.emptied.map(name => [name, ''])) },
    signal: options.signal,
    // The engine writes the name files anew at each start.
    onRestart: async () => {
      if (sealed) await repairNames(engine, id);
    },
  });
  return {
    kind,
    image,
    isolated: true,
    workdir: INSIDE.workdir,
    scratch: INSIDE.scratch,
    tools: agent.tools,
    run: withBigScripts(commands.run, INSIDE.scratch),
    rootShell: commands.runAsRoot,
    cutNetwork: async () => {
      await commands.killAll();
      await cutContainerNetwork(engine, id);
      sealed = true;
    },
    snapshot: async () => {
      await commands.killAll();
      return takeSnapshot(options);
    },
    dispose: () =>
      ownership === 'ours' ? removeContainer(engine, id) : leaveClean(engine, id, agent, commands),
  };
}

async function takeSnapshot(options: ContainerPlaceOptions): Promise<PlaceSnapshot> {
  const { engine, id, runLabel } = options;
  const tag = `redgreen-${runLabel.toLowerCase()}:${randomBytes(4).toString('hex')}`;
  const label = `LABEL ${LABEL}=${runLabel}`;
  const digest = await engine.ask(['commit', '--change', label, id, tag], { timeoutMs: 300_000 });
  const limits = await chooseLimits(engine);
  const emptied = namesToEmpty(options.environment);
  const start = async (): Promise<Place> => {
    const own = await startOwnContainer({ engine, image: tag, runLabel, limits, stage: 'sealed', emptied });
    // Started with no-new-privileges, whatever the first container was.
    const agent = { ...options.agent, wrapper: [] };
    return containerPlace({ ...options, id: own, agent, emptied, ownership: 'ours', sealed: true });
  };
  return { digest, start, dispose: () => removeImage(engine, tag) };
}

async function removeImage(engine: Engine, tag: string): Promise<void> {
  const result = await engine.run(['image', 'rm', '--force', tag], { timeoutMs: 60_000 });
  const words = result.stderr.toString();
  const gone = result.exit.kind === 'code' && (result.exit.code === 0 || words.includes('No such image'));
  if (!gone) throw new Error(`A snapshot could not be removed: ${words.trim()}`);
}

/** The runner removes its service at the end of the job; until then nothing of ours is in it. */
async function leaveClean(engine: Engine, id: string, agent: AgentUser, commands: Commands): Promise<void> {
  await commands.killAll();
  await emptyFolders(engine, id, agent.user);
  await engine.run(['exec', '-u', '0:0', '-w', '/', id, 'rm', '-rf', INSIDE.root], { timeoutMs: 60_000 });
}
