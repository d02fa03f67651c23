import { createHash, randomBytes } from 'node:crypto';
import { access, mkdir, readFile, rename, rm } from 'node:fs/promises';
import { hostname, release, type } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { UserError } from '../errors.ts';
import { exec } from '../lib/exec.ts';
import type { ExecResult } from '../types.ts';
import { withBigScripts } from './big-script.ts';
import { failureOf } from './engine.ts';
import { agentEnvironment, checkedName } from './environment.ts';
import { folderPrefix, removeFolder } from './host-folders.ts';
import { isAlive, killMarked, MARK } from './marked-processes.ts';
import type { Job, Place, Tools } from './place.ts';
import { quote } from './quote.ts';
import type { SandboxOptions } from './sandbox.ts';
import { parseFacts, TOOL_FACTS, toolsOf } from './tools-inside.ts';

/** Plain processes of this user in a folder of their own. No boundary at all: only for code that would be run here anyway. */
export async function openUnsafeLocal(options: SandboxOptions): Promise<Place> {
  const name = `${folderPrefix(options.runLabel)}local-${randomBytes(4).toString('hex')}`;
  const site: Site = { folder: join(options.hostFolder, name), tenants: [], options };
  const tenant = await moveIn(site, undefined);
  try {
    const facts = await runHere(site, { script: TOOL_FACTS });
    return placeFor(site, tenant, toolsOf(parseFacts(facts.stdout.toString()), 'the host'));
  } catch (error) {
    await moveOut(site, tenant);
    throw error;
  }
}

/**
 * One absolute path for all sandboxes of a run, because dependencies remember where they were installed. The last tenant
 * lives there; the folders of the others stand aside until it leaves.
 */
interface Site {
  readonly folder: string;
  readonly tenants: Tenant[];
  readonly options: SandboxOptions;
}

interface Tenant {
  /** Where its folder stands while another one lives at the site. */
  readonly parkedAt: string;
}

async function moveIn(site: Site, contents: string | undefined): Promise<Tenant> {
  const { folder, tenants } = site;
  const last = tenants.at(-1);
  if (last) await rename(folder, last.parkedAt);
  const tenant = { parkedAt: `${folder}-parked-${randomBytes(4).toString('hex')}` };
  tenants.push(tenant);
  if (contents === undefined) {
    for (const own of ['work', 'home', 'scratch'])
      await mkdir(join(folder, own), { recursive: true, mode: 0o700 });
  } else await copyFolder(contents, folder, site.options.hostPath);
  return tenant;
}

async function moveOut(site: Site, tenant: Tenant): Promise<void> {
  const { folder, tenants, options } = site;
  const place = tenants.indexOf(tenant);
  if (place < 0) return;
  const lives = place === tenants.length - 1;
  tenants.splice(place, 1);
  if (!lives) return removeFolder(tenant.parkedAt, options.hostPath);
  await killMarked(options.runLabel, folder);
  await removeFolder(folder, options.hostPath);
  const next = tenants.at(-1);
  if (next) await rename(next.parkedAt, folder);
}

async function copyFolder(from: string, to: string, hostPath: string): Promise<void> {
  await mkdir(to, { recursive: true, mode: 0o700 });
  const args = ['-a', `${from}/.`, to];
  const result = await exec({ file: 'cp', args, env: { PATH: hostPath }, timeoutMs: 600_000 });
  if (result.exit.kind !== 'code' || result.exit.code !== 0) {
    throw new Error(`The folder could not be copied: ${failureOf(result)}`);
  }
}

async function digestOf(folder: string, hostPath: string): Promise<string> {
  const hash = createHash('sha256');
  const onStdout = (stdout: Readable) => stdout.on('data', (chunk: Buffer) => hash.update(chunk));
  const args = ['-c', '-f', '-', '-C', folder, '.'];
  const result = await exec({ file: 'tar', args, env: { PATH: hostPath }, timeoutMs: 600_000, onStdout });
  if (result.exit.kind === 'code' && result.exit.code === 0) return `sha256:${hash.digest('hex')}`;
  throw new Error(`The snapshot could not be read: ${failureOf(result)}`);
}

function placeFor(site: Site, tenant: Tenant, tools: Tools): Place {
  const { folder, options } = site;
  const scratch = join(folder, 'scratch');
  return {
    kind: 'unsafe-local',
    isolated: false,
    image: `${hostname()} (${type()} ${release()})`,
    workdir: join(folder, 'work'),
    scratch,
    tools,
    run: withBigScripts(job => {
      if (site.tenants.at(-1) === tenant) return runHere(site, job);
      throw new Error('Another sandbox lives at this path; it has to be disposed of first.');
    }, scratch),
    rootShell: () => {
      throw new UserError(
        'An unsafe-local sandbox has no root, so `root-setup-command` can not run.',
        'Install system packages in an earlier step of the job, or use a service container.',
      );
    },
    cutNetwork: async () => options.note('warning', 'unsafe-local can not cut the network.'),
    snapshot: async () => {
      const copy = `${folder}-snapshot-${randomBytes(4).toString('hex')}`;
      await copyFolder(folder, copy, options.hostPath);
      return {
        digest: await digestOf(copy, options.hostPath),
        start: async () => placeFor(site, await moveIn(site, copy), tools),
        dispose: () => removeFolder(copy, options.hostPath),
      };
    },
    dispose: () => moveOut(site, tenant),
  };
}

async function runHere(site: Site, job: Job): Promise<ExecResult> {
  const { folder, options } = site;
  const pidFile = `${folder}-pid-${randomBytes(4).toString('hex')}`;
  const env = environmentFor(site, job);
  const script = `echo $$ >${quote(pidFile)}; cd ${quote(join(folder, 'work'))} || exit 126; ${job.script}`;
  const { script: _script, env: _env, ours: _ours, signal, ...streams } = job;
  const signals = [signal, options.signal].filter(one => one !== undefined);
  const ended = new AbortController();
  const watching = watch(site, pidFile, ended.signal);
  try {
    const result = await exec({
      ...streams,
      file: '/bin/sh',
      args: ['-c', script],
      env,
      signal: AbortSignal.any(signals),
    });
    const gone = await access(join(folder, 'work')).then(
      () => false,
      () => true,
    );
    return gone ? { ...result, exit: { kind: 'failed-to-start', message: `${folder} is gone` } } : result;
  } finally {
    ended.abort();
    await watching;
    await killMarked(options.runLabel, folder);
    await rm(pidFile, { force: true });
  }
}

function environmentFor({ folder, options }: Site, job: Job): Record<string, string> {
  const own = { PATH: options.hostPath, TMPDIR: join(folder, 'scratch'), [MARK]: options.runLabel };
  const env = { ...agentEnvironment(join(folder, 'home')), ...own, ...job.env };
  for (const name of Object.keys(env)) checkedName(name);
  return env;
}

/** A daemon that keeps our pipes open would keep the command from ending: once its shell is gone, so are all others. */
async function watch({ folder, options }: Site, pidFile: string, ended: AbortSignal): Promise<void> {
  while (!ended.aborted) {
    // Rejects only by the signal, which is the loop's condition.
    await sleep(100, undefined, { signal: ended }).catch(() => undefined);
    const pid = Number.parseInt(await readFile(pidFile, 'utf8').catch(() => ''), 10);
    if (!ended.aborted && pid > 1 && !isAlive(pid)) await killMarked(options.runLabel, folder);
  }
}
