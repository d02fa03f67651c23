/** Running the action as somebody who has nothing, when the tests run as root. */
import { chmodSync, copyFileSync, existsSync, statSync } from 'node:fs';
import { join } from 'node:path';

export interface User {
  readonly uid: number;
  readonly gid: number;
}

/** As root: a user who has nothing but the engine's socket. Otherwise undefined: as who we are. */
export function unprivilegedUser(): User | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const socket = process.env.DOCKER_HOST?.replace(/^unix:\/\//, '') ?? '/var/run/docker.sock';
  return { uid: 12_345, gid: existsSync(socket) ? statSync(socket).gid : 12_345 };
}

/** A node that another user can execute, wherever this project lies. */
export function nodeFor(folder: string): string {
  const copy = join(folder, 'node');
  copyFileSync(process.execPath, copy);
  chmodSync(copy, 0o755);
  return copy;
}
