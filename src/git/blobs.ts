import { Readable } from 'node:stream';
import { UserError } from '../errors.ts';
import type { TreeFile } from '../types.ts';
import { gitOutput, howItEnded, succeeded } from './git.ts';
import type { Repository } from './repository.ts';
import { PARTIAL_CLONE_CURE, type TreeEntry } from './tree.ts';

/**
 * The files of tree entries, in their order, one at a time: no more than one file and a pipe's worth is ever held.
 * Throws a UserError for a file whose content is missing (a partial clone).
 */
export async function* readFiles(
  repository: Repository,
  entries: readonly TreeEntry[],
): AsyncGenerator<TreeFile> {
  if (entries.length === 0) return;
  const stop = new AbortController();
  let stdout: Readable = Readable.from([]);
  const ended = repository.git(['cat-file', '--batch', '--buffer'], {
    stdin: entries.map(entry => `${entry.oid}\n`).join(''),
    timeoutMs: 30 * 60_000,
    signal: stop.signal,
    onStdout: stream => {
      stdout = stream;
    },
  });
  // Caught at once, told below: a reader that leaves early must not leave a rejection unhandled.
  const outcome = ended.then(
    result => ({ result }),
    (error: unknown) => ({ error }),
  );
  try {
    const read = byteReader(stdout);
    for (const entry of entries) {
      const bytes = await nextBlob(read, entry);
      if (!bytes) break;
      yield { path: entry.path, mode: entry.mode, bytes };
    }
    const last = await outcome;
    if ('error' in last) throw last.error;
    if (!succeeded(last.result)) throw new Error(`git cat-file ${howItEnded(last.result)}`);
  } finally {
    stop.abort();
    stdout.destroy();
    await outcome;
  }
}

/** The content of one entry. */
export async function readBlob(repository: Repository, entry: TreeEntry): Promise<Buffer> {
  if (entry.sizeBytes === undefined) throw missing(entry);
  return gitOutput(repository.git, ['cat-file', 'blob', entry.oid], {
    maxOutputBytes: entry.sizeBytes + 1024 * 1024,
  });
}

const missing = (entry: TreeEntry) =>
  new UserError(`The content of ${JSON.stringify(entry.path)} is missing.`, PARTIAL_CLONE_CURE);

/** Undefined when git ended before this entry's turn: the exit then says why. */
async function nextBlob(read: ByteReader, entry: TreeEntry): Promise<Buffer | undefined> {
  const header = await read.line();
  if (header === undefined) return undefined;
  const [, kind, size] = header.split(' ');
  if (kind === 'missing') throw missing(entry);
  if (kind !== 'blob') throw new Error(`git cat-file answered ${JSON.stringify(header)} for ${entry.oid}`);
  const bytes = await read.bytes(Number(size));
  await read.bytes(1);
  return bytes;
}

interface ByteReader {
  readonly line: () => Promise<string | undefined>;
  readonly bytes: (count: number) => Promise<Buffer>;
}

function byteReader(stream: Readable): ByteReader {
  const chunks = stream[Symbol.asyncIterator]();
  let rest: Buffer = Buffer.alloc(0);
  const more = async () => {
    const { value, done } = await chunks.next();
    return done ? undefined : (value as Buffer);
  };
  return {
    async line() {
      for (let end = rest.indexOf(0x0a); ; end = rest.indexOf(0x0a)) {
        if (end >= 0) {
          const line = rest.subarray(0, end).toString('latin1');
          rest = rest.subarray(end + 1);
          return line;
        }
        const chunk = await more();
        if (!chunk) return undefined;
        rest = Buffer.concat([rest, chunk]);
      }
    },
    async bytes(count) {
      const parts = [rest];
      let size = rest.length;
      while (size < count) {
        const chunk = await more();
        if (!chunk) throw new Error('git cat-file ended in the middle of a file');
        parts.push(chunk);
        size += chunk.length;
      }
      const all = parts.length === 1 ? rest : Buffer.concat(parts, size);
      rest = all.subarray(count);
      // A copy when the chunk is much larger, so that a small file does not keep its neighbours in memory.
      return Buffer.from(all.subarray(0, count));
    },
  };
}
