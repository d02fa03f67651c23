import { readdir, readFile, readlink } from 'node:fs/promises';

/** Set in every process of an `unsafe-local` sandbox; its value is the run's label. */
export const MARK = 'REDGREEN_SANDBOX';

/**
 * Kills processes that carry a run's mark in their environment or stand in a folder whose path begins so. As far as it goes: one that clears
 * its environment and leaves the folder is not seen. Does nothing where there is no /proc.
 */
export async function killMarked(runLabel: string, folderPrefix: string): Promise<void> {
  for (let round = 0; round < 50; round++) {
    const pids = await markedProcesses(`${MARK}=${runLabel}`, folderPrefix);
    if (pids.length === 0) return;
    for (const pid of pids) kill(pid);
    await new Promise(resolve => setTimeout(resolve, 5));
  }
}

async function markedProcesses(mark: string, folderPrefix: string): Promise<number[]> {
  const names = await readdir('/proc').catch(() => []);
  const pids = names.filter(name => /^\d+$/.test(name)).map(Number);
  const found = await Promise.all(
    pids.map(async pid => {
      if (pid === process.pid) return [];
      // Both are empty for a process that has ended, and closed for one of another user: not ours then.
      const environment = await readFile(`/proc/${pid}/environ`, 'latin1').catch(() => '');
      const cwd = await readlink(`/proc/${pid}/cwd`).catch(() => '');
      const inside = cwd.startsWith(folderPrefix);
      return inside || environment.split('\0').includes(mark) ? [pid] : [];
    }),
  );
  return found.flat();
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ESRCH' && code !== 'EPERM') throw error;
  }
}

/** Whether a process is there still. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
