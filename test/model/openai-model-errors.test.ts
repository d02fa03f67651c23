import { createServer } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { CancelledError } from '../../src/errors.ts';
import { ModelError } from '../../src/model/model.ts';
import { createModel, type OpenAIModelOptions } from '../../src/model/openai-model.ts';
import {
  cutAfter,
  failWith,
  type Handler,
  hang,
  hangAfter,
  type Reply,
  raw,
  reset,
  type Script,
  type ScriptedEndpoint,
  startScriptedEndpoint,
  stream,
} from '../helpers/scripted-endpoint.ts';
import { chunk } from '../helpers/sse-wire.ts';
import { asking, KEY, modelAt } from './ask-model.ts';

const open: ScriptedEndpoint[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map(endpoint => endpoint.close()));
});

async function start(
  script: Script | readonly (Reply | Handler)[],
  options: Partial<OpenAIModelOptions> = {},
) {
  const endpoint = await startScriptedEndpoint(script);
  open.push(endpoint);
  return { endpoint, model: modelAt(endpoint.url, options) };
}

async function failure(promise: Promise<unknown>): Promise<ModelError> {
  const thrown = await promise.then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(thrown).toBeInstanceOf(ModelError);
  return thrown as ModelError;
}

const hi = { content: 'hi' };
const half = chunk({ content: 'Hel' });
const halfCall = chunk({
  tool_calls: [{ index: 0, id: 'x', function: { name: 'read', arguments: '{"pa' } }],
});
const event = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`;

describe('another try is made after', () => {
  it.each<[string, Handler | Reply, Partial<OpenAIModelOptions>?]>([
    ['408', failWith(408)],
    ['409', failWith(409)],
    ['425', failWith(425)],
    ['429', failWith(429)],
    ['500', failWith(500)],
    ['502 with a web page', response => void response.writeHead(502).end('<html>Bad gateway</html>')],
    [
      '503 while a model is loaded',
      failWith(503, { error: { code: 503, message: 'Loading model', type: 'unavailable_error' } }),
    ],
    ['529', failWith(529)],
    ['a reset connection', reset],
    ['a connection that breaks inside the stream', cutAfter(half)],
    ['a stream that ends inside a call', stream(halfCall)],
    ['a stream without anything', stream()],
    ['an event that is not JSON', raw(`${event(half)}data: oops\n\n`)],
    ['an error object inside the stream', raw(event(half) + event({ error: { message: 'overloaded' } }))],
    [
      'an error object with a number inside the stream',
      raw(event(half) + event({ error: { code: 502, message: 'provider' } })),
    ],
    [
      'an error of a provider inside the stream',
      raw(event(half) + event({ error: { code: 400, message: 'Provider returned error' } })),
    ],
    ['an error event', raw(`${event(half)}event: error\ndata: {"error":{"message":"x"}}\n\n`)],
    ['the reason to finish "error"', stream(half, chunk({}, 'error'))],
    ['an error as a bare JSON line', raw(`${event(half)}{"error":{"message":"x"}}\n`)],
    ['an error with status 200', raw('{"error":{"message":"busy","code":503}}', 'application/json')],
    ['silence', hang, { idleTimeoutMs: 150 }],
    ['silence inside the stream', hangAfter(half), { idleTimeoutMs: 150 }],
    ['an empty reply', { content: '' }],
    ['an empty reply of white space', { content: ' \n' }],
    ['an empty reply after thoughts', { content: '', extra: { reasoning_content: 'hm' } }],
  ])('%s', async (_what, first, options) => {
    const { endpoint, model } = await start([first, hi], options);
    const told: [string, number][] = [];
    const reply = await model.complete(asking({ onRetry: (reason, waitMs) => told.push([reason, waitMs]) }));
    expect(reply.message.content).toBe('hi');
    expect(endpoint.requests.length).toBe(2);
    expect(told).toEqual([[expect.stringMatching(/\w/), expect.any(Number)]]);
  });

  it('a try that took too long as a whole, however talkative', async () => {
    const talkative: Handler = response => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const timer = setInterval(() => response.write(': waiting\n\n'), 20);
      response.on('close', () => clearInterval(timer));
    };
    const { endpoint, model } = await start([talkative, hi], { idleTimeoutMs: 100, requestTimeoutMs: 300 });
    expect((await model.complete(asking())).message.content).toBe('hi');
    expect(endpoint.requests.length).toBe(2);
  });
});

describe('patience', () => {
  it('is kept with a server that is slow but not silent', async () => {
    const slow: Handler = async response => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (let n = 0; n < 6; n++) {
        response.write(': waiting\n\n');
        await new Promise(resolve => setTimeout(resolve, 40));
      }
      response.end(event(chunk({ content: 'hi' }, 'stop')));
    };
    const { endpoint, model } = await start([slow], { idleTimeoutMs: 150 });
    await model.complete(asking());
    expect(endpoint.requests.length).toBe(1);
  });

  it('grows with a server that needs longer before its first word', async () => {
    const late: Handler = async (response, request) => {
      await new Promise(resolve => setTimeout(resolve, 250));
      if (!response.destroyed) stream(chunk({ content: 'hi' }, 'stop'))(response, request);
    };
    const { endpoint, model } = await start([late], { idleTimeoutMs: 100 });
    expect((await model.complete(asking())).message.content).toBe('hi');
    await model.complete(asking());
    expect(endpoint.requests.length).toBe(4);
  });
});

describe('the wait', () => {
  const waits = async (first: readonly Handler[], options: Partial<OpenAIModelOptions> = {}) => {
    const { model } = await start([...first, hi], { maxAttempts: first.length + 1, ...options });
    const told: number[] = [];
    await model.complete(asking({ onRetry: (_reason, waitMs) => told.push(waitMs) }));
    return told;
  };

  it('doubles up to thirty times the first one, less some jitter', async () => {
    const told = await waits(
      Array.from({ length: 7 }, () => failWith(500)),
      { backoffBaseMs: 8 },
    );
    [8, 16, 32, 64, 128, 240, 240].forEach((most, n) => {
      expect(told[n]).toBeLessThanOrEqual(most);
      expect(told[n]).toBeGreaterThanOrEqual(most * 0.75 - 1);
    });
  });

  it.each([
    ['retry-after-ms', { 'retry-after-ms': '120', 'retry-after': '9' }, 120, 120],
    ['Retry-After in seconds', { 'retry-after': '0.1' }, 100, 100],
    ['a Retry-After that has passed', { 'retry-after': 'Wed, 21 Oct 2015 07:28:00 GMT' }, 0, 5],
    ['a Retry-After that is nonsense', { 'retry-after': 'soon' }, 0, 5],
  ])('is what the endpoint asks for: %s', async (_how, headers, least, most) => {
    const [waited] = await waits([failWith(429, 'slow down', headers)]);
    expect(waited).toBeGreaterThanOrEqual(least);
    expect(waited).toBeLessThanOrEqual(most);
  });

  it('is not made when it would be longer than five minutes', async () => {
    const { endpoint, model } = await start([failWith(429, 'slow down', { 'retry-after': '3600' })]);
    const error = await failure(model.complete(asking()));
    expect(error.kind).toBe('rate-limited');
    expect(error.message).toContain('slow down (it asks to wait 3600 s');
    expect(endpoint.requests.length).toBe(1);
  });
});

describe('it gives up', () => {
  it.each<[string, Handler | Reply, string, number, Partial<OpenAIModelOptions>?]>([
    ['after all tries', failWith(500, 'boom'), 'server-error', 3],
    ['on a lasting rate limit', failWith(429, 'slow down'), 'rate-limited', 3],
    ['on lasting silence', hang, 'timed-out', 3, { idleTimeoutMs: 30 }],
    ['on a lasting break', cutAfter(half), 'broken-answer', 3],
    ['on lasting resets', reset, 'unreachable', 3],
  ])('%s', async (_when, handler, kind, tries, options) => {
    const { endpoint, model } = await start([handler], options);
    const error = await failure(model.complete(asking()));
    expect(error.kind).toBe(kind);
    expect(error.message).toContain(`\`m\` at ${endpoint.url}`);
    expect(error.message).toContain(`after ${tries} tries`);
    expect(error.cure).not.toBe('');
    expect(endpoint.requests.length).toBe(tries);
  });

  it('after the third empty reply, however many tries there are', async () => {
    const { endpoint, model } = await start([{ content: '' }], { maxAttempts: 8 });
    expect((await failure(model.complete(asking()))).kind).toBe('broken-answer');
    expect(endpoint.requests.length).toBe(3);
  });

  it('on a port where nobody listens', async () => {
    const free = createServer().listen(0, '127.0.0.1');
    await new Promise(resolve => free.once('listening', resolve));
    const { port } = free.address() as { port: number };
    await new Promise(resolve => free.close(resolve));
    const error = await failure(modelAt(`http://127.0.0.1:${port}/v1`).complete(asking()));
    expect(error.kind).toBe('unreachable');
    expect(error.message).toContain('ECONNREFUSED');
  });

  it('on a host that does not exist', async () => {
    const error = await failure(modelAt('http://no-such-host.invalid/v1').complete(asking()));
    expect(error.kind).toBe('unreachable');
    expect(error.cure).toContain('base-url');
  });
});

describe('no further try is made for', () => {
  it.each<[string, Handler, string, string]>([
    ['401', failWith(401, 'no'), 'rejected-key', 'openai-api-key'],
    ['403', failWith(403, 'no'), 'rejected-key', 'openai-api-key'],
    [
      "Google's 400 for a key",
      failWith(400, [{ error: { code: 400, message: 'API key not valid. Please pass a valid API key.' } }]),
      'rejected-key',
      'openai-api-key',
    ],
    ['404', failWith(404, 'The model `m` does not exist'), 'unknown-model', '`model` and `base-url`'],
    [
      '403 for a model',
      failWith(403, {
        error: { message: 'Project does not have access to model `m`', code: 'model_not_found' },
      }),
      'unknown-model',
      '`model` and `base-url`',
    ],
    [
      "LiteLLM's 400 for a model",
      failWith(400, 'Invalid model name passed in model=m'),
      'unknown-model',
      '`model` and `base-url`',
    ],
    [
      "OpenAI's long context",
      failWith(400, {
        error: {
          message: "This model's maximum context length is 8 tokens.",
          code: 'context_length_exceeded',
        },
      }),
      'context-too-long',
      'context',
    ],
    [
      "vLLM's long context",
      failWith(400, {
        object: 'error',
        message: "This model's maximum context length is 8 tokens. However, you requested 9.",
        code: 400,
      }),
      'context-too-long',
      'context',
    ],
    [
      "llama.cpp's long context",
      failWith(400, {
        error: {
          code: 400,
          message: 'the request exceeds the available context size',
          type: 'exceed_context_size_error',
        },
      }),
      'context-too-long',
      'context',
    ],
    [
      "llama.cpp's long context with 500",
      failWith(500, {
        error: { message: 'the request exceeds the available context size. try increasing the context size' },
      }),
      'context-too-long',
      'context',
    ],
    ['too many tokens', failWith(400, 'too many tokens: 9 > 8'), 'context-too-long', 'context'],
    [
      "Anthropic's long prompt",
      failWith(400, 'prompt is too long: 9 tokens > 8 maximum'),
      'context-too-long',
      'context',
    ],
    ['413', failWith(413, 'too large'), 'context-too-long', 'context'],
    [
      'a request beyond the rate limit as such',
      failWith(429, 'Request too large for m on tokens per min: Limit 8, Requested 9.'),
      'context-too-long',
      'context',
    ],
    [
      'a long context noticed inside the stream',
      raw(event(half) + event({ error: { message: 'context_length_exceeded' } })),
      'context-too-long',
      'context',
    ],
    [
      'no quota',
      failWith(429, { error: { message: 'You exceeded your current quota', code: 'insufficient_quota' } }),
      'out-of-quota',
      'credit',
    ],
    ['402', failWith(402, 'Insufficient credits'), 'out-of-quota', 'credit'],
    [
      'a filtered prompt',
      failWith(400, { error: { message: 'filtered', code: 'content_filter' } }),
      'content-filtered',
      'filter',
    ],
    ['400', failWith(400, 'something else'), 'bad-request', 'base-url'],
    ['501', failWith(501, 'not implemented'), 'bad-request', 'base-url'],
    ['a web page', raw('<!doctype html><p>Welcome</p>', 'text/html'), 'broken-answer', 'base-url'],
  ])('%s', async (_what, handler, kind, cure) => {
    const { endpoint, model } = await start([handler]);
    const error = await failure(model.complete(asking()));
    expect(error.kind).toBe(kind);
    expect(error.cure).toContain(cure);
    expect(error.message).toContain(`\`m\` at ${endpoint.url}`);
    expect(endpoint.requests.length).toBe(1);
  });

  it('a redirect, which would take the key along', async () => {
    const other = await start([hi]);
    const { model } = await start([
      failWith(307, 'moved', { location: `${other.endpoint.url}/chat/completions?token=1` }),
    ]);
    const error = await failure(model.complete(asking()));
    expect(error.kind).toBe('bad-request');
    expect(error.message).toContain(`307: it redirects to ${other.endpoint.url}/chat/completions`);
    expect(error.message).not.toContain('token');
    expect(other.endpoint.requests).toEqual([]);
  });

  it('keeps the status', async () => {
    const { model } = await start([failWith(401)]);
    expect((await failure(model.complete(asking()))).status).toBe(401);
  });
});

it('counts what empty replies cost', async () => {
  const usage = { prompt_tokens: 10, completion_tokens: 1 };
  const { model } = await start(
    [
      { content: '', usage },
      { content: 'hi', usage },
    ],
    { model: 'gpt-4.1' },
  );
  expect((await model.complete(asking())).usage).toEqual({
    calls: 2,
    inputTokens: 20,
    cachedInputTokens: 0,
    outputTokens: 2,
    costUsd: expect.closeTo((20 * 2 + 2 * 8) / 1e6),
  });
});

describe('the key', () => {
  it.each<[string, Handler]>([
    ['as it is', failWith(401, `Incorrect API key provided: ${KEY}.`)],
    ['in part', failWith(401, 'Incorrect API key provided: sk-test-********cdef.')],
    ['as plain text', response => void response.writeHead(400).end(`bad header: Bearer ${KEY}`)],
    ['inside the stream', raw(event({ error: { message: `key ${KEY} is busy` } }))],
    ['in a lasting error', failWith(500, `key ${KEY} failed`)],
  ])('is in no message when the endpoint says it %s', async (_how, handler) => {
    const { model } = await start([handler]);
    const told: string[] = [];
    const error = await failure(model.complete(asking({ onRetry: reason => told.push(reason) })));
    const all = [
      error.message,
      error.cure,
      error.stack,
      JSON.stringify(error),
      String(error.cause),
      ...told,
    ].join('\n');
    expect(all).not.toContain(KEY);
    expect(all).not.toMatch(/sk-test/);
    expect(error.message).toContain('[key]');
  });

  it.each([undefined, 'https://api.openai.com/v1', 'https://x.openai.azure.com/openai/v1'])(
    'is needed for %s',
    baseUrl => {
      const thrown = (() => {
        try {
          return createModel({ apiKey: '', baseUrl, model: 'm' });
        } catch (error) {
          return error;
        }
      })();
      expect(thrown).toMatchObject({
        kind: 'no-key',
        cure: expect.stringContaining('`openai-api-key` to a secret'),
      });
    },
  );
});

describe('cancelling', () => {
  it.each<[string, Handler, Partial<OpenAIModelOptions>]>([
    ['while nothing came', hang, {}],
    ['inside the stream', hangAfter(half), {}],
    ['after the reason to finish', hangAfter(half, chunk({}, 'stop')), {}],
    ['during a wait', failWith(500), { backoffBaseMs: 60_000 }],
  ])('ends the call at once %s', async (_when, handler, options) => {
    const { endpoint, model } = await start([handler], options);
    const controller = new AbortController();
    setTimeout(() => controller.abort(new Error('the run was told to stop')), 80);
    const started = performance.now();
    const thrown = await model
      .complete(asking({ signal: controller.signal }))
      .catch((error: unknown) => error);
    expect(thrown).toBeInstanceOf(CancelledError);
    expect((thrown as Error).message).toContain('the run was told to stop');
    expect(performance.now() - started).toBeLessThan(1000);
    expect(endpoint.requests.length).toBe(1);
  });

  it('before the call sends nothing, and passes on a reason of ours as it is', async () => {
    const { endpoint, model } = await start([hi]);
    const reason = new CancelledError('the deadline has passed');
    const thrown = await model
      .complete(asking({ signal: AbortSignal.abort(reason) }))
      .catch((error: unknown) => error);
    expect(thrown).toBe(reason);
    expect(endpoint.requests).toEqual([]);
  });

  it('closes the connection, so that the server can stop', async () => {
    const { promise: seen, resolve: closed } = Promise.withResolvers<void>();
    const { model } = await start([
      response => {
        response.on('close', () => closed());
        response.writeHead(200, { 'content-type': 'text/event-stream' }).write(event(half));
      },
    ]);
    const controller = new AbortController();
    const call = model.complete(asking({ signal: controller.signal, onText: () => controller.abort() }));
    await expect(call).rejects.toThrow(CancelledError);
    await seen;
  });
});

it("lets a defect of the caller's through as it is", async () => {
  const { model } = await start([hi]);
  const onText = () => {
    throw new RangeError('a defect');
  };
  await expect(model.complete(asking({ onText }))).rejects.toThrow(RangeError);
});
