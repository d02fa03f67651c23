import { createHash, randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { hostname, release, type } from 'node:os';
import { join } from 'node:path';
import { UserError } from '../errors.ts';
import { exec } from '../lib/exec.ts';
import type { ExecResult } from '../types.ts';
import { withBigScripts } from './big-script.ts';
import { AGENT_UID, bubblewrapArgs, type RecipeOptions } from './bubblewrap-recipe.ts';
import { failureOf } from './engine.ts';
import { agentEnvironment, checkedName } from './environment.ts';
import { findProgram, folderPrefix, removeFolder } from './host-folders.ts';
import { INSIDE, type Job, type Place, type Tools } from './place.ts';
import type { SandboxOptions } from './sandbox.ts';
import { seccompFilter } from './seccomp.ts';
import { parseFacts, TOOL_FACTS, toolsOf } from './tools-inside.ts';

/** Namespaces around each command, for hosts without an engine. Throws a UserError where they can not be had. */
export async function openBubblewrap(options: SandboxOptions): Promise<Place> {
  const programs = await findPrograms(options.hostPath);
  const cell = await createCell(options, programs);
  const probe = await runIn(cell, { script: TOOL_FACTS, timeoutMs: 20_000 }, { network: false });
  if (probe.exit.kind !== 'code' || probe.exit.code !== 0) {
    await removeFolder(cell.folder, options.hostPath);
    throw new UserError(`bubblewrap can not make a sandbox here: ${failureOf(probe)}`, CURE);
  }
  const tools = toolsOf(parseFacts(probe.stdout.toString()), 'the host');
  if (!programs.prlimit) options.note('warning', 'There is no prlimit: the sandbox has no limits.');
  return placeIn(cell, tools, false);
}

const CURE =
  'Install bubblewrap 0.8 or newer. On Ubuntu 24.04 unprivileged namespaces are closed: ' +
  '`sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0` in an earlier step opens them. ' +
  'Or use a service container, or set `sandbox: docker` and `image`.';

interface Programs {
  readonly bwrap: string;
  readonly prlimit: string | undefined;
}

/** A folder of the host with what one sandbox owns in it, and the files that stand for the host's in `/etc`. */
interface Cell {
  readonly folder: string;
  readonly options: SandboxOptions;
  readonly programs: Programs;
  readonly seccomp: string | undefined;
}

const OWN_FOLDERS = ['work', 'home', 'scratch'] as const;

async function findPrograms(hostPath: string): Promise<Programs> {
  const bwrap = await findProgram(hostPath, 'bwrap');
  if (!bwrap) throw new UserError('bubblewrap (bwrap) is not installed.', CURE);
  return { bwrap, prlimit: await findProgram(hostPath, 'prlimit') };
}

async function createCell(options: SandboxOptions, programs: Programs): Promise<Cell> {
  const name = `${folderPrefix(options.runLabel)}bubblewrap-${randomBytes(4).toString('hex')}`;
  const folder = join(options.hostFolder, name);
  for (const own of OWN_FOLDERS) await mkdir(join(folder, own), { recursive: true, mode: 0o755 });
  const line = `redgreen:x:${AGENT_UID}:${AGENT_UID}::${INSIDE.home}:/bin/sh\n`;
  const nobody = 'nobody:x:65534:65534::/:/bin/false\n';
  await writeFile(join(folder, 'passwd'), `root:x:0:0:root:/:/bin/sh\n${line}${nobody}`);
  await writeFile(join(folder, 'group'), `root:x:0:\nredgreen:x:${AGENT_UID}:\nnogroup:x:65534:\n`);
  await writeFile(join(folder, 'hosts'), '127.0.0.1 localhost sandbox\n');
  const filter = seccompFilter(process.arch);
  if (!filter) return { folder, options, programs, seccomp: undefined };
  const seccomp = join(folder, 'seccomp');
  await writeFile(seccomp, filter);
  return { folder, options, programs, seccomp };
}

const bindsOf = (cell: Cell, root: string, writable: boolean): RecipeOptions['binds'] =>
  OWN_FOLDERS.map(name => ({ from: join(cell.folder, name), to: `${root}/${name}`, writable }));

interface Around {
  readonly network: boolean;
  /** Default: the cell's own folders, writable. */
  readonly binds?: RecipeOptions['binds'];
}

async function runIn(cell: Cell, job: Job, around: Around, stop?: AbortSignal): Promise<ExecResult> {
  const { options, programs, folder, seccomp } = cell;
  const path = insidePath(options.hostPath);
  const env = { ...agentEnvironment(INSIDE.home), PATH: path, ...job.env };
  for (const name of Object.keys(env)) checkedName(name);
  const recipe = await bubblewrapArgs({
    env,
    network: around.network,
    binds: around.binds ?? bindsOf(cell, INSIDE.root, true),
    passwd: join(folder, 'passwd'),
    group: join(folder, 'group'),
    hosts: join(folder, 'hosts'),
    seccomp: seccomp === undefined ? undefined : 3,
  });
  const limits = programs.prlimit ? [programs.prlimit, ...LIMITS] : [];
  const command = [
    ...limits,
    programs.bwrap,
    ...recipe,
    'sh',
    '-c',
    `cd ${INSIDE.workdir} || exit 126; ${job.script}`,
  ];
  const signals = [job.signal, options.signal, stop].filter(signal => signal !== undefined);
  // The shell is there to open the filter as descriptor 3; then it is replaced.
  const args = ['-c', 'exec "$@" 3<"$0"', seccomp ?? '/dev/null', ...command];
  const { script: _script, env: _env, ours: _ours, ...streams } = job;
  return exec({ ...streams, file: '/bin/sh', args, env: {}, signal: AbortSignal.any(signals) });
}

const GIBIBYTE = 1024 ** 3;
const LIMITS = [
  '--nproc=2048',
  `--fsize=${8 * GIBIBYTE}`,
  '--nofile=8192',
  '--core=0',
  `--data=${4 * GIBIBYTE}`,
];

/** The host's PATH as far as it is visible inside. */
function insidePath(hostPath: string): string {
  const visible = hostPath
    .split(':')
    .filter(folder => /^\/(usr|opt\/hostedtoolcache|bin|sbin)(\/|$)/.test(folder));
  return [...new Set([...visible, '/usr/local/bin', '/usr/bin', '/bin'])].join(':');
}

function placeIn(cell: Cell, tools: Tools, sealed: boolean): Place {
  const { options, folder } = cell;
  const stop = new AbortController();
  let network = !sealed;
  return {
    kind: 'bubblewrap',
    isolated: true,
    image: `${hostname()} (${type()} ${release()})`,
    workdir: INSIDE.workdir,
    scratch: INSIDE.scratch,
    tools,
    // Its processes end with it: they have a process namespace of their own, whose first one is bwrap.
    run: withBigScripts(job => runIn(cell, job, { network }, stop.signal), INSIDE.scratch),
    rootShell: () => {
      throw new UserError(
        'A bubblewrap sandbox has no root, so `root-setup-command` can not run.',
        'Install system packages in an earlier step of the job, or use a service container.',
      );
    },
    cutNetwork: async () => {
      network = false;
    },
    snapshot: async () => {
      const copy = await copyCell(cell);
      return {
        digest: await digestOf(copy),
        start: async () => placeIn(await copyCell(copy), tools, true),
        dispose: () => removeFolder(copy.folder, options.hostPath),
      };
    },
    dispose: async () => {
      stop.abort();
      await removeFolder(folder, options.hostPath);
    },
  };
}

/** Copied inside, so that the host never walks a tree that the sandbox wrote. */
async function copyCell(cell: Cell): Promise<Cell> {
  const copy = await createCell(cell.options, cell.programs);
  const binds = [...bindsOf(cell, '/from', false), ...bindsOf(copy, INSIDE.root, true)];
  const script = OWN_FOLDERS.map(name => `cp -a /from/${name}/. ${INSIDE.root}/${name}/ || exit 1`).join(
    '\n',
  );
  const result = await runIn(copy, { script, timeoutMs: 600_000 }, { network: false, binds });
  if (result.exit.kind === 'code' && result.exit.code === 0) return copy;
  await removeFolder(copy.folder, cell.options.hostPath);
  throw new Error(`The sandbox could not be copied: ${failureOf(result)}`);
}

async function digestOf(cell: Cell): Promise<string> {
  const hash = createHash('sha256');
  const order = 'tar --sort=name --version >/dev/null 2>&1 && sort=--sort=name';
  const script = `sort=; ${order}; tar -c $sort -f - -C ${INSIDE.root} ${OWN_FOLDERS.join(' ')}`;
  const around = { network: false, binds: bindsOf(cell, INSIDE.root, false) };
  const onStdout: Job['onStdout'] = stdout => stdout.on('data', (chunk: Buffer) => hash.update(chunk));
  const result = await runIn(cell, { script, onStdout, timeoutMs: 600_000 }, around);
  if (result.exit.kind === 'code' && result.exit.code === 0) return `sha256:${hash.digest('hex')}`;
  throw new Error(`The snapshot could not be read: ${failureOf(result)}`);
}
