import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { buildHostImage } from '../../scripts/host-image.ts';
import { UserError } from '../../src/errors.ts';
import { findProgram } from '../../src/sandbox/host-folders.ts';
import { openSandbox } from '../../src/sandbox/open-sandbox.ts';
import { unlessDocker } from '../helpers/docker-engine.ts';
import { engine, makeGround } from './places.ts';

const closing: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const close of closing) await close();
});

const ground = async (more: Parameters<typeof makeGround>[0]) => {
  const made = await makeGround(more);
  closing.push(made.remove);
  return made;
};

/** A PATH with the shell's programs and the named ones only. */
async function pathWith(folder: string, ...programs: string[]): Promise<string> {
  const bin = join(folder, 'bin');
  await mkdir(bin, { recursive: true });
  for (const program of programs) {
    const found = await findProgram(engine.hostPath, program);
    if (found) await symlink(found, join(bin, program));
  }
  return bin;
}

const nowhere = 'unix:///nonexistent/docker.sock';

describe('the choice of a sandbox', () => {
  it.skipIf(!engine.available)(`is docker when an image is named${unlessDocker(engine)}`, async () => {
    const { options, notes } = await ground({ image: await buildHostImage() });
    const sandbox = await openSandbox(options);
    expect(sandbox.kind).toBe('docker');
    expect(notes).toEqual([expect.stringContaining('Sandbox: docker, redgreen-host:')]);
    await sandbox.dispose();
  });

  it('is bubblewrap without a container and an image, and says why', async () => {
    const { options, notes } = await ground({});
    const sandbox = await openSandbox(options);
    expect(sandbox.kind).toBe('bubblewrap');
    expect(notes[0]).toMatch(/^info: Sandbox bubblewrap was chosen: .*docker: /);
    await sandbox.dispose();
  });

  it('is bubblewrap with a warning when an image is named and no engine answers', async () => {
    const { options, notes } = await ground({ image: 'some:image', dockerHost: nowhere });
    const sandbox = await openSandbox(options);
    expect(sandbox.kind).toBe('bubblewrap');
    expect(notes[0]).toMatch(/^warning: .*no Docker engine answers/);
    await sandbox.dispose();
  });

  it('is an error that names each kind when there is none, and never unsafe-local', async () => {
    const { options } = await ground({ dockerHost: nowhere });
    const hostPath = await pathWith(options.hostFolder, 'docker');
    const error: UserError = await openSandbox({ ...options, hostPath }).catch(thrown => thrown);
    expect(error).toBeInstanceOf(UserError);
    expect(error.message).toMatch(
      /service: .*\ndocker: no Docker engine answers.*\nbubblewrap: .*not installed/,
    );
    expect(error.cure).toMatch(/job\.services\.sandbox\.id.*apparmor_restrict_unprivileged_userns/);
  });

  it('never replaces a container that was named', async () => {
    const { options } = await ground({ container: 'sandbox', dockerHost: nowhere });
    await expect(openSandbox(options)).rejects.toThrow(/no Docker engine answers/);
    const withoutClient = { ...options, hostPath: await pathWith(options.hostFolder, 'bwrap') };
    await expect(openSandbox(withoutClient)).rejects.toThrow(/no Docker engine answers/);
  });

  it.each([
    ['service', /needs to know its container/],
    ['docker', /needs an image/],
  ] as const)('asks for what %s needs', async (kind, message) => {
    const { options } = await ground({ kind });
    await expect(openSandbox(options)).rejects.toThrow(message);
  });

  it.skipIf(!engine.available)(`tells what is wrong with an image${unlessDocker(engine)}`, async () => {
    const odd = await ground({ kind: 'docker', image: '--privileged' });
    await expect(openSandbox(odd.options)).rejects.toThrow(/not the name of an image/);
  });

  it('warns of unsafe-local, which has no root', async () => {
    const { options, notes } = await ground({ kind: 'unsafe-local' });
    const sandbox = await openSandbox(options);
    expect(notes[0]).toMatch(/^warning: unsafe-local/);
    await expect(sandbox.rootShell({ script: 'true' })).rejects.toThrow(UserError);
    await sandbox.dispose();
  });

  it('stops with the run', async () => {
    const controller = new AbortController();
    const { options } = await ground({ kind: 'bubblewrap', signal: controller.signal });
    const sandbox = await openSandbox(options);
    const running = sandbox.shell({ script: 'sleep 30' });
    setTimeout(() => controller.abort(), 100);
    expect((await running).exit).toEqual({ kind: 'cancelled' });
    expect((await sandbox.shell({ script: 'true' })).exit).toEqual({ kind: 'cancelled' });
    await sandbox.dispose();
  });
});
