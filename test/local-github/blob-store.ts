/** The other host: the store of job logs, which the API sends clients to with a signed link. */
import { randomBytes } from 'node:crypto';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { JobLog } from './state.ts';

export interface BlobStore {
  readonly url: string;
  /** A link that works for this log, for a minute. Of a log that is not written yet: a link to nothing. */
  readonly linkTo: (log: JobLog | undefined) => string;
  readonly close: () => Promise<void>;
}

/** Starts the store. `report` is told of requests that no client may make. */
export async function startBlobStore(report: (what: string) => void): Promise<BlobStore> {
  const logs = new Map<string, JobLog | undefined>();
  const server = createServer((request, response) => {
    if (request.headers.authorization !== undefined) {
      report(`${request.method} to the store of logs, with an Authorization header`);
      return refuse(response, 403, 'AuthenticationFailed', 'Server failed to authenticate the request.');
    }
    const key = new URL(request.url ?? '/', 'http://store').searchParams.get('sig') ?? '';
    if (!logs.has(key)) {
      report(`${request.method} to the store of logs, with a link that was not signed`);
      return refuse(response, 403, 'AuthenticationFailed', 'Signature did not match.');
    }
    const log = logs.get(key);
    if (!log) return refuse(response, 404, 'BlobNotFound', 'The specified blob does not exist.');
    response.writeHead(200, { 'content-type': 'text/plain' });
    // A reader may leave in the middle.
    pipeline(Readable.from(bytesOf(log), { objectMode: false }), response).catch(() => undefined);
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    linkTo: log => {
      const key = randomBytes(12).toString('hex');
      logs.set(key, log);
      return `${url}/actions-results/${randomBytes(4).toString('hex')}/logs/job/job-logs.txt?sig=${key}`;
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  };
}

function refuse(response: ServerResponse, status: number, code: string, message: string): void {
  response.writeHead(status, { 'content-type': 'application/xml' });
  response.end(
    `\uFEFF<?xml version="1.0" encoding="utf-8"?><Error><Code>${code}</Code><Message>${message}</Message></Error>`,
  );
}

function bytesOf(log: JobLog): Iterable<Uint8Array> | AsyncIterable<Uint8Array> {
  return 'bytes' in log ? log.bytes() : [Buffer.from(`\uFEFF${withTimestamps(log.text)}`)];
}

const withTimestamps = (text: string) =>
  text
    .replace(/\n$/, '')
    .split('\n')
    .map((line, at) => `2026-11-02T09:00:${String(at % 60).padStart(2, '0')}.${'1234567'}Z ${line}\n`)
    .join('');
