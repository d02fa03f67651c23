import { exec } from '../../src/lib/exec.ts';
import type { Shell } from '../../src/types.ts';

/** A `Shell` on this machine, for tests of what runs on top of one. */
export const localShell =
  (folder: string): Shell =>
  request => {
    const { script, env, ...rest } = request;
    return exec({
      file: 'sh',
      args: ['-c', script],
      cwd: folder,
      env: { PATH: process.env.PATH ?? '', HOME: folder, PYTHONDONTWRITEBYTECODE: '1', ...env },
      ...rest,
    });
  };
