import { lstat, readdir, readFile, readlink } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { UserError } from '../errors.ts';
import type { TreeFile } from '../types.ts';

const MAX_FILES = 200_000;

/**
 * Files of the runner's checkout that go into the sandbox beside the commit's: named files, and all below named folders.
 * Links are kept as links and never followed. Throws a UserError for a path that is missing, leaves the workspace or is `.git`.
 */
export async function readIncluded(
  workspace: string,
  paths: readonly string[],
): Promise<readonly TreeFile[]> {
  const found: TreeFile[] = [];
  for (const given of paths) {
    const path = posix.normalize(given).replace(/\/$/, '');
    if (path === '.' || path.startsWith('/') || path.split('/').some(part => ['..', '.git'].includes(part))) {
      throw new UserError(
        `The input include names "${given}".`,
        'Name files or folders below the workspace, relative to it, and not `.git`.',
      );
    }
    await assertNoLinkAbove(workspace, path, given);
    await collect(workspace, path, given, found);
  }
  return found;
}

/** A linked folder on the way would lead out of the workspace. */
async function assertNoLinkAbove(workspace: string, path: string, given: string): Promise<void> {
  const parts = path.split('/');
  for (let depth = 1; depth < parts.length; depth++) {
    const stat = await lstat(join(workspace, ...parts.slice(0, depth))).catch(absent);
    if (stat?.isSymbolicLink())
      throw new UserError(
        `The input include names "${given}", which lies behind a symbolic link.`,
        'Name the real path.',
      );
  }
}

function absent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') throw error;
  return undefined;
}

async function collect(workspace: string, path: string, given: string, found: TreeFile[]): Promise<void> {
  const stat = await lstat(join(workspace, path)).catch(absent);
  if (!stat)
    throw new UserError(
      `The input include names "${given}", which is not in the workspace.`,
      'Create it in a step before this action, or remove it from `include`.',
    );
  if (found.length >= MAX_FILES)
    throw new UserError(
      `The input include brings more than ${MAX_FILES} files.`,
      'Name fewer or smaller folders.',
    );
  if (stat.isSymbolicLink())
    found.push({ path, mode: '120000', bytes: Buffer.from(await readlink(join(workspace, path))) });
  else if (stat.isFile())
    found.push({
      path,
      mode: stat.mode & 0o100 ? '100755' : '100644',
      bytes: await readFile(join(workspace, path)),
    });
  else if (stat.isDirectory()) {
    for (const name of (await readdir(join(workspace, path))).sort()) {
      if (name !== '.git') await collect(workspace, `${path}/${name}`, given, found);
    }
  }
}
