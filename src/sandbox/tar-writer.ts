import type { TreeFile } from '../types.ts';

export interface TarEntry {
  /** Relative, `/`-separated. */
  readonly path: string;
  readonly type: 'file' | 'link' | 'folder';
  /** Permission bits. */
  readonly mode: number;
  /** A file's content, or a link's target. */
  readonly bytes: Buffer;
}

/**
 * A tar stream in GNU's format, because it is the only one whose long and non-ASCII names busybox reads too:
 * `tar-stream` writes those as pax headers, and busybox would unpack every such file as `PaxHeader`.
 */
export async function* writeTar(
  entries: Iterable<TarEntry> | AsyncIterable<TarEntry>,
  mtimeSeconds: number,
): AsyncGenerator<Buffer> {
  // Small files make small blocks, and each write of its own costs as much as a large one.
  let batch: Buffer[] = [];
  let size = 0;
  for await (const entry of entries) {
    for (const block of blocksOf(entry, mtimeSeconds)) {
      batch.push(block);
      size += block.length;
    }
    if (size < BATCH_BYTES) continue;
    yield Buffer.concat(batch, size);
    batch = [];
    size = 0;
  }
  yield Buffer.concat([...batch, Buffer.alloc(2 * BLOCK)]);
}

/** How a file of a tree stands in a tar. */
export const tarEntryOf = (file: TreeFile): TarEntry => ({
  path: file.path,
  type: file.mode === '120000' ? 'link' : 'file',
  mode: file.mode === '100755' ? 0o755 : 0o644,
  bytes: file.bytes,
});

const BLOCK = 512;
const BATCH_BYTES = 256 * 1024;
const TYPE_FLAGS = { file: '0', link: '2', folder: '5', longName: 'L', longTarget: 'K' } as const;
const LONG_NAME = Buffer.from('././@LongLink');

function* blocksOf(entry: TarEntry, mtimeSeconds: number): Generator<Buffer> {
  const name = Buffer.from(entry.path);
  const target = entry.type === 'link' ? entry.bytes : Buffer.alloc(0);
  const content = entry.type === 'file' ? entry.bytes : Buffer.alloc(0);
  if (target.length > 100) yield* longBlocks('longTarget', target);
  if (name.length > 100) yield* longBlocks('longName', name);
  yield header({ name, target, type: entry.type, mode: entry.mode, size: content.length, mtimeSeconds });
  if (content.length > 0) yield content;
  yield padding(content.length);
}

function* longBlocks(type: 'longName' | 'longTarget', text: Buffer): Generator<Buffer> {
  const size = text.length + 1;
  yield header({ name: LONG_NAME, target: Buffer.alloc(0), type, mode: 0o644, size, mtimeSeconds: 0 });
  yield text;
  yield Buffer.alloc(1);
  yield padding(size);
}

interface Header {
  readonly name: Buffer;
  readonly target: Buffer;
  readonly type: keyof typeof TYPE_FLAGS;
  readonly mode: number;
  readonly size: number;
  readonly mtimeSeconds: number;
}

function header({ name, target, type, mode, size, mtimeSeconds }: Header): Buffer {
  const block = Buffer.alloc(BLOCK);
  name.copy(block, 0, 0, 100);
  block.write(octal(mode, 7), 100);
  block.write(octal(0, 7), 108);
  block.write(octal(0, 7), 116);
  block.write(octal(size, 11), 124);
  block.write(octal(mtimeSeconds, 11), 136);
  block.fill(' ', 148, 156);
  block.write(TYPE_FLAGS[type], 156);
  target.copy(block, 157, 0, 100);
  block.write('ustar  \0', 257, 'latin1');
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${octal(sum, 6)}\0 `, 148);
  return block;
}

const octal = (value: number, digits: number): string => value.toString(8).padStart(digits, '0');

const padding = (size: number): Buffer => Buffer.alloc((BLOCK - (size % BLOCK)) % BLOCK);
