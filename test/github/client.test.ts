import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { UserError } from '../../src/errors.ts';
import { attempt, must } from '../../src/github/github-error.ts';
import { readRepository } from '../../src/github/repository.ts';
import { type Sample, startSample } from '../local-github/fixture.ts';
import { connect } from './connect.ts';

let sample: Sample;
beforeAll(async () => {
  sample = await startSample();
});
afterAll(() => sample.close());
afterEach(() => expect(sample.github.unknownRequests).toEqual([]));

const REPOSITORY = /\/repos\/octo-org\/hello$/;
const count = () => sample.github.countOf('GET', REPOSITORY);
const soon = () => Math.floor(Date.now() / 1000) + 5;
const limited = (headers: Record<string, string>, message = 'API rate limit exceeded') => ({
  status: 403,
  body: { message },
  headers: { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(soon()), ...headers },
});

async function read(more: Parameters<typeof connect>[1] = {}) {
  const before = count();
  const github = connect(sample, more);
  const result = await attempt(() => github.rest.repos.get({ owner: 'octo-org', repo: 'hello' }));
  return { result, requests: count() - before };
}

it('the default branch is read', async () => {
  expect(await readRepository(connect(sample))).toEqual({
    defaultBranch: 'main',
    private: false,
    fork: false,
    archived: false,
  });
});

describe('tried again until it works:', () => {
  it.each([
    ['a server error', { status: 502, body: 'Unicorn!' }, 3],
    ['a lost connection', 'cut' as const, 2],
    ['a short rate limit', limited({}), 3],
    [
      'a secondary rate limit',
      {
        status: 403,
        body: { message: 'You have exceeded a secondary rate limit' },
        headers: { 'retry-after': '5' },
      },
      1,
    ],
  ])('%s', async (_what, answer, times) => {
    sample.github.fail({ path: REPOSITORY, answer, times });
    const { result, requests } = await read();
    expect([result.ok, requests]).toEqual([true, times + 1]);
  });
});

describe('given up:', () => {
  it.each([
    [
      'server errors without end',
      { status: 500, body: { message: 'Oops' } },
      4,
      { kind: 'server', status: 500, message: 'Oops' },
    ],
    [
      'a long rate limit',
      limited({ 'x-ratelimit-reset': String(soon() + 900) }),
      1,
      { kind: 'rate-limited' },
    ],
    [
      'a secondary rate limit that lasts',
      { status: 429, body: { message: 'secondary rate limit' }, headers: { 'retry-after': '1' } },
      2,
      { kind: 'rate-limited' },
    ],
    [
      'a validation error',
      {
        status: 422,
        body: {
          message: 'Validation Failed',
          errors: [{ resource: 'R', field: 'f', code: 'invalid' }, { message: 'm' }, 's'],
        },
      },
      1,
      { kind: 'validation', message: 'Validation Failed: R f invalid: m: s' },
    ],
    ['a page that is gone', { status: 410, body: { message: 'Gone' } }, 1, { kind: 'gone' }],
    [
      'an answer that is no JSON',
      { status: 400, body: '<html>', headers: { 'content-type': 'text/html' } },
      1,
      { kind: 'other', message: 'HTTP 400' },
    ],
  ])('%s', async (_what, answer, requests, error) => {
    const before = count();
    sample.github.fail({ path: REPOSITORY, answer, times: requests });
    const { result } = await read();
    expect(result).toMatchObject({ ok: false, error });
    expect(count() - before).toBe(requests);
  });

  it('an answer that never comes, after the time-out of each attempt', async () => {
    sample.github.fail({ path: REPOSITORY, answer: 'hang', times: 4 });
    const { result, requests } = await read({ timeoutMs: 60 });
    expect(result).toMatchObject({ ok: false, error: { kind: 'unreachable', status: 0 } });
    expect(requests).toBe(4);
  });

  it('a server that is not there', async () => {
    const { result } = await read({ apiUrl: 'http://127.0.0.1:9' });
    expect(result).toMatchObject({ ok: false, error: { kind: 'unreachable' } });
  });
});

it('a run that is cancelled ends its request at once, and that is no refusal', async () => {
  sample.github.fail({ path: REPOSITORY, answer: 'hang' });
  const controller = new AbortController();
  const asked = read({ signal: controller.signal });
  setTimeout(() => controller.abort(), 50);
  await expect(asked).rejects.toThrow(/abort/i);
});

it('a missing permission is named as a workflow spells it', async () => {
  const github = connect(sample, { permissions: { issues: 'read' } });
  const post = () =>
    github.rest.issues.createComment({ owner: 'octo-org', repo: 'hello', issue_number: 1, body: 'x' });
  expect(await attempt(post)).toEqual({
    ok: false,
    error: {
      kind: 'forbidden',
      status: 403,
      message: 'Resource not accessible by integration',
      needs: 'issues: write',
    },
  });
  const failed = await must('Commenting', post).catch(error => error);
  expect(failed).toBeInstanceOf(UserError);
  expect(failed.message).toBe('Commenting failed: Resource not accessible by integration');
  expect(failed.cure).toContain('`issues: write`');
});

it('a wrong token is told with its cure', async () => {
  const failed = await readRepository(connect(sample, { token: 'ghs_wrong' })).catch(error => error);
  expect(failed.message).toContain('Bad credentials');
  expect(failed.cure).toContain('`github-token`');
});

it('a defect of ours is thrown on, not taken for a refusal', async () => {
  await expect(attempt(async () => Promise.reject(new TypeError('x is undefined')))).rejects.toThrow(
    TypeError,
  );
});

it('nothing is logged of a request that works, and never the token', async () => {
  const lines: string[] = [];
  const token = sample.github.token({}).value;
  await read({ token, log: line => lines.push(line) });
  expect(lines).toEqual([]);
  sample.github.fail({ path: REPOSITORY, answer: limited({}) });
  await read({ token, log: line => lines.push(line) });
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatch(/rate limit, again in \d+ s/);
  expect(lines.join()).not.toContain(token);
});

it('writes do not wait for each other by the second', async () => {
  const github = connect(sample);
  const started = performance.now();
  for (let n = 0; n < 3; n++) {
    await github.rest.issues.createComment({ owner: 'octo-org', repo: 'hello', issue_number: 1, body: 'x' });
  }
  expect(performance.now() - started).toBeLessThan(900);
});

it('requests go through the proxy that the environment names, when the configuration says so', async () => {
  const asked: string[] = [];
  const proxy = createServer((request, response) => {
    asked.push(request.url ?? '');
    response.writeHead(502).end();
  });
  proxy.on('connect', (request, socket) => {
    asked.push(request.url ?? '');
    socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
  });
  await new Promise<void>(resolve => proxy.listen(0, '127.0.0.1', resolve));
  const names = ['http_proxy', 'GITHUB_API_URL'];
  const saved = names.map(name => process.env[name]);
  process.env.http_proxy = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  process.env.GITHUB_API_URL = 'http://api.github.invalid';
  await read({ proxy: true, apiUrl: 'http://api.github.invalid' });
  names.forEach((name, at) => {
    if (saved[at] === undefined) delete process.env[name];
    else process.env[name] = saved[at];
  });
  await new Promise(resolve => proxy.close(resolve));
  expect(asked[0]).toMatch(/api\.github\.invalid/);
});
