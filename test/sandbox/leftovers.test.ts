import { readdir } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { buildHostImage } from '../../scripts/host-image.ts';
import { removeLeftovers } from '../../src/sandbox/leftovers.ts';
import { isAlive } from '../../src/sandbox/marked-processes.ts';
import { openSandbox } from '../../src/sandbox/open-sandbox.ts';
import { ask, unlessDocker } from '../helpers/docker-engine.ts';
import { engine, makeGround } from './places.ts';

it.skipIf(!engine.available)(
  `a crashed run's containers and images go, and no others${unlessDocker(engine)}`,
  async () => {
    const image = await buildHostImage();
    const crashed = await makeGround({ kind: 'docker', image });
    const other = await makeGround({ kind: 'docker', image });
    const neighbour = await openSandbox(other.options);
    const snapshot = await (await openSandbox(crashed.options)).snapshot();
    await snapshot.start();

    const removed = await removeLeftovers(crashed.options);
    expect(removed.map(line => line.split(' ')[0])).toEqual(['container', 'container', 'image']);
    const label = `label=redgreen=${crashed.options.runLabel}`;
    expect(await ask(['ps', '--all', '--quiet', '--filter', label])).toBe('');
    expect(await ask(['images', '--quiet', '--filter', label])).toBe('');
    expect((await neighbour.shell({ script: 'echo here' })).stdout.toString()).toBe('here\n');
    expect(await removeLeftovers(crashed.options)).toEqual([]);

    await neighbour.dispose();
    await Promise.all([crashed.remove(), other.remove()]);
  },
);

it('folders and processes go, also where there is no docker', async () => {
  const { options, remove } = await makeGround({ kind: 'unsafe-local' });
  const withoutEngine = { ...options, dockerHost: 'unix:///nonexistent/docker.sock' };
  const sandbox = await openSandbox(withoutEngine);
  await openSandbox({ ...withoutEngine, kind: 'bubblewrap' });
  const running = sandbox.shell({
    script: 'mkdir shut; touch shut/x; chmod 000 shut; echo $$ >../scratch/pid; sleep 30',
  });
  await sleep(400);
  expect(
    (await readdir(options.hostFolder)).filter(name => name.startsWith('redgreen-')).length,
  ).toBeGreaterThan(1);

  const removed = await removeLeftovers(withoutEngine);
  expect(removed.length).toBeGreaterThan(1);
  expect((await running).exit).toEqual({ kind: 'signal', signal: 9 });
  expect((await readdir(options.hostFolder)).filter(name => name.startsWith('redgreen-'))).toEqual([]);
  expect(isAlive(process.pid)).toBe(true);
  await remove();
});
