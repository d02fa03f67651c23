import { UserError } from '../errors.ts';
import { secretNames } from './environment.ts';
import type { ContainerFacts } from './inspect.ts';

export interface PreflightContext {
  /** `NAME=value` pairs that the image brings itself. */
  readonly imageEnv: ReadonlySet<string>;
  /** Folders of the host that the container must not see: nor anything above, nor anything in them. */
  readonly protectedFolders: readonly string[];
}

/** Throws one UserError with every reason why this container is not a boundary; does nothing when it is one. */
export function assertSafe(facts: ContainerFacts, context: PreflightContext): void {
  const refusals = [...stateRefusals(facts), ...powerRefusals(facts), ...mountRefusals(facts, context)];
  const secrets = secretNames(facts.Config.Env ?? [], context.imageEnv);
  if (secrets.length > 0)
    refusals.push(`its environment has what looks like secrets (${secrets.join(', ')})`);
  if (refusals.length === 0) return;
  throw new UserError(
    `The container ${facts.Name.replace(/^\//, '')} can not be the sandbox: ${refusals.join('; ')}.`,
    "Take these out of the service's `options:`, `volumes:` and `env:`. " +
      'A plain image with `options: --tty --init` is all that is needed; files are copied in, so no volume is.',
  );
}

const stateRefusals = ({ State }: ContainerFacts): string[] => {
  if (State.Paused) return ['it is paused'];
  if (State.Running) return [];
  return [
    `it is not running (${State.Status}); an image whose program ends at once needs \`options: --tty\``,
  ];
};

function powerRefusals({ HostConfig: host }: ContainerFacts): string[] {
  const refusals: string[] = [];
  if (host.Privileged) refusals.push('it is privileged');
  if (host.CapAdd?.length) refusals.push(`it has added capabilities (${host.CapAdd.join(', ')})`);
  const spaces = {
    network: host.NetworkMode,
    pid: host.PidMode,
    ipc: host.IpcMode,
    uts: host.UTSMode,
    userns: host.UsernsMode,
  };
  for (const [name, mode] of Object.entries(spaces)) {
    if (mode === 'host') refusals.push(`it shares the host's ${name} namespace`);
    if (mode.startsWith('container:')) refusals.push(`it shares another container's ${name} namespace`);
  }
  if (host.Devices?.length || host.DeviceRequests?.length || host.DeviceCgroupRules?.length) {
    refusals.push('it has devices of the host');
  }
  const loose = (host.SecurityOpt ?? []).filter(option => /unconfined|disable/.test(option));
  if (loose.length > 0) refusals.push(`its confinement is off (${loose.join(', ')})`);
  if (!host.Privileged && host.MaskedPaths?.length === 0) refusals.push('paths of the kernel are not masked');
  return refusals;
}

const HOST_FOLDERS = ['/etc', '/root', '/proc', '/sys', '/dev', '/run', '/var/run', '/var/lib/docker'];

function mountRefusals({ Mounts }: ContainerFacts, { protectedFolders }: PreflightContext): string[] {
  return (Mounts ?? [])
    .filter(({ Type }) => Type === 'bind' || Type === 'npipe')
    .flatMap(({ Source, Destination }) => {
      const reason = mountRefusal(Source, protectedFolders);
      return reason ? [`it mounts ${Source} at ${Destination}: ${reason}`] : [];
    });
}

function mountRefusal(source: string, protectedFolders: readonly string[]): string | undefined {
  if (source.endsWith('.sock')) return "a socket, such as the engine's, is a way out";
  const seen = protectedFolders.find(folder => contains(source, folder) || contains(folder, source));
  if (seen !== undefined) return `that shows the host's ${seen}`;
  const system = HOST_FOLDERS.find(folder => contains(source, folder) || contains(folder, source));
  return system === undefined ? undefined : `that shows the host's ${system}`;
}

const contains = (outer: string, inner: string): boolean =>
  inner === outer || inner.startsWith(outer.endsWith('/') ? outer : `${outer}/`);
