import { describe, expect, it } from 'vitest';
import { resolveEndpoint } from '../../src/model/endpoint.ts';
import { judgeNetworkError } from '../../src/model/network-error.ts';
import { retryAfterOf } from '../../src/model/retry-after.ts';
import { createClient } from '../../src/model/sdk-client.ts';
import { startScriptedEndpoint } from '../helpers/scripted-endpoint.ts';
import { KEY } from './ask-model.ts';

const at = (baseUrl: string | undefined, apiKey = KEY) => resolveEndpoint({ apiKey, baseUrl, model: 'm' });

describe('a base URL', () => {
  it.each([
    [undefined, 'https://api.openai.com/v1', 'https://api.openai.com/v1'],
    ['', 'https://api.openai.com/v1', 'https://api.openai.com/v1'],
    [' http://localhost:8080/v1/ ', 'http://localhost:8080/v1', 'http://localhost:8080/v1'],
    ['http://localhost:8080', 'http://localhost:8080', 'http://localhost:8080'],
    ['http://h/v1/chat/completions', 'http://h/v1', 'http://h/v1'],
    ['https://g/v1?secret=1', 'https://g/v1?secret=1', 'https://g/v1'],
  ])('%j is %s, and shown without what may be secret', (given, baseUrl, shownUrl) => {
    expect(at(given)).toMatchObject({ baseUrl, shownUrl });
  });

  it.each(['localhost', 'file:///etc/passwd', 'https://user:pass@host/v1', 'localhost:8080/v1'])(
    'is not %j',
    given => {
      expect(() => at(given)).toThrow(expect.objectContaining({ kind: 'bad-request' }));
    },
  );
});

describe('the headers', () => {
  it.each([
    ['https://x.openai.azure.com/openai/v1', KEY, { 'api-key': KEY }],
    ['https://x.services.ai.azure.com/openai/v1', KEY, { 'api-key': KEY }],
    ['https://x.openai.azure.us/openai/v1', KEY, { 'api-key': KEY }],
    ['https://x.openai.azure.com/openai/v1', 'eyJ0eXAi.eyJhdWQi.x', {}],
    ['https://azure.com.evil.example/v1', KEY, {}],
    [undefined, KEY, {}],
  ])('for %s carry an api-key only where Azure takes one', (baseUrl, apiKey, headers) => {
    expect(at(baseUrl, apiKey).headers).toEqual(headers);
  });
});

it("an endpoint's headers go out beside the bearer", async () => {
  await using server = await startScriptedEndpoint([{ content: 'hi' }]);
  const client = createClient({ ...at(server.url), headers: { 'api-key': KEY } }, 1000);
  await client.chat.completions.create({ model: 'm', messages: [] });
  expect(server.requests[0]?.headers).toMatchObject({ 'api-key': KEY, authorization: `Bearer ${KEY}` });
});

describe('the wait that an endpoint asks for', () => {
  const now = Date.parse('Wed, 21 Oct 2026 07:28:00 GMT');
  it.each([
    [{}, undefined],
    [{ 'retry-after-ms': '1500', 'retry-after': '9' }, 1500],
    [{ 'retry-after': '9' }, 9000],
    [{ 'retry-after': '0.5' }, 500],
    [{ 'retry-after': 'Wed, 21 Oct 2026 07:28:30 GMT' }, 30_000],
    [{ 'retry-after': 'Wed, 21 Oct 2026 07:00:00 GMT' }, 0],
    [{ 'retry-after': 'soon' }, undefined],
  ])('is read from %j', (headers, expected) => {
    expect(retryAfterOf(new Headers(headers), now)).toBe(expected);
  });
});

describe('a network error', () => {
  const error = (code: string) =>
    new TypeError('fetch failed', { cause: Object.assign(new Error('why'), { code }) });
  it.each([
    [error('ECONNREFUSED'), { kind: 'unreachable', retry: true, reason: 'ECONNREFUSED why' }],
    [error('ENOTFOUND'), { kind: 'unreachable', retry: true, maxRetries: 2 }],
    [error('DEPTH_ZERO_SELF_SIGNED_CERT'), { kind: 'unreachable', retry: false }],
    [error('CERT_HAS_EXPIRED'), { kind: 'unreachable', retry: false }],
    [error('UND_ERR_HEADERS_TIMEOUT'), { kind: 'timed-out', retry: true }],
    [new AggregateError([error('ECONNREFUSED')]), { kind: 'unreachable', reason: 'ECONNREFUSED why' }],
  ])('%s is judged by the code at its root', (thrown, expected) => {
    expect(judgeNetworkError(thrown, at(undefined))).toMatchObject(expected);
  });
});

it('what an endpoint says is shown on one line, cut, without the key', () => {
  const { clean } = at(undefined);
  expect(clean(`a\n\tb\u001b[31m ${KEY}`)).toBe('a b [31m [key]');
  expect(clean('x'.repeat(1000)).length).toBeLessThan(610);
});
