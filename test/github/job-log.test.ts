import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type JobLogOptions, readJobLog } from '../../src/github/job-log.ts';
import { splitLines } from '../../src/github/split-lines.ts';
import { type Sample, startSample } from '../local-github/fixture.ts';
import type { NewJob } from '../local-github/workflow-runs.ts';
import { connect } from './connect.ts';

let sample: Sample;
beforeAll(async () => {
  sample = await startSample();
});
afterAll(() => sample.close());
// The local GitHub also puts there what its store of logs may not be sent, such as a token.
afterEach(() => expect(sample.github.unknownRequests).toEqual([]));

function addJob(log: NewJob['log']): number {
  const run = sample.github.addWorkflowRun(sample.repository, {
    headSha: 'a'.repeat(40),
    jobs: [{ name: 'test', conclusion: 'failure', ...(log !== undefined && { log }) }],
  });
  return run.attempts[0]?.[0]?.id ?? 0;
}

async function read(jobId: number, options: JobLogOptions = {}, client = connect(sample)) {
  const lines: string[] = [];
  const result = await readJobLog(client, jobId, line => lines.push(line), options);
  return { result, lines };
}

const MIB = 1024 * 1024;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** What this process, which serves the log and reads it, can not let go of. */
function heldBytes(): number {
  collectGarbage();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

describe('a log', () => {
  it('comes from another host, without our token, line by line, without mark and timestamps', async () => {
    const text = 'Run npm test\n\n  2026-11-02T09:00:00Z said the test\n##[error]Process completed\nlast é\n';
    const { result, lines } = await read(addJob(text));
    expect(lines).toEqual(text.trimEnd().split('\n'));
    expect(result).toMatchObject({ kind: 'read', end: 'whole' });
    expect(sample.github.requests.at(-1)).toMatchObject({ status: 302 });
  });

  it('of 100 MiB goes through a memory that does not grow, and so does one line of 100 MiB', async () => {
    const short = Buffer.from(`2026-11-02T09:00:00.1234567Z ${'x'.repeat(970)}\n`.repeat(1_049));
    const long = Buffer.alloc(MIB, 'y');
    for (const chunk of [short, long]) {
      const held: number[] = [];
      const job = addJob(function* () {
        for (let n = 0; n < 100; n++) {
          if (n % 10 === 0) held.push(heldBytes());
          yield chunk;
        }
      });
      let characters = 0;
      let lines = 0;
      const result = await readJobLog(connect(sample), job, line => {
        characters += line.length;
        lines++;
      });
      expect(result).toEqual({ kind: 'read', bytes: chunk.length * 100, end: 'whole' });
      expect([lines, characters]).toEqual(chunk === short ? [104_900, 104_900 * 970] : [1, 16_385]);
      expect(held).toHaveLength(10);
      // What is garbage may not be collected yet; what is kept would be a hundred.
      expect(Math.max(...held) - (held[0] ?? 0)).toBeLessThan(64 * MIB);
    }
  });

  it('longer than what is wanted is left in the middle, and that is said', async () => {
    const job = addJob(function* () {
      for (;;) yield Buffer.from('again\n'.repeat(10_000));
    });
    const { result, lines } = await read(job, { maxBytes: 100_003 });
    expect(result).toEqual({ kind: 'read', bytes: 100_003, end: 'too-long' });
    expect(lines).toHaveLength(16_668);
    expect(lines.at(-1)).toBe('a');
  });

  it('that ends exactly where the limit is, is whole', async () => {
    const job = addJob(() => [Buffer.from('one\ntwo\n')]);
    expect((await read(job, { maxBytes: 8 })).result).toEqual({ kind: 'read', bytes: 8, end: 'whole' });
  });

  it('that comes slowly is waited for, as long as something comes', async () => {
    const job = addJob(async function* () {
      for (let n = 0; n < 8; n++) {
        yield Buffer.from(`${n}\n`);
        await new Promise(resolve => setTimeout(resolve, 60));
      }
    });
    const { result, lines } = await read(job, { idleMs: 300 });
    expect(result).toMatchObject({ end: 'whole' });
    expect(lines).toHaveLength(8);
  });

  it.each([
    ['is expired', 'expired', { kind: 'expired' }],
    ['is not written yet', 'not-written', { kind: 'not-found' }],
  ] as const)('that %s is told as data', async (_what, log, expected) => {
    expect(await read(addJob(log))).toEqual({ result: expected, lines: [] });
  });

  it('of no job is not found; without the permission it is refused by name', async () => {
    expect((await read(1)).result).toEqual({ kind: 'not-found' });
    const poor = connect(sample, { permissions: {} });
    expect((await read(addJob('x'), {}, poor)).result).toMatchObject({
      kind: 'refused',
      error: { needs: 'actions: read' },
    });
  });
});

describe('a log is given up', () => {
  const endless = () =>
    addJob(async function* () {
      yield Buffer.from('begun\n');
      await new Promise(resolve => setTimeout(resolve, 60_000).unref());
    });

  it('at once when the signal says so, before and while it comes', async () => {
    const aborted = AbortSignal.abort(new Error('stop it'));
    await expect(read(addJob('x'), { signal: aborted })).rejects.toThrow('stop it');
    const controller = new AbortController();
    const lines: string[] = [];
    const reading = readJobLog(
      connect(sample),
      endless(),
      line => {
        lines.push(line);
        controller.abort(new Error('enough'));
      },
      { signal: controller.signal },
    );
    await expect(reading).rejects.toThrow('enough');
    expect(lines).toEqual(['begun']);
  });

  it('when the whole run is stopped', async () => {
    const controller = new AbortController();
    const client = connect(sample, { signal: controller.signal });
    const reading = readJobLog(client, endless(), () => controller.abort(new Error('the run ends')));
    await expect(reading).rejects.toThrow('the run ends');
  });

  it('when nothing comes for a while, with what came', async () => {
    const { result, lines } = await read(endless(), { idleMs: 100 });
    expect(result).toEqual({ kind: 'read', bytes: 6, end: 'broken-off' });
    expect(lines).toEqual(['begun']);
  });

  it('when the connection breaks, with what came', async () => {
    const job = addJob(async function* () {
      yield Buffer.from('one\ntw');
      await new Promise(resolve => setTimeout(resolve, 100));
      throw new Error('the store fails');
    });
    const { result, lines } = await read(job);
    expect(result).toMatchObject({ kind: 'read', end: 'broken-off' });
    expect(lines).toEqual(['one', 'tw']);
  });

  it('and what the reader throws is thrown on', async () => {
    const thrown = new TypeError('a defect of the reader');
    const reading = readJobLog(connect(sample), addJob('x'), () => {
      throw thrown;
    });
    await expect(reading).rejects.toBe(thrown);
  });
});

describe('a redirect', () => {
  /** Plans the API's answer, so that it sends us where the test says. */
  const redirectTo = (location: string) =>
    sample.github.fail({ path: /\/logs$/, answer: { status: 302, headers: { location } } });
  const serve = async (listener: RequestListener) => {
    const server = createServer(listener);
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    const close = () => new Promise<void>(resolve => server.close(() => resolve()));
    return {
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      [Symbol.asyncDispose]: close,
    };
  };

  it.each(['file:///etc/passwd', 'data:text/plain,hello', 'ftp://127.0.0.1/x'])(
    'to %s is not followed',
    async location => {
      redirectTo(location);
      const { result } = await read(addJob('x'));
      expect(result).toMatchObject({ kind: 'unreachable', message: expect.stringContaining('not https') });
    },
  );

  it('without encryption is not followed when the API is asked with it, and its signature is told to nobody', async () => {
    let asked = 0;
    await using store = await serve((_request, response) => {
      asked++;
      response.end('x');
    });
    redirectTo(`${store.url}/log?sig=secret`);
    const client = { ...connect(sample), apiUrl: 'https://api.github.com' };
    const { result } = await read(addJob('x'), {}, client);
    expect(result).toEqual({
      kind: 'unreachable',
      message: `the log lies at an address that is not https: ${store.url}`,
    });
    expect(asked).toBe(0);
  });

  it('is followed on without the token, but not without end', async () => {
    const seen: (string | undefined)[] = [];
    await using store = await serve(({ url, headers }, response) => {
      seen.push(headers.authorization);
      if (url === '/end') response.end('found\n');
      else response.writeHead(302, { location: url === '/start' ? '/end' : '/round' }).end();
    });
    redirectTo(`${store.url}/start`);
    expect((await read(addJob('x'))).lines).toEqual(['found']);
    redirectTo(`${store.url}/round`);
    expect((await read(addJob('x'))).result).toEqual({
      kind: 'unreachable',
      message: 'the log was redirected too often',
    });
    expect(seen).toEqual(Array(5).fill(undefined));
  });

  it.each([
    ['to a store that fails', 503, /HTTP 503/],
    ['to a store that refuses', 403, /HTTP 403/],
  ])('%s is told without the link', async (_what, status, message) => {
    await using store = await serve((_request, response) => response.writeHead(status).end());
    redirectTo(`${store.url}/log?sig=secret`);
    const { result } = await read(addJob('x'));
    expect(result).toMatchObject({ kind: 'unreachable', message: expect.stringMatching(message) });
    expect(JSON.stringify(result)).not.toContain('secret');
  });

  it('to a store that is not there is told', async () => {
    redirectTo('http://127.0.0.1:9/log');
    expect((await read(addJob('x'))).result).toMatchObject({ kind: 'unreachable' });
  });

  it('is not needed: a server may answer with the text itself', async () => {
    sample.github.fail({
      path: /\/logs$/,
      answer: { status: 200, body: 'here\nit is\n', headers: { 'content-type': 'text/plain' } },
    });
    expect(await read(addJob('x'))).toEqual({
      result: { kind: 'read', bytes: 11, end: 'whole' },
      lines: ['here', 'it is'],
    });
  });
});

describe('lines', () => {
  const split = (...chunks: (string | Buffer)[]) => {
    const lines: string[] = [];
    const splitter = splitLines(line => lines.push(line));
    for (const chunk of chunks) splitter.push(Buffer.from(chunk as string));
    splitter.end();
    return lines;
  };

  it('are the same however the bytes are cut', () => {
    const bytes = Buffer.from('één\r\n\n👍 twee\ndrie');
    for (let at = 0; at <= bytes.length; at++) {
      expect(split(bytes.subarray(0, at), bytes.subarray(at))).toEqual(['één', '', '👍 twee', 'drie']);
    }
  });

  it.each([
    [16_383, 'a'.repeat(16_383)],
    [16_384, 'a'.repeat(16_384)],
    [16_385, `${'a'.repeat(16_384)}…`],
    [40_000, `${'a'.repeat(16_384)}…`],
  ])('of %i bytes are cut at 16 KiB, and the next one is whole', (length, expected) => {
    expect(split('a'.repeat(length), '\nnext\n')).toEqual([expected, 'next']);
    expect(split(...Array<string>(length).fill('a'))).toEqual([expected]);
  });

  it('are cut between characters', () => {
    expect(split(`a${'é'.repeat(9_000)}`)).toEqual([`a${'é'.repeat(8_191)}…`]);
  });
});
