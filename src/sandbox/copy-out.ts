import type { TreeFile } from '../types.ts';
import { type Listing, listFiles, listOnly, type Refusal, tooManyFiles } from './list-files.ts';
import type { Place } from './place.ts';
import { quote } from './quote.ts';
import { readTar, type TarReading } from './read-tar.ts';
import type { CopyOutOptions, CopyOutResult } from './sandbox.ts';

const MEBIBYTE = 1024 * 1024;
const TAR_TIMEOUT_MS = 300_000;

/** One tar per command line, each with an end of its own: a tar that was cut can never run into the next one. */
const COMMAND_LINE_BYTES = 500_000;

/** Reads the work folder as the host may know it: listed inside, judged here, then asked for by name. */
export async function copyOut(place: Place, options: CopyOutOptions): Promise<CopyOutResult> {
  const { maxFiles = 100_000, maxTotalBytes = 512 * MEBIBYTE, maxFileBytes = 100 * MEBIBYTE } = options;
  const listing = options.only
    ? await listOnly(place, options.only, maxFileBytes)
    : await listFiles(place, options, maxFileBytes);
  if (listing.paths.length > maxFiles) {
    throw tooManyFiles(`${listing.paths.length} files, and more than ${maxFiles} are not read`);
  }
  const files: TreeFile[] = [];
  const refused: Refusal[] = [...listing.refused];
  let room = maxTotalBytes;
  for (const paths of inCommandLines(listing)) {
    const reading = await readPaths(place, paths, { maxTotalBytes: room, maxFileBytes });
    room -= reading.bytes;
    files.push(...reading.files);
    refused.push(...reading.refused);
  }
  return { files: files.sort(byPath), refused: refused.sort(byPath) };
}

function inCommandLines({ paths }: Listing): string[][] {
  const groups: string[][] = [];
  let size = COMMAND_LINE_BYTES;
  for (const path of paths) {
    size += Buffer.byteLength(path) + 16;
    if (size > COMMAND_LINE_BYTES) {
      groups.push([]);
      size = 0;
    }
    groups.at(-1)?.push(path);
  }
  return groups;
}

async function readPaths(
  place: Place,
  paths: readonly string[],
  limits: { readonly maxTotalBytes: number; readonly maxFileBytes: number },
): Promise<TarReading> {
  const stop = new AbortController();
  const wanted = new Set(paths);
  let reading: Promise<TarReading> | undefined;
  const result = await place.run({
    script: tarScript(place, paths),
    timeoutMs: TAR_TIMEOUT_MS,
    ours: true,
    signal: stop.signal,
    onStdout: stdout => {
      reading = readTar(stdout, wanted, limits, () => stop.abort());
    },
  });
  const read = await reading;
  if (read?.problem?.startsWith('it holds more than')) {
    throw tooManyFiles(`more than ${limits.maxTotalBytes} bytes`);
  }
  // tar ends with 1 or 2 when it could not read a file; that file is then missing, and refused below.
  const ended = result.exit.kind === 'code' && result.exit.code <= 2;
  if (!read || read.problem !== undefined || !ended) {
    const why = read?.problem ?? JSON.stringify(result.exit);
    throw new Error(`The tar stream out of the sandbox can not be used: ${why}. ${result.stderr}`.trim());
  }
  const known = new Set([...read.files, ...read.refused].map(({ path }) => path));
  const unread = paths
    .filter(path => !known.has(path))
    .map(path => ({ path, reason: 'it could not be read' }));
  return { ...read, refused: [...read.refused, ...unread] };
}

function tarScript(place: Place, paths: readonly string[]): string {
  const gnu = place.tools.gnuTar ? '--format=gnu --no-unquote' : '';
  const words = paths.map(path => quote(`./${path}`)).join(' ');
  return `unset TAR_OPTIONS; tar -c ${gnu} -f - ${words}`;
}

const byPath = (a: { readonly path: string }, b: { readonly path: string }): number =>
  a.path < b.path ? -1 : a.path > b.path ? 1 : 0;
