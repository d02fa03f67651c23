import { spawnSync } from 'node:child_process';

/** Runs a tool of node_modules/.bin (npm scripts put it on the PATH) and ends the script when it fails. */
export function run(tool: string, args: readonly string[]): void {
  const { status } = spawnSync(tool, args, { stdio: 'inherit' });
  if (status !== 0) {
    console.error(`${tool} ${args[0] ?? ''} failed`);
    process.exit(status ?? 1);
  }
}
