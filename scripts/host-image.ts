/**
 * Builds a Docker image without a registry, from programs of this machine and the libraries that they need.
 *
 *     node scripts/host-image.ts [--python] [--npm] [--busybox]      prints the image's tag
 */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { lstat, mkdir, mkdtemp, readdir, readFile, readlink, realpath, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { exec } from '../src/lib/exec.ts';
import { type TarEntry, writeTar } from '../src/sandbox/tar-writer.ts';

export interface HostImageOptions {
  /** Default: the client's own default. */
  readonly dockerHost?: string | undefined;
  /** Adds the system's Python 3 and pytest. */
  readonly python?: boolean;
  /** Adds npm, where this machine has it. */
  readonly npm?: boolean;
  /** Only busybox's applets and node. Its passwd has somebody with uid 1001. */
  readonly busybox?: boolean;
}

/** Makes the image unless it is there already; returns its tag. */
export async function buildHostImage(options: HostImageOptions = {}): Promise<string> {
  const tag = await tagOf(options);
  if (await isPresent(options, tag)) return tag;
  // Test files run at the same time; the second one would leave the first one's image without a name.
  const lock = join(tmpdir(), tag.replace(':', '-'));
  const locked = await takeLock(lock);
  try {
    if (!(await isPresent(options, tag))) await importImage(options, tag);
  } finally {
    if (locked) await rm(lock, { recursive: true, force: true });
  }
  return tag;
}

async function isPresent(options: HostImageOptions, tag: string): Promise<boolean> {
  const { exit } = await docker(options, ['image', 'inspect', tag]);
  return exit.kind === 'code' && exit.code === 0;
}

async function importImage(options: HostImageOptions, tag: string): Promise<void> {
  const entries = await collect(options);
  const tar = Readable.from(writeTar(readAll(entries), Math.floor(Date.now() / 1000)));
  const path = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
  const args = ['import', '-c', 'CMD ["sh"]', '-c', `ENV PATH=${path}`, '-', tag];
  const { exit, stderr } = await docker(options, args, tar);
  if (exit.kind !== 'code' || exit.code !== 0)
    throw new Error(`docker import: ${stderr} ${JSON.stringify(exit)}`);
}

/** Waits its turn; false when somebody died with the lock, and then nobody's turn is waited for. */
async function takeLock(lock: string): Promise<boolean> {
  for (let tries = 0; tries < 300; tries++) {
    const taken = await mkdir(lock).then(
      () => true,
      (error: NodeJS.ErrnoException) => {
        if (error.code === 'EEXIST') return false;
        throw error;
      },
    );
    if (taken) return true;
    await sleep(200);
  }
  await rm(lock, { recursive: true, force: true });
  return false;
}

const ROOT = dirname(import.meta.dirname);
const NODE = join(ROOT, 'node_modules/node/bin/node');
const BUSYBOX = '/bin/busybox';

/** True where `busybox: true` can be asked for. */
export const hasBusybox = (): boolean => existsSync(BUSYBOX);

const PROGRAMS = [
  ...'sh dash bash tar find xargs grep sed awk mawk gzip git setpriv env hostname ps diff cmp which kill'.split(
    ' ',
  ),
  ...'cat chmod chown cp cut date dd df dirname basename du echo expr false head id install ln ls'.split(' '),
  ...'md5sum mkdir mkfifo mknod mktemp mv nl nproc od paste printenv printf pwd readlink realpath rm'.split(
    ' ',
  ),
  ...'rmdir seq sha256sum sleep sort split stat stty sync tac tail tee test timeout touch tr true'.split(' '),
  ...'truncate tsort tty uname uniq unlink wc whoami yes nohup setsid'.split(' '),
];

async function tagOf(options: HostImageOptions): Promise<string> {
  const hash = createHash('sha256').update(await readFile(import.meta.filename));
  for (const file of [NODE, '/usr/bin/git', '/usr/bin/python3', BUSYBOX]) {
    const facts = existsSync(file) ? await stat(file) : undefined;
    hash.update(`${basename(file)} ${facts?.size} ${facts?.mtimeMs}\n`);
  }
  const names = [options.busybox ? 'busybox' : 'base', options.python && 'python', options.npm && 'npm'];
  return `redgreen-host:${names.filter(Boolean).join('-')}-${hash.digest('hex').slice(0, 12)}`;
}

function docker({ dockerHost }: HostImageOptions, args: string[], stdin?: Readable) {
  const env: Record<string, string> = { PATH: process.env.PATH ?? '/usr/bin:/bin' };
  const host = dockerHost ?? process.env.DOCKER_HOST;
  if (host) env.DOCKER_HOST = host;
  return exec({ file: 'docker', args, env, timeoutMs: 300_000, ...(stdin && { stdin }) });
}

/** What the image holds: path → how to read it, so that only one file is in memory at a time. */
type Entries = Map<string, () => Promise<TarEntry>>;

/** Finds everything before anything is imported: a stream that breaks off would make an image of what came before. */
async function collect(options: HostImageOptions): Promise<Entries> {
  const entries: Entries = new Map();
  skeleton(entries, options);
  const binaries = [await addProgram(entries, NODE, '/usr/local/bin/node')];
  if (options.busybox) await addBusybox(entries);
  else {
    for (const name of PROGRAMS) {
      const found = ['/usr/bin', '/bin', '/usr/sbin', '/sbin']
        .map(folder => join(folder, name))
        .find(existsSync);
      if (found) binaries.push(await addProgram(entries, found, `/usr/bin/${name}`));
    }
  }
  if (options.python) binaries.push(...(await addPython(entries)));
  if (options.npm) await addNpm(entries);
  if (!options.busybox) binaries.push(...(await addSystemLibraries(entries)));
  await addLibraries(entries, binaries);
  return entries;
}

async function* readAll(entries: Entries): AsyncGenerator<TarEntry> {
  for (const read of entries.values()) yield await read();
}

function skeleton(entries: Entries, { busybox }: HostImageOptions): void {
  const folders =
    'usr usr/bin usr/sbin usr/lib usr/lib64 usr/local usr/local/bin etc proc sys dev run root opt home var';
  for (const folder of folders.split(' ')) addFolder(entries, folder, 0o755);
  for (const folder of ['tmp', 'var/tmp']) addFolder(entries, folder, 0o1777);
  for (const name of ['bin', 'sbin', 'lib', 'lib64']) addLink(entries, `/${name}`, `usr/${name}`);
  const someone = busybox ? 'someone:x:1001:1001::/home:/bin/sh\n' : '';
  addText(
    entries,
    '/etc/passwd',
    `root:x:0:0:root:/root:/bin/sh\n${someone}nobody:x:65534:65534::/:/bin/false\n`,
  );
  addText(entries, '/etc/group', `root:x:0:\n${busybox ? 'someone:x:1001:\n' : ''}nogroup:x:65534:\n`);
  addText(entries, '/etc/nsswitch.conf', 'passwd: files\ngroup: files\nhosts: files dns\n');
}

const put = (entries: Entries, path: string, entry: Omit<TarEntry, 'path'>) => {
  const relative = path.replace(/^\//, '');
  entries.set(relative, async () => ({ ...entry, path: relative }));
};
const addFolder = (entries: Entries, path: string, mode: number) =>
  put(entries, path, { type: 'folder', mode, bytes: Buffer.alloc(0) });
const addLink = (entries: Entries, path: string, target: string) =>
  put(entries, path, { type: 'link', mode: 0o777, bytes: Buffer.from(target) });
const addText = (entries: Entries, path: string, text: string, mode = 0o644) =>
  put(entries, path, { type: 'file', mode, bytes: Buffer.from(text) });

function addFile(entries: Entries, source: string, path: string): void {
  const relative = path.replace(/^\//, '');
  entries.set(relative, async () => ({
    path: relative,
    type: 'file',
    mode: (await stat(source)).mode & 0o755,
    bytes: await readFile(source),
  }));
}

/** Returns what `ldd` must look at. */
async function addProgram(entries: Entries, source: string, path: string): Promise<string> {
  const real = await realpath(source);
  addFile(entries, real, path);
  return real;
}

/** The C library's own parts that every image has, and that native add-ons of npm packages ask for. */
async function addSystemLibraries(entries: Entries): Promise<string[]> {
  const { stdout } = await exec({ file: '/sbin/ldconfig', args: ['-p'], env: {} });
  const wanted =
    /^\s+(?:librt|libutil|libresolv|libanl|libnss_files|libnss_dns|libgcc_s|libstdc\+\+)\.so\.\d+ \(.*(?:x86-64|AArch64)/;
  const paths = stdout
    .toString()
    .split('\n')
    .filter(line => wanted.test(line))
    .map(line => line.slice(line.indexOf('=> ') + 3));
  return Promise.all(paths.map(path => addProgram(entries, path, path.replace(/^\/lib\//, '/usr/lib/'))));
}

async function addBusybox(entries: Entries): Promise<void> {
  addFile(entries, BUSYBOX, '/usr/bin/busybox');
  const { stdout } = await exec({ file: BUSYBOX, args: ['--list'], env: {} });
  for (const applet of stdout.toString().split('\n').filter(Boolean)) {
    if (applet !== 'busybox') addLink(entries, `/usr/bin/${applet}`, 'busybox');
  }
}

async function addTree(entries: Entries, source: string, target: string, skip: RegExp): Promise<void> {
  for (const entry of await readdir(source, { withFileTypes: true, recursive: true })) {
    const from = join(entry.parentPath, entry.name);
    const to = target + from.slice(source.length);
    if (skip.test(from.slice(source.length))) continue;
    if (entry.isSymbolicLink()) {
      if (existsSync(from) && (await stat(from)).isFile()) addFile(entries, await realpath(from), to);
    } else if (entry.isFile()) addFile(entries, from, to);
  }
}

async function addPython(entries: Entries): Promise<string[]> {
  const python = await realpath('/usr/bin/python3');
  const version = basename(python);
  const library = `/usr/lib/${version}`;
  await addProgram(entries, python, `/usr/bin/${version}`);
  addLink(entries, '/usr/bin/python3', version);
  addLink(entries, '/usr/bin/python', version);
  await addTree(
    entries,
    library,
    library,
    /\/(test|tests|idlelib|tkinter|turtledemo|lib2to3|ensurepip|config-[^/]*)(\/|$)/,
  );
  await addPytest(entries, `/usr/local/lib/${version}/dist-packages`);
  const dynload = join(library, 'lib-dynload');
  const extensions = await readdir(dynload);
  return [python, ...extensions.filter(name => name.endsWith('.so')).map(name => join(dynload, name))];
}

/** The system's own packages where pytest is one of them, else what pip brings. */
async function addPytest(entries: Entries, target: string): Promise<void> {
  const script = '#!/usr/bin/python3\nimport sys\nimport pytest\nsys.exit(pytest.main())\n';
  addText(entries, '/usr/local/bin/pytest', script, 0o755);
  const packages = '/usr/lib/python3/dist-packages';
  if (existsSync(join(packages, 'pytest'))) return addTree(entries, packages, packages, /__pycache__/);
  const folder = await mkdtemp(join(tmpdir(), 'redgreen-pytest-'));
  try {
    const args = ['-m', 'pip', 'install', '--quiet', '--no-compile', '--target', folder, 'pytest'];
    const env = Object.fromEntries(Object.entries(process.env).map(([key, value]) => [key, value ?? '']));
    const installed = await exec({ file: 'python3', args, env });
    if (installed.exit.kind !== 'code' || installed.exit.code !== 0) {
      throw new Error(`pip install pytest: ${installed.stderr}`);
    }
    await addTree(entries, folder, target, /^\/bin\/|__pycache__/);
    await readNow(entries, target.slice(1));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Reads entries below a path at once, before their temporary source goes. */
async function readNow(entries: Entries, below: string): Promise<void> {
  for (const [path, read] of entries) {
    if (!path.startsWith(below)) continue;
    const entry = await read();
    entries.set(path, async () => entry);
  }
}

async function addNpm(entries: Entries): Promise<void> {
  const places = [
    join(dirname(dirname(process.execPath)), 'lib'),
    '/usr/lib',
    '/usr/local/lib',
    '/usr/share',
  ];
  const source = places.map(place => join(place, 'node_modules/npm')).find(existsSync);
  if (!source) throw new Error(`npm was not found below ${places.join(', ')}`);
  await addTree(entries, source, '/usr/local/lib/node_modules/npm', /^\/(docs|man)\//);
  addLink(entries, '/usr/local/bin/npm', '../lib/node_modules/npm/bin/npm-cli.js');
  addLink(entries, '/usr/local/bin/npx', '../lib/node_modules/npm/bin/npx-cli.js');
}

async function addLibraries(entries: Entries, binaries: readonly string[]): Promise<void> {
  const env = { PATH: '/usr/bin:/bin', LC_ALL: 'C' };
  const { stdout } = await exec({ file: 'ldd', args: binaries, env });
  const paths = new Set(
    [...stdout.toString().matchAll(/(?:=> |^\s+)(\/[^\s]+) \(0x/gm)].map(match => match[1]!),
  );
  // The C library loads these by name, for users and host names.
  for (const path of [...paths].filter(path => basename(path) === 'libc.so.6')) {
    for (const name of ['libnss_files.so.2', 'libnss_dns.so.2', 'libresolv.so.2']) {
      if (existsSync(join(dirname(path), name))) paths.add(join(dirname(path), name));
    }
  }
  for (const path of paths) addFile(entries, await realpath(path), await mergedPath(path));
}

/** Where a library stands in an image whose `/lib` is a link into `/usr`, whether or not this machine's is. */
async function mergedPath(path: string): Promise<string> {
  const top = `/${path.split('/')[1]}`;
  if (!(await lstat(top)).isSymbolicLink()) return top === '/usr' ? path : `/usr${path}`;
  return join('/', await readlink(top), path.slice(top.length));
}

if (import.meta.main) {
  const has = (flag: string) => process.argv.includes(flag);
  const started = Date.now();
  const tag = await buildHostImage({ python: has('--python'), npm: has('--npm'), busybox: has('--busybox') });
  console.log(tag);
  console.error(`${((Date.now() - started) / 1000).toFixed(1)} s`);
}
