import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildHostImage } from '../../scripts/host-image.ts';
import { UserError } from '../../src/errors.ts';
import { openSandbox } from '../../src/sandbox/open-sandbox.ts';
import { ask, docker, type Service, startService, unlessDocker } from '../helpers/docker-engine.ts';
import { engine, type Ground, makeGround } from './places.ts';

describe.skipIf(!engine.available)(`the service container${unlessDocker(engine)}`, () => {
  let image: string;
  const closing: (() => Promise<void>)[] = [];

  beforeAll(async () => {
    image = await buildHostImage();
  });
  afterAll(async () => {
    for (const close of closing) await close();
  });

  const service = async (options: readonly string[], env: Record<string, string> = {}): Promise<Service> => {
    const startMayFail = options.includes('--privileged');
    const started = await startService({ image, options, env, startMayFail });
    closing.push(started.stop);
    return started;
  };
  const ground = async (container: string, more = {}): Promise<Ground> => {
    const made = await makeGround({ container, ...more });
    closing.push(made.remove);
    return made;
  };
  const refusal = async (container: string, more = {}): Promise<UserError> => {
    const { options } = await ground(container, more);
    const opened = openSandbox(options).then(
      () => undefined,
      error => error,
    );
    const error = await opened;
    expect(error).toBeInstanceOf(UserError);
    return error;
  };

  it('is refused with every reason at once when it is no boundary', async () => {
    const options = ['--tty', '--privileged', '--pid', 'host', '--ipc', 'host', '--cap-add', 'SYS_PTRACE'];
    const mounts = [
      '-v',
      '/var/run/docker.sock:/var/run/docker.sock',
      '-v',
      '/:/host',
      '--device',
      '/dev/null:/dev/x',
    ];
    const confinement = ['--security-opt', 'seccomp=unconfined'];
    const { id } = await service([...options, ...mounts, ...confinement], {
      MY_TOKEN: 'x',
      DB_PASSWORD: 'y',
      PLAIN: 'z',
    });
    const { message, cure } = await refusal(id);
    for (const reason of [
      'privileged',
      "host's pid namespace",
      "host's ipc namespace",
      'SYS_PTRACE',
      'docker.sock',
      'mounts / at /host',
      'devices',
      'seccomp=unconfined',
      'MY_TOKEN, DB_PASSWORD',
    ]) {
      expect(message).toContain(reason);
    }
    expect(message).not.toMatch(/PLAIN|: x|: y/);
    expect(cure).toContain('options:');
  });

  it.each([
    ['seccomp=unconfined', ['--tty', '--security-opt', 'seccomp=unconfined'], {}],
    ["host's uts namespace", ['--tty', '--uts', 'host'], {}],
    ['a socket', ['--tty', '-v', '/var/run/docker.sock:/var/run/docker.sock'], {}],
    ['MY_TOKEN', ['--tty'], { MY_TOKEN: 'x' }],
  ])('is refused for one reason alone: %s', async (reason, options, env) => {
    const { id } = await service(options, { ...env });
    const { message } = await refusal(id);
    expect(message).toContain(reason);
    expect(message).not.toContain(';');
  });

  it('is refused when it mounts a folder that is to be kept from it, or one above or in it', async () => {
    const { options } = await ground('x');
    const parent = await service(['--tty', '-v', `${options.hostFolder}:/mounted`]);
    expect((await refusal(parent.id, { hostFolder: `${options.hostFolder}/deep` })).message).toContain(
      '/mounted',
    );
    const inside = await service(['--tty', '-v', `${options.hostFolder}/sub:/sub`]);
    const more = { protectedFolders: [options.hostFolder] };
    expect((await refusal(inside.id, more)).message).toContain(options.hostFolder);
  });

  it('is refused when it has stopped, or is not there', async () => {
    const stopped = await service([]);
    await ask(['wait', stopped.id]);
    expect((await refusal(stopped.id)).message).toContain('not running');
    const missing = await refusal('no-such-container');
    expect(missing.message).toContain('no container "no-such-container"');
    expect(missing.cure).toContain('job.services.sandbox.id');
    expect((await refusal('--privileged')).message).toContain('can not be the name');
  });

  it('is found by name and by network alias, but not when two have the alias', async () => {
    const { name, alias } = await service(['--tty']);
    for (const wanted of [name, alias]) {
      const { options } = await ground(wanted);
      const sandbox = await openSandbox(options);
      expect(sandbox.image).toContain(image);
      await sandbox.dispose();
    }
    const twin = await startService({ image, alias });
    closing.push(twin.stop);
    expect((await refusal(alias)).message).toContain(`network alias ${alias}`);
  });

  it('may have what its image brings, and hides passwords of proxies', async () => {
    const options = ['--tty', '--security-opt', 'no-new-privileges'];
    const { id } = await service(options, {
      HTTP_PROXY: 'http://me:word@proxy:1',
      http_proxy: 'http://proxy:1',
    });
    const { options: sandboxOptions } = await ground(id);
    const sandbox = await openSandbox(sandboxOptions);
    const script = 'echo "$HTTP_PROXY,$http_proxy"';
    expect((await sandbox.shell({ script })).stdout.toString()).toBe(',http://proxy:1\n');
    const snapshot = await sandbox.snapshot();
    const fresh = await snapshot.start();
    expect((await fresh.shell({ script })).stdout.toString()).toBe(',\n');
    await Promise.all([fresh.dispose(), sandbox.dispose()]);
    await snapshot.dispose();
  });

  it('gets limits where it has none, and keeps its own', async () => {
    const bare = await service(['--tty']);
    const own = await service(['--tty', '--memory', '300m', '--memory-swap', '300m', '--pids-limit', '99']);
    for (const { id } of [bare, own]) await openSandbox((await ground(id)).options);
    const format = '{{.HostConfig.PidsLimit}} {{.HostConfig.Memory}}';
    expect(await ask(['inspect', '--format', format, bare.id])).toMatch(/^2048 [1-9]\d{8,}$/);
    expect(await ask(['inspect', '--format', format, own.id])).toBe(`99 ${300 * 1024 * 1024}`);
  });

  it('runs the set-up of root as root, before and apart from the rest', async () => {
    const { id } = await service(['--tty']);
    const sandbox = await openSandbox((await ground(id)).options);
    const result = await sandbox.rootShell({
      script: 'id -u; echo "$X" >/usr/local/installed',
      env: { X: 'yes' },
    });
    expect(result.stdout.toString()).toBe('0\n');
    expect((await sandbox.shell({ script: 'cat /usr/local/installed' })).stdout.toString()).toBe('yes\n');
  });

  it('tells a lack of memory, and lives on', async () => {
    const { id } = await service(['--tty', '--init', '--memory', '200m', '--memory-swap', '200m']);
    const sandbox = await openSandbox((await ground(id)).options);
    const hog = 'node -e "const a = []; for (;;) a.push(Buffer.alloc(1e7, 1))"';
    expect((await sandbox.shell({ script: hog })).exit).toEqual({ kind: 'out-of-memory' });
    expect((await sandbox.shell({ script: 'exit 137' })).exit).toEqual({ kind: 'code', code: 137 });
  });

  it('survives a fork bomb', async () => {
    const { id } = await service(['--tty', '--init', '--pids-limit', '150']);
    const sandbox = await openSandbox((await ground(id)).options);
    const bomb = 'f() { f & f & sleep 0.1; }; f; sleep 30';
    const result = await sandbox.shell({ script: bomb, timeoutMs: 1500, maxOutputBytes: 1e9 });
    expect(['timeout', 'code']).toContain(result.exit.kind);
    expect((await sandbox.shell({ script: 'echo alive' })).stdout.toString()).toBe('alive\n');
    expect(await ask(['top', id, '-eo', 'pid,uid,args'])).not.toContain(' 1001 ');
  });

  it('says so when it stops in the middle, and is started again', async () => {
    const { id } = await service(['--tty', '--init']);
    const sandbox = await openSandbox((await ground(id)).options);
    await sandbox.cutNetwork();
    const running = sandbox.shell({ script: 'sleep 30' });
    setTimeout(() => docker(['kill', id]), 500);
    expect((await running).exit).toMatchObject({
      kind: 'failed-to-start',
      message: expect.stringContaining('stopped'),
    });
    const script = 'echo back; cat /etc/resolv.conf; cat /proc/net/route | wc -l';
    expect((await sandbox.shell({ script })).stdout.toString()).toBe('back\n1\n');
  });

  it('says so when it is gone', async () => {
    const { id } = await service(['--tty', '--init']);
    const sandbox = await openSandbox((await ground(id)).options);
    await docker(['rm', '--force', id]);
    await expect(sandbox.shell({ script: 'true' })).rejects.toThrow(
      /disappeared[\s\S]*(No such container|gone)/,
    );
    await expect(sandbox.shell({ script: 'true' })).rejects.toThrow('disappeared');
    await sandbox.dispose();
  });

  it('says so when the engine can not start the shell', async () => {
    const { id } = await service(['--tty', '--init', '--security-opt', 'no-new-privileges']);
    const sandbox = await openSandbox((await ground(id)).options);
    await sandbox.rootShell({ script: 'rm -f /usr/bin/sh' });
    await expect(sandbox.shell({ script: 'true' })).rejects.toThrow('disappeared');
    await sandbox.dispose();
  });

  it('ends what root began and did not finish', async () => {
    const { id } = await service(['--tty', '--init']);
    const sandbox = await openSandbox((await ground(id)).options);
    const { exit } = await sandbox.rootShell({ script: 'sleep 4321', timeoutMs: 300 });
    expect(exit.kind).toBe('timeout');
    expect((await sandbox.shell({ script: 'echo on' })).stdout.toString()).toBe('on\n');
    expect(await ask(['top', id, '-eo', 'pid,args'])).not.toContain('sleep 4321');
  });

  it('serves again after a run that crashed in it', async () => {
    const { id } = await service(['--tty', '--init', '--cap-drop', 'ALL']);
    const crashed = await openSandbox((await ground(id)).options);
    await crashed.shell({ script: 'mkdir shut; echo old >shut/file; chmod 000 shut' });
    const sandbox = await openSandbox((await ground(id)).options);
    expect((await sandbox.shell({ script: 'ls -A; id -u' })).stdout.toString()).toBe('1001\n');
  });

  it('takes a program that speaks like the engine for a program when it did not fail like it', async () => {
    const { id } = await service(['--tty', '--init']);
    const sandbox = await openSandbox((await ground(id)).options);
    const result = await sandbox.shell({ script: 'echo "Error response from daemon: x" >&2; exit 3' });
    expect(result.exit).toEqual({ kind: 'code', code: 3 });
  });

  it('may run its main program as the user that we would be', async () => {
    const { id } = await service(['--tty', '--init', '--user', '1001:1001']);
    const sandbox = await openSandbox((await ground(id)).options);
    expect((await sandbox.shell({ script: 'id -u' })).stdout.toString()).toBe('10001\n');
    expect((await sandbox.shell({ script: 'id -u' })).exit).toEqual({ kind: 'code', code: 0 });
  });
});
