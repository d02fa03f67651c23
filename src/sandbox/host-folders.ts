import { access, constants, rm } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { exec } from '../lib/exec.ts';

/** The absolute path of a program on the host, or undefined. Relative entries of PATH are not looked at. */
export async function findProgram(hostPath: string, name: string): Promise<string | undefined> {
  for (const folder of hostPath.split(':').filter(isAbsolute)) {
    const file = join(folder, name);
    if (await isExecutable(file)) return file;
  }
  return undefined;
}

async function isExecutable(file: string): Promise<boolean> {
  return access(file, constants.X_OK).then(
    () => true,
    () => false,
  );
}

/** Removes a folder that a sandbox has written in. Links are removed, not followed; folders closed on purpose are opened first. */
export async function removeFolder(folder: string, hostPath: string): Promise<void> {
  const options = { recursive: true, force: true, maxRetries: 3 } as const;
  try {
    await rm(folder, options);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'EACCES' && code !== 'EPERM' && code !== 'ENOTEMPTY') throw error;
    await exec({ file: 'chmod', args: ['-R', 'u+rwX', '--', folder], env: { PATH: hostPath } });
    await rm(folder, options);
  }
}

/** Every folder of a run has this at the front of its name, so that it is found again. */
export const folderPrefix = (runLabel: string): string => `redgreen-${runLabel}-`;
