import { lstat, readlink } from 'node:fs/promises';
import { INSIDE } from './place.ts';

export interface RecipeOptions {
  /** Pairs of folder outside and path inside; `writable` ones are the sandbox's own. */
  readonly binds: readonly { readonly from: string; readonly to: string; readonly writable: boolean }[];
  readonly network: boolean;
  readonly env: Readonly<Record<string, string>>;
  /** Files of ours that stand for the host's. */
  readonly passwd: string;
  readonly group: string;
  readonly hosts: string;
  /** Number of an open file descriptor that holds the filter. */
  readonly seccomp: number | undefined;
}

/** Arguments of `bwrap` up to the command. Must be run with an empty environment: it shows inside as that of process 1. */
export async function bubblewrapArgs(options: RecipeOptions): Promise<string[]> {
  return [
    ...['--unshare-user', '--disable-userns', '--uid', AGENT_UID, '--gid', AGENT_UID],
    ...['--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try'],
    ...(options.network ? [] : ['--unshare-net']),
    ...(options.seccomp === undefined ? [] : ['--seccomp', `${options.seccomp}`]),
    ...['--die-with-parent', '--new-session', '--cap-drop', 'ALL', '--hostname', 'sandbox', '--clearenv'],
    ...Object.entries(options.env).flatMap(([name, value]) => ['--setenv', name, value]),
    ...['--size', `${MEBIBYTE}`, '--tmpfs', '/', '--ro-bind', '/usr', '/usr'],
    ...(await topFolders()),
    ...['--ro-bind-try', '/opt/hostedtoolcache', '/opt/hostedtoolcache'],
    ...etc(options),
    ...[
      '--proc',
      '/proc',
      '--dev',
      '/dev',
      '--size',
      `${64 * MEBIBYTE}`,
      '--tmpfs',
      '/dev/shm',
      '--remount-ro',
      '/dev',
    ],
    ...['--size', `${1024 * MEBIBYTE}`, '--tmpfs', '/tmp', '--size', `${MEBIBYTE}`, '--tmpfs', '/run'],
    ...['--dir', INSIDE.root],
    ...options.binds.flatMap(({ from, to, writable }) => [writable ? '--bind' : '--ro-bind', from, to]),
    ...['--chdir', '/', '--remount-ro', '/', '--'],
  ];
}

/** Whom commands run as inside; outside it is whoever called. */
export const AGENT_UID = '1001';

const MEBIBYTE = 1024 * 1024;

/** `/bin` and its like: links into `/usr` where the system has merged them, folders elsewhere. */
async function topFolders(): Promise<string[]> {
  const folders = ['/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32'];
  const args = await Promise.all(
    folders.map(async folder => {
      const facts = await lstat(folder).catch(() => undefined);
      if (!facts) return [];
      return facts.isSymbolicLink()
        ? ['--symlink', await readlink(folder), folder]
        : ['--ro-bind', folder, folder];
    }),
  );
  return args.flat();
}

/** What programs look for there and what tells nothing about the host. */
const SHARED_ETC = [
  ...['alternatives', 'ld.so.cache', 'ld.so.conf', 'ld.so.conf.d', 'ssl', 'ca-certificates', 'pki'],
  ...['localtime', 'mime.types', 'services', 'protocols', 'magic'],
];

function etc({ network, passwd, group, hosts }: RecipeOptions): string[] {
  const shared = ['nsswitch.conf', ...SHARED_ETC, ...(network ? ['resolv.conf'] : [])].map(
    name => `/etc/${name}`,
  );
  return [
    ...['--dir', '/etc', '--ro-bind', passwd, '/etc/passwd', '--ro-bind', group, '/etc/group'],
    ...['--ro-bind', network ? '/etc/hosts' : hosts, '/etc/hosts'],
    ...shared.flatMap(path => ['--ro-bind-try', path, path]),
  ];
}
