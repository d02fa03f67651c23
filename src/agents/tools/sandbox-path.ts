import { posix } from 'node:path';

export type SandboxPath =
  | { readonly inside: true; readonly path: string }
  | { readonly inside: false; readonly path: string };

/** A path as the model gave it, relative to the work folder where it lies inside, absolute where not. */
export function sandboxPath(given: string, workdir: string): SandboxPath {
  const absolute = posix.resolve(workdir, given.trim() === '' ? '.' : given.trim());
  if (absolute === workdir) return { inside: true, path: '.' };
  if (absolute.startsWith(`${workdir}/`)) return { inside: true, path: absolute.slice(workdir.length + 1) };
  return { inside: false, path: absolute };
}
