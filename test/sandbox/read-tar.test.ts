import { Readable } from 'node:stream';
import { pack } from 'tar-stream';
import { describe, expect, it, vi } from 'vitest';
import { readTar } from '../../src/sandbox/read-tar.ts';
import { type TarEntry, writeTar } from '../../src/sandbox/tar-writer.ts';

const LIMITS = { maxTotalBytes: 10_000, maxFileBytes: 5000 };
const file = (path: string, content: string): TarEntry => ({
  path,
  type: 'file',
  mode: 0o644,
  bytes: Buffer.from(content),
});

async function bytesOf(stream: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}

async function tarOf(...entries: TarEntry[]): Promise<Buffer> {
  return bytesOf(writeTar(entries, 0));
}

async function read(tar: Buffer, wanted: readonly string[], limits = LIMITS) {
  const stop = vi.fn();
  const reading = await readTar(Readable.from([tar], { objectMode: false }), new Set(wanted), limits, stop);
  expect(stop.mock.calls.length > 0).toBe(reading.problem !== undefined);
  return reading;
}

describe('a tar stream out of a sandbox', () => {
  it('is read whole', async () => {
    const tar = await tarOf(file('./a', 'A'), file('./b/c', 'C'));
    const { files, problem } = await read(tar, ['a', 'b/c']);
    expect(problem).toBeUndefined();
    expect(files.map(({ path, bytes }) => `${path}=${bytes}`)).toEqual(['a=A', 'b/c=C']);
  });

  it.each([
    ['in a header', 300],
    ['in a file', 1000],
    ['after a file, without an end mark', 2048],
    ['in the end mark', 2048 + 512],
  ])('is no use when it was cut %s', async (_where, length) => {
    const tar = (await tarOf(file('a', 'A'.repeat(600)), file('b', ''))).subarray(0, length);
    expect((await read(tar, ['a', 'b'])).problem).toBeDefined();
  });

  it('is no use when a header is broken', async () => {
    const tar = await tarOf(file('a', 'A'));
    tar[0] = 0x7a;
    expect((await read(tar, ['a'])).problem).toMatch(/corrupted/);
  });

  it('is no use with a path that was not asked for, or twice the same', async () => {
    expect((await read(await tarOf(file('../evil', 'x')), ['a'])).problem).toMatch(/not asked for/);
    expect((await read(await tarOf(file('a', '1'), file('./a', '2')), ['a'])).problem).toMatch(/twice/);
  });

  it('keeps no more than its limits', async () => {
    const large = await read(await tarOf(file('a', 'x'.repeat(5001)), file('b', 'b')), ['a', 'b']);
    expect(large.refused).toEqual([{ path: 'a', reason: 'larger than 5000 bytes' }]);
    expect(large.files.map(({ path }) => path)).toEqual(['b']);
    const many = Array.from({ length: 30 }, (_, index) => file(`${index}`, 'x'.repeat(1000)));
    const total = await read(
      await tarOf(...many),
      many.map(({ path }) => path),
    );
    expect(total.problem).toMatch(/more than 10000 bytes/);
    expect(total.bytes).toBeLessThanOrEqual(10_000);
  });

  it('gives no devices, and no hard link to what it does not hold', async () => {
    const tar = pack();
    tar.entry({ name: 'disk', type: 'block-device', devmajor: 8 });
    tar.entry({ name: 'hard', type: 'link', linkname: '/etc/shadow' });
    tar.entry({ name: 'link', type: 'symlink', linkname: '/etc/shadow' });
    tar.finalize();
    const bytes = await bytesOf(tar as AsyncIterable<Buffer>);
    const { files, refused, problem } = await read(bytes, ['disk', 'hard', 'link']);
    expect(problem).toBeUndefined();
    expect(files).toEqual([]);
    expect(refused.map(({ path }) => path)).toEqual(['disk', 'hard', 'link']);
  });

  it('may have pax names, when they are UTF-8', async () => {
    const tar = pack();
    tar.entry({ name: 'ünï/☃'.repeat(30) }, 'x');
    tar.finalize();
    const bytes = await bytesOf(tar as AsyncIterable<Buffer>);
    expect((await read(bytes, ['ünï/☃'.repeat(30)])).files.length).toBe(1);
  });
});
