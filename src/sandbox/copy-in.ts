import { Readable } from 'node:stream';
import type { TreeFile } from '../types.ts';
import { pathProblem } from './path-rules.ts';
import type { Place } from './place.ts';
import { quote } from './quote.ts';
import { tarEntryOf, writeTar } from './tar-writer.ts';

const TIMEOUT_MS = 300_000;

/** Unpacks files below the work folder, as the agent. `mtimeSeconds` is what they are dated. */
export async function copyIn(
  place: Place,
  files: Iterable<TreeFile> | AsyncIterable<TreeFile>,
  mtimeSeconds: number,
): Promise<void> {
  const stdin = Readable.from(writeTar(entries(files), mtimeSeconds));
  let broken: Error | undefined;
  stdin.on('error', error => {
    broken = error;
  });
  const script = 'unset TAR_OPTIONS; umask 022; tar -x -f -';
  const result = await place.run({ script, stdin, timeoutMs: TIMEOUT_MS, ours: true });
  if (broken) throw broken;
  if (result.exit.kind !== 'code' || result.exit.code !== 0) {
    throw new Error(`Files could not be unpacked: ${JSON.stringify(result.exit)} ${result.stderr}`);
  }
}

/** Deletes paths below the work folder. */
export async function removePaths(place: Place, paths: readonly string[]): Promise<void> {
  if (paths.length === 0) return;
  for (const path of paths) assertPlain(path);
  const lines = paths.map(path => `rm -rf -- ${quote(`./${path}`)} || code=1`);
  const script = `code=0\n${lines.join('\n')}\nexit $code`;
  const result = await place.run({ script, timeoutMs: TIMEOUT_MS, ours: true });
  if (result.exit.kind !== 'code' || result.exit.code !== 0) {
    throw new Error(`Files could not be removed: ${JSON.stringify(result.exit)} ${result.stderr}`);
  }
}

async function* entries(files: Iterable<TreeFile> | AsyncIterable<TreeFile>) {
  for await (const file of files) {
    assertPlain(file.path);
    yield tarEntryOf(file);
  }
}

function assertPlain(path: string): void {
  const problem = pathProblem(path);
  if (problem) throw new Error(`${JSON.stringify(path)} can not be a path below the work folder: ${problem}`);
}
