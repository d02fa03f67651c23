import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createEngine, type Engine, type EngineOptions } from './engine.ts';
import { folderPrefix, removeFolder } from './host-folders.ts';
import { killMarked } from './marked-processes.ts';
import { LABEL, removeContainer } from './own-container.ts';

export interface LeftoversOptions extends EngineOptions {
  readonly runLabel: string;
}

/**
 * Removes what a run that crashed or was cancelled has left: containers and images by label, folders and processes by
 * name. Returns what it removed, for people. Does its work without an engine too.
 */
export async function removeLeftovers(options: LeftoversOptions): Promise<readonly string[]> {
  const fromEngine = await removeFromEngine(await createEngine(options), options.runLabel);
  return [...fromEngine, ...(await removeFolders(options))];
}

async function removeFromEngine(engine: Engine, runLabel: string): Promise<string[]> {
  const filter = ['--filter', `label=${LABEL}=${runLabel}`];
  const containers = await idsOf(engine, ['ps', '--all', '--quiet', '--no-trunc', ...filter]);
  for (const id of containers) await removeContainer(engine, id);
  const images = await idsOf(engine, ['images', '--quiet', '--no-trunc', ...filter]);
  for (const id of images) await engine.run(['image', 'rm', '--force', id], { timeoutMs: 60_000 });
  return [
    ...containers.map(id => `container ${id.slice(0, 12)}`),
    ...images.map(id => `image ${id.slice(7, 19)}`),
  ];
}

/** None where no engine answers. */
async function idsOf(engine: Engine, args: readonly string[]): Promise<string[]> {
  const result = await engine.run(args, { timeoutMs: 30_000 });
  if (result.exit.kind !== 'code' || result.exit.code !== 0) return [];
  return [...new Set(result.stdout.toString().split('\n').filter(Boolean))];
}

async function removeFolders({ runLabel, hostFolder, hostPath }: LeftoversOptions): Promise<string[]> {
  await killMarked(runLabel, join(hostFolder, `${folderPrefix(runLabel)}local`));
  const names = await readdir(hostFolder).catch(() => []);
  const ours = names.filter(name => name.startsWith(folderPrefix(runLabel)));
  for (const name of ours) await removeFolder(join(hostFolder, name), hostPath);
  return ours.map(name => `folder ${name}`);
}
