/** One contract, held by every kind of sandbox. */
import { randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import type { ExecResult, TreeFile } from '../../src/types.ts';
import { ask, unlessDocker } from '../helpers/docker-engine.ts';
import { engine, KINDS, type Kind, type Opened } from './places.ts';

const text = (result: ExecResult) => result.stdout.toString().trim();
const file = (path: string, content: string, mode: TreeFile['mode'] = '100644'): TreeFile => ({
  path,
  mode,
  bytes: Buffer.from(content),
});
const nothingPruned = async () => new Set<string>();

/** Sleepers of every sort that outlive a shell: same group, own session, deaf to signals, without environment. Each beats once in 50 ms. */
const DAEMONS = `
beat='trap "" TERM HUP INT; while :; do echo x >>"$0"; sleep 0.05; done'
sh -c "$beat" "$HOME/beats" >/dev/null 2>&1 &
setsid sh -c "$beat" "$HOME/beats" >/dev/null 2>&1 </dev/null &
nohup sh -c "$beat" "$HOME/beats" >/dev/null 2>&1 &
env -i PATH="$PATH" setsid sh -c "$beat" "$HOME/beats" >/dev/null 2>&1 </dev/null &
sleep 0.3
`;

async function expectNoBeats(sandbox: Sandbox) {
  const count = async () => text(await sandbox.shell({ script: 'wc -c <"$HOME/beats"' }));
  const before = await count();
  expect(Number(before)).toBeGreaterThan(0);
  await sleep(250);
  expect(await count()).toBe(before);
}

const connectScript = (host: string, port: number) => `node -e '
  const socket = require("net").connect(${port}, "${host}");
  socket.setTimeout(3000, () => { console.log("timeout"); process.exit(1); });
  socket.on("connect", () => { console.log("connected"); process.exit(0); });
  socket.on("error", error => { console.log(error.code); process.exit(1); });'`;

for (const kind of KINDS) {
  const title = kind.kind === 'service' || kind.kind === 'docker' ? unlessDocker(engine) : '';
  describe.skipIf(!kind.runnable)(`${kind.title}${title}`, () => contract(kind));
}

function contract(kind: Kind) {
  const isolated = kind.kind !== 'unsafe-local';
  const canary = `canary-${randomBytes(8).toString('hex')}`;
  let opened: Opened;
  let sandbox: Sandbox;
  let listener: Server;
  let port: number;

  beforeAll(async () => {
    process.env.REDGREEN_CANARY = canary;
    listener = createServer(socket => socket.end());
    await new Promise<void>(resolve => listener.listen(0, '0.0.0.0', resolve));
    port = (listener.address() as { port: number }).port;
    opened = await kind.open();
    sandbox = opened.sandbox;
  });

  afterAll(async () => {
    delete process.env.REDGREEN_CANARY;
    listener?.close();
    await sandbox?.dispose();
    await opened?.close();
  });

  it('says what it is', () => {
    expect(sandbox).toMatchObject({ kind: kind.kind, isolated });
    expect(opened.ground.notes.at(-1)).toContain(`Sandbox: ${kind.kind}`);
  });

  it('answers exit code, output and error output apart', async () => {
    const result = await sandbox.shell({ script: 'echo out; echo err >&2; exit 7' });
    expect(result.exit).toEqual({ kind: 'code', code: 7 });
    expect(text(result)).toBe('out');
    expect(result.stderr.toString()).toBe('err\n');
  });

  it('runs in the work folder, gives input, and sets only the variables it is given', async () => {
    const script = 'pwd; cat; echo "$GREETING"';
    const result = await sandbox.shell({ script, stdin: 'a line\n', env: { GREETING: "it's $HOME" } });
    expect(text(result)).toBe(`${sandbox.workdir}\na line\nit's $HOME`);
    const without = await sandbox.shell({ script: 'cat; env | grep GREETING || echo unset' });
    expect(text(without)).toBe('unset');
  });

  it('tells of output while it comes', async () => {
    const seen: string[] = [];
    const onOutput = (stream: string, chunk: Buffer) => seen.push(`${stream}:${chunk}`);
    await sandbox.shell({ script: 'echo one; sleep 0.2; echo two >&2', onOutput });
    expect(seen).toEqual(['stdout:one\n', 'stderr:two\n']);
  });

  it('refuses a variable whose name is more than a name', async () => {
    await expect(sandbox.shell({ script: ':', env: { 'A=1\nB': '2' } })).rejects.toThrow(/not the name/);
  });

  it('shows nothing of our environment', async () => {
    const everywhere = isolated ? 'cat /proc/*/environ /proc/*/cmdline' : ':';
    const { stdout } = await sandbox.shell({ script: `env; (${everywhere}) 2>/dev/null | tr '\\0' '\\n'` });
    expect(stdout.toString()).toContain('CI=true');
    expect(stdout.toString()).not.toContain(canary);
    expect(stdout.toString()).not.toContain('REDGREEN_CANARY');
    // Process 1 is the engine's or bubblewrap's: its environment is closed, or empty.
    const first = await sandbox.shell({ script: 'cat /proc/1/environ 2>/dev/null | tr "\\0" "\\n"' });
    if (isolated) expect(text(first)).toMatch(/^(PWD=\/)?$/);
  });

  it.runIf(isolated)('runs as nobody special, with no way to become root', async () => {
    const { stdout } = await sandbox.shell({ script: 'id -u; id -un; cat /proc/self/status' });
    const [uid, name, ...status] = stdout.toString().split('\n');
    expect(['1001', '10001']).toContain(uid);
    expect(name).toBe('redgreen');
    expect(status.find(line => line.startsWith('NoNewPrivs'))).toMatch(/1$/);
    expect(status.find(line => line.startsWith('CapEff'))).toMatch(/\t0+$/);
    const root = await sandbox.shell({
      script: 'echo x >/etc/passwd || echo x >/usr/x || echo x >/dev/console',
    });
    expect(root.exit).not.toEqual({ kind: 'code', code: 0 });
  });

  it('takes a script of 200 kB together with input', async () => {
    const script = `cat\n${`# ${'x'.repeat(98)}\n`.repeat(2000)}echo end; exit 5`;
    const result = await sandbox.shell({ script, stdin: 'in\n' });
    expect(text(result)).toBe('in\nend');
    expect(result.exit).toEqual({ kind: 'code', code: 5 });
    expect(text(await sandbox.shell({ script: `ls -A ${sandbox.scratch} | grep script || echo none` }))).toBe(
      'none',
    );
  });

  it('leaves nothing alive between commands', async () => {
    const result = await sandbox.shell({ script: `${DAEMONS}\nexit 3` });
    expect(result.exit).toEqual({ kind: 'code', code: 3 });
    await expectNoBeats(sandbox);
  });

  it('returns although a child keeps the output open', async () => {
    const result = await sandbox.shell({
      script: 'setsid sleep 60 & sleep 60 & echo done',
      timeoutMs: 20_000,
    });
    expect(result.exit).toEqual({ kind: 'code', code: 0 });
    expect(text(result)).toBe('done');
    expect(result.durationMs).toBeLessThan(8000);
  });

  it('ends a command at its time, with all that it started', async () => {
    const result = await sandbox.shell({
      script: `rm -f "$HOME/beats"\n${DAEMONS}\nsleep 60`,
      timeoutMs: 1500,
    });
    expect(result.exit).toEqual({ kind: 'timeout', timeoutMs: 1500 });
    expect(result.durationMs).toBeLessThan(4000);
    await expectNoBeats(sandbox);
  });

  it('ends a command that floods, and keeps what fits', async () => {
    const result = await sandbox.shell({ script: 'while :; do echo flood; done', maxOutputBytes: 10_000 });
    expect(result.exit).toEqual({ kind: 'output-limit', maxBytes: 10_000 });
    expect(result.stdout.length).toBe(10_000);
    expect(result.truncated).toBe(true);
  });

  it('ends a command when it is cancelled, and works on', async () => {
    const controller = new AbortController();
    const running = sandbox.shell({ script: 'sleep 60', signal: controller.signal });
    setTimeout(() => controller.abort(), 300);
    expect((await running).exit).toEqual({ kind: 'cancelled' });
    expect(text(await sandbox.shell({ script: 'echo on' }))).toBe('on');
  });

  it('does one thing at a time, in the order of asking', async () => {
    const order: string[] = [];
    await Promise.all([
      sandbox.shell({ script: 'sleep 0.3; echo 1' }).then(result => order.push(text(result))),
      sandbox.shell({ script: 'echo 2' }).then(result => order.push(text(result))),
    ]);
    expect(order).toEqual(['1', '2']);
  });

  it('carries files in and out unchanged: bytes, modes, links, names', async () => {
    const long = `deep/${'folder-with-a-long-name/'.repeat(8)}file.txt`;
    const names = [
      ...[
        'with space',
        ' lead',
        'trail ',
        "it's",
        'dou"ble',
        'back\\slash',
        'back\\nslash',
        '-rf',
        '--exec=x',
        '$HOME',
      ],
      ...[
        '*',
        '[a]',
        'a?b',
        '`id`',
        'ünïcödé',
        '日本語/名前',
        '😀',
        '.hidden',
        'a/.b/c',
        '#x',
        '~',
        'a:b',
        '.gitignore',
        long,
      ],
    ];
    const files = [
      ...names.map((name, index) => file(`in/${name}`, `content ${index}\r\n`)),
      file('in/empty', ''),
      file('in/run.sh', '#!/bin/sh\necho ran\n', '100755'),
      { path: 'in/bytes', mode: '100644' as const, bytes: randomBytes(300_000) },
      file('in/link', 'run.sh', '120000'),
      file('in/dangling', '../nowhere', '120000'),
      file('in/a/up', '../日本語', '120000'),
    ];
    await sandbox.copyIn(files);
    const look = './in/run.sh; head -c 9 in/link; for name in ./in/日本語/*; do echo "$name"; done';
    expect(text(await sandbox.shell({ script: look }))).toBe('ran\n#!/bin/sh./in/日本語/名前');
    const out = await sandbox.copyOut({ prune: nothingPruned });
    const sorted = [...files].sort((a, b) => (a.path < b.path ? -1 : 1));
    expect(out.refused).toEqual([]);
    expect(out.files.map(({ path, mode }) => ({ path, mode }))).toEqual(
      sorted.map(({ path, mode }) => ({ path, mode })),
    );
    expect(out.files.every((one, index) => one.bytes.equals(sorted[index]!.bytes))).toBe(true);
  });

  it('writes over what is there, and removes', async () => {
    await sandbox.shell({
      script: 'ln -sf /etc/hostname in/empty; ln in/run.sh in/hard; chmod 444 in/bytes',
    });
    await sandbox.copyIn([file('in/empty', 'now'), file('in/hard', 'alone'), file('in/bytes', 'new')]);
    const only = ['in/empty', 'in/hard', 'in/run.sh', 'in/bytes'];
    const { files } = await sandbox.copyOut({ prune: nothingPruned, only });
    const contents = Object.fromEntries(files.map(({ path, bytes }) => [path, bytes.toString()]));
    expect(contents).toEqual({
      'in/empty': 'now',
      'in/hard': 'alone',
      'in/bytes': 'new',
      'in/run.sh': '#!/bin/sh\necho ran\n',
    });
    await sandbox.remove(['in', 'absent', '-rf']);
    expect(text(await sandbox.shell({ script: 'ls -A' }))).toBe('');
    await expect(sandbox.remove(['../home'])).rejects.toThrow(/not a plain path/);
    await expect(sandbox.copyIn([file('../x', '')])).rejects.toThrow(/not a plain path/);
  });

  it('dates a file anew each time, so that no compiled copy of the old one passes for fresh', async () => {
    const date = async (content: string) => {
      await sandbox.copyIn([file('dated.py', content)]);
      return Number(text(await sandbox.shell({ script: 'stat -c %Y dated.py' })));
    };
    const [first, second] = [await date('a'), await date('b')];
    expect(second).toBeGreaterThan(first);
    await sandbox.remove(['dated.py']);
  });

  it('leaves out the folders that the host names, and every .git', async () => {
    await sandbox.copyIn([
      file('src/a.js', 'a'),
      file('node_modules/x/index.js', 'x'),
      file('src/[ig] no*re/y', 'y'),
      file('src/igno/y', 'y'),
    ]);
    await sandbox.shell({
      script: 'mkdir -p .git sub/.git; echo x >.git/config; echo x >sub/.git/config; echo x >sub/a',
    });
    const asked: string[] = [];
    const prune = async (folders: readonly string[]) => {
      asked.push(...folders);
      return new Set(['node_modules', 'src/[ig] no*re']);
    };
    const out = await sandbox.copyOut({ prune });
    expect(asked).toHaveLength(new Set(asked).size);
    expect(asked.sort()).toEqual(['node_modules', 'src', 'src/[ig] no*re', 'src/igno', 'sub']);
    expect(out.files.map(({ path }) => path)).toEqual(['src/a.js', 'src/igno/y', 'sub/a']);
    expect(out.refused).toEqual([]);
    await expect(sandbox.copyOut({ prune, maxFolders: 4 })).rejects.toThrow(/more than 4 folders/);
    expect((await sandbox.copyOut({ prune, maxFolders: 5 })).files).toHaveLength(3);
    await sandbox.shell({ script: 'rm -rf .git; rm -rf ./*' });
  });

  it('leaves out folders by their path where another of the same name stays, and never a file', async () => {
    await sandbox.copyIn([
      ...['a/out/1', 'b/out/2', 'c/out/3', 'a/gone/4', 'b/c/gone/5', 'o[u]t/6'].map(path => file(path, 'x')),
      file('c/gone', 'a file'),
    ]);
    const prune = async (folders: readonly string[]) =>
      new Set(folders.filter(path => /gone$|[ab]\/out$|\[/.test(path)));
    const out = await sandbox.copyOut({ prune });
    expect(out.files.map(({ path }) => path)).toEqual(['c/gone', 'c/out/3']);
    await sandbox.shell({ script: 'rm -rf ./*' });
  });

  it('names what can not be published, with the reason', async () => {
    await sandbox.shell({
      script: `
        mkdir -p .GIT ok closed; echo x >.GIT/config; echo x >'git~1'; echo x >.git.; echo x >ok/fine
        printf x >"$(printf 'new\\nline')"; printf x >"$(printf 'latin\\351')"; printf x >"$(printf 'esc\\033')"
        mkfifo pipe; ln -s /etc/passwd absolute; ln -s ../../../etc/passwd leaving; ln -s .git/config into
        echo shared >first; ln first second; echo closed >closed/file; chmod 000 closed/file closed
        echo tiny >tiny; head -c 5000 /dev/zero >large`,
    });
    const out = await sandbox.copyOut({ prune: nothingPruned, maxFileBytes: 4000 });
    expect(Object.fromEntries(out.refused.map(({ path, reason }) => [path, reason]))).toEqual({
      '.GIT': expect.stringContaining('.git'),
      '.git.': expect.stringContaining('.git'),
      'git~1': expect.stringContaining('.git'),
      'new\nline': expect.stringContaining('control'),
      'esc\u001b': expect.stringContaining('control'),
      'latin\ufffd': expect.stringContaining('UTF-8'),
      pipe: expect.stringContaining('neither'),
      absolute: expect.stringContaining('absolute'),
      leaving: expect.stringContaining('leaves'),
      into: expect.stringContaining('.git'),
      large: expect.stringContaining('larger'),
    });
    const contents = Object.fromEntries(out.files.map(({ path, bytes }) => [path, bytes.toString()]));
    expect(contents).toEqual({
      'closed/file': 'closed\n',
      first: 'shared\n',
      second: 'shared\n',
      'ok/fine': 'x\n',
      tiny: 'tiny\n',
    });
    await expect(sandbox.copyOut({ prune: nothingPruned, maxFiles: 3 })).rejects.toThrow(/more than 3/);
    await expect(sandbox.copyOut({ prune: nothingPruned, maxTotalBytes: 20 })).rejects.toThrow(
      /more than 20 bytes/,
    );
  });

  it('reads only the asked paths, and none through a link', async () => {
    await sandbox.shell({ script: 'ln -s ok through; ln -s ../ok/fine ok/link' });
    const only = ['ok/fine', 'ok/link', 'through/fine', 'through', 'absent', 'ok', '../home', 'pipe'];
    const out = await sandbox.copyOut({ prune: nothingPruned, only });
    expect(out.files.map(({ path, mode }) => `${mode} ${path}`)).toEqual([
      '100644 ok/fine',
      '120000 ok/link',
      '120000 through',
    ]);
    expect(out.refused.map(({ path }) => path)).toEqual(['../home', 'pipe']);
    await sandbox.shell({ script: 'rm -rf .GIT .git.; rm -rf ./*' });
  });

  it('reads thousands of files', async () => {
    // More names than one command line may carry.
    const many = Array.from({ length: 2800 }, (_, index) =>
      file(`many/${index % 9}/${'n'.repeat(190)}-${index}`, `${index}`),
    );
    await sandbox.copyIn(many);
    const out = await sandbox.copyOut({ prune: nothingPruned });
    expect(out.files.length).toBe(2800);
    expect(out.files.every(({ path, bytes }) => path.endsWith(`-${bytes}`))).toBe(true);
    await sandbox.remove(['many']);
  });

  it('plants a repository of one commit, where there is git', async () => {
    const { exit } = await sandbox.shell({ script: 'command -v git' });
    await sandbox.copyIn([file('a.txt', 'a\n'), file('b/c.txt', 'c\n')]);
    await sandbox.plantGit('v1.2.3');
    if (exit.kind === 'code' && exit.code !== 0) {
      expect(text(await sandbox.shell({ script: 'ls -A' }))).toBe('a.txt\nb');
      return;
    }
    const script =
      'git status --porcelain; git ls-files; git describe; git log --format=%s; ls .git; git rev-parse HEAD';
    const result = text(await sandbox.shell({ script })).split('\n');
    expect(result.slice(0, 4)).toEqual(['a.txt', 'b/c.txt', 'v1.2.3', 'base']);
    expect(result).not.toContain('config');
    expect(result).not.toContain('hooks');
    await sandbox.plantGit('v1.2.3');
    expect(text(await sandbox.shell({ script: 'git rev-parse HEAD' }))).toBe(result.at(-1));
    await sandbox.remove(['a.txt', 'b']);
  });

  it('has a network until it is cut, and none after', async () => {
    const connect = async (host: string) => text(await sandbox.shell({ script: connectScript(host, port) }));
    expect(await connect(opened.hostAddress)).toBe('connected');
    await sandbox.cutNetwork();
    if (!isolated) {
      expect(opened.ground.notes.at(-1)).toContain('can not cut');
      return;
    }
    expect(await connect(opened.hostAddress)).toMatch(/ENETUNREACH|ECONNREFUSED/);
    expect(text(await sandbox.shell({ script: connectScript('169.254.169.254', 80) }))).toBe('ENETUNREACH');
    const lookUp = `node -e '
      const dns = require("dns"), os = require("os");
      dns.lookup("canary.example", error => console.log(error.code));
      dns.lookup(os.hostname(), (error, address) => console.log(error ? error.code : address));'`;
    const { stdout, durationMs } = await sandbox.shell({ script: lookUp });
    expect(stdout.toString().trim().split('\n').sort()).toEqual([
      '127.0.0.1',
      expect.stringMatching(/EAI_AGAIN|ENOTFOUND/),
    ]);
    expect(durationMs).toBeLessThan(3000);
  });

  it('gives fresh sandboxes from a snapshot, without what came after it', async () => {
    await sandbox.shell({ script: 'echo set-up >installed; echo cached >"$HOME/cache"; pwd >where' });
    const snapshot = await sandbox.snapshot();
    expect(snapshot.digest).toMatch(/^sha256:[0-9a-f]{64}$/);
    await sandbox.shell({
      script: `echo agent >installed; echo agent >new; echo agent >"$HOME/cache"; echo x >${sandbox.scratch}/x`,
    });

    const look = `pwd; cat where installed "$HOME/cache"; ls new ${sandbox.scratch}/x 2>/dev/null; echo fresh >installed; id -u`;
    for (let round = 0; round < 2; round++) {
      const fresh = await snapshot.start();
      expect(fresh).toMatchObject({
        kind: sandbox.kind,
        isolated,
        workdir: sandbox.workdir,
        scratch: sandbox.scratch,
      });
      const seen = text(await fresh.shell({ script: look })).split('\n');
      expect(seen.slice(0, -1)).toEqual([sandbox.workdir, sandbox.workdir, 'set-up', 'cached']);
      if (isolated) {
        expect(seen.at(-1)).toMatch(/^10*1$/);
        expect(text(await fresh.shell({ script: connectScript(opened.hostAddress, port) }))).toMatch(/^E/);
        expect(text(await fresh.shell({ script: 'grep NoNewPrivs /proc/self/status' }))).toMatch(/1$/);
      }
      await fresh.copyIn([file('change', 'c')]);
      await fresh.dispose();
      await fresh.dispose();
    }
    expect(text(await sandbox.shell({ script: 'cat installed; ls change 2>/dev/null' }))).toBe('agent');
    await snapshot.dispose();
  });

  it('goes without a trace', async () => {
    await sandbox.shell({ script: `${DAEMONS}\nmkdir -p shut/in; chmod 000 shut` });
    await sandbox.dispose();
    await sandbox.dispose();
    const left = await readdir(opened.ground.options.hostFolder);
    expect(left.filter(name => name !== 'docker-config')).toEqual([]);
    if (!engine.available) return;
    const label = `label=redgreen=${opened.ground.options.runLabel}`;
    expect(await ask(['ps', '--all', '--quiet', '--filter', label])).toBe('');
    expect(await ask(['images', '--quiet', '--filter', label])).toBe('');
    if (!opened.container) return;
    expect(
      await ask(['exec', opened.container, 'sh', '-c', 'ls -d /redgreen 2>/dev/null || echo gone']),
    ).toBe('gone');
    expect(await ask(['top', opened.container, '-eo', 'pid,uid,args'])).not.toMatch(/ 10*1 /);
  });
}
