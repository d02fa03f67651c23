import type { Engine } from './engine.ts';
import { inspectContainers, networksOf } from './inspect.ts';

/** Takes a container off every network, and makes sure of it. Throws when a network is left. */
export async function cutContainerNetwork(engine: Engine, id: string): Promise<void> {
  const [facts] = await inspectContainers(engine, [id]);
  if (!facts) throw new Error('The sandbox container is gone.');
  for (const network of networksOf(facts)) await engine.ask(['network', 'disconnect', network, id]);
  const [after] = await inspectContainers(engine, [id]);
  if (!after || networksOf(after).length > 0) throw new Error('The sandbox is still on a network.');
  await repairNames(engine, id);
}

/** Without it every look-up would wait ten seconds for a name server that is out of reach, that of the own host name too. */
export async function repairNames(engine: Engine, id: string): Promise<void> {
  await engine.ask(['exec', '-u', '0:0', '-w', '/', id, 'sh', '-c', REPAIR_NAMES]);
}

/** Runs as root. */
export const REPAIR_NAMES = `: >/etc/resolv.conf
read -r name </proc/sys/kernel/hostname
echo "127.0.0.1 localhost $name" >/etc/hosts`;
