import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { type Extract, extract, type Header } from 'tar-stream';
import { messageOf } from '../errors.ts';
import type { TreeFile } from '../types.ts';
import type { Refusal } from './list-files.ts';
import { decodeStrictly, linkProblem } from './path-rules.ts';

export interface TarReading {
  readonly files: readonly TreeFile[];
  readonly refused: readonly Refusal[];
  readonly bytes: number;
  /** Why the stream can not be trusted as a whole: cut short, malformed, over the limit, or with paths that were not asked for. */
  readonly problem?: string;
}

export interface TarLimits {
  readonly maxTotalBytes: number;
  readonly maxFileBytes: number;
}

/**
 * Reads a hostile tar stream to its end, keeping no more than the limits allow. Never rejects: what is wrong stands in `problem`.
 * Only paths in `wanted` are kept. On the first problem `stop` is called; the stream is still drained, so that its writer can end.
 */
export async function readTar(
  stream: Readable,
  wanted: ReadonlySet<string>,
  limits: TarLimits,
  stop: () => void,
): Promise<TarReading> {
  const state: State = { files: new Map(), refused: [], bytes: 0 };
  const fail = (problem: string) => {
    state.problem ??= problem;
    stop();
  };
  const tar = extract(OPTIONS);
  const pumped = pump(stream, tar).catch((error: unknown) => {
    fail(messageOf(error));
    stream.resume();
  });
  try {
    for await (const entry of tar) {
      const problem = await takeEntry(entry, wanted, limits, state);
      if (problem) fail(problem);
      entry.resume();
    }
  } catch (error) {
    fail(messageOf(error));
  }
  const trailer = await pumped;
  if (trailer && !trailer.whole) fail('it has no end mark');
  const { files, refused, bytes, problem } = state;
  return { files: [...files.values()], refused, bytes, ...(problem !== undefined && { problem }) };
}

type Entry = Extract extends AsyncIterable<infer Source> ? Source : never;

/** Names as latin1 keep their bytes, so that it can be told whether they are UTF-8. (The types do not know the option.) */
const OPTIONS = { filenameEncoding: 'latin1', highWaterMark: 64 * 1024 };

interface State {
  readonly files: Map<string, TreeFile>;
  readonly refused: Refusal[];
  bytes: number;
  problem?: string;
}

const END_MARK_BYTES = 1024;

/** Feeds the parser and watches the end: a tar ends with two blocks of zeros, and `tar-stream` does not ask for them. */
async function pump(stream: Readable, tar: Extract): Promise<{ whole: boolean }> {
  let zeros = 0;
  let size = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    size += chunk.length;
    zeros = trailingZeros(chunk, zeros);
    if (!tar.write(chunk)) await once(tar, 'drain');
  }
  tar.end(null);
  return { whole: zeros >= END_MARK_BYTES && size % 512 === 0 };
}

function trailingZeros(chunk: Buffer, before: number): number {
  let count = 0;
  while (count < END_MARK_BYTES && count < chunk.length && chunk[chunk.length - 1 - count] === 0) count++;
  return count === chunk.length ? before + count : count;
}

async function takeEntry(
  entry: Entry,
  wanted: ReadonlySet<string>,
  limits: TarLimits,
  state: State,
): Promise<string | undefined> {
  const path = textOf(entry.header.name, paxOf(entry.header).path)?.replace(/^\.\//, '');
  if (path === undefined || !wanted.has(path)) return `it holds a path that was not asked for: ${path}`;
  if (state.files.has(path)) return `it holds a path twice: ${path}`;
  const size = entry.header.size ?? 0;
  if (size > limits.maxFileBytes) {
    state.refused.push({ path, reason: `larger than ${limits.maxFileBytes} bytes` });
    return undefined;
  }
  if (state.problem !== undefined) return undefined;
  if (state.bytes + size > limits.maxTotalBytes) return `it holds more than ${limits.maxTotalBytes} bytes`;
  const taken = await treeFileOf(path, entry, state.files);
  if ('reason' in taken) state.refused.push(taken);
  else {
    state.bytes += taken.bytes.length;
    state.files.set(path, taken);
  }
  return undefined;
}

async function treeFileOf(
  path: string,
  entry: Entry,
  files: ReadonlyMap<string, TreeFile>,
): Promise<TreeFile | Refusal> {
  const { header } = entry;
  const target = textOf(header.linkname ?? '', paxOf(header).linkpath);
  switch (header.type) {
    case 'file':
    case 'contiguous-file':
      return { path, mode: (header.mode ?? 0) & 0o100 ? '100755' : '100644', bytes: await readEntry(entry) };
    case 'symlink': {
      if (target === undefined) return { path, reason: 'a link whose target is not UTF-8' };
      const reason = linkProblem(path, target);
      return reason ? { path, reason } : { path, mode: '120000', bytes: Buffer.from(target) };
    }
    case 'link': {
      // The second name of a file whose bytes came under the first.
      const first = target === undefined ? undefined : files.get(target.replace(/^\.\//, ''));
      return first ? { ...first, path } : { path, reason: 'a hard link to something that is not published' };
    }
    default:
      return { path, reason: `neither a file nor a link (${header.type ?? 'unknown kind'})` };
  }
}

async function readEntry(entry: Entry): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of entry as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** A pax record is decoded by `tar-stream` already, lossily; a plain field comes as latin1. */
const textOf = (field: string, pax: string | undefined): string | undefined =>
  pax === undefined ? decodeStrictly(Buffer.from(field, 'latin1')) : pax.includes('\ufffd') ? undefined : pax;

const paxOf = (header: Header) =>
  (header.pax ?? {}) as { readonly path?: string; readonly linkpath?: string };
