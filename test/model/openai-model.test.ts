import { afterEach, describe, expect, it } from 'vitest';
import type { OpenAIModelOptions } from '../../src/model/openai-model.ts';
import type { Message } from '../../src/types.ts';
import {
  answer,
  cutAfter,
  failWith,
  type Handler,
  hangAfter,
  type Reply,
  raw,
  type Script,
  type ScriptedEndpoint,
  startScriptedEndpoint,
  stream,
} from '../helpers/scripted-endpoint.ts';
import { chunk, completionOf } from '../helpers/sse-wire.ts';
import { asking, BASH_TOOL, KEY, modelAt, READ_TOOL } from './ask-model.ts';

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

const READ_CALL = { id: 'x', name: 'read', arguments: { path: 'a' } };

describe('a request', () => {
  it('names the model, streams with usage, carries messages and tools, and nothing that was not asked for', async () => {
    const { endpoint, model } = await start([{ content: 'hi' }]);
    await model.complete(asking());
    expect(endpoint.requests[0]?.path).toBe('/v1/chat/completions');
    expect(endpoint.requests[0]?.body).toEqual({
      model: 'm',
      messages: [
        { role: 'system', content: 'Be good.' },
        { role: 'user', content: 'Do it.' },
      ],
      tools: [{ type: 'function', function: READ_TOOL }],
      stream: true,
      stream_options: { include_usage: true },
    });
  });

  it('says key, role and turn in its headers, and nothing about this machine', async () => {
    const { endpoint, model } = await start([{ content: 'hi' }]);
    await model.complete(asking({ role: 'implementer#2', turn: 7, tools: [] }));
    const { headers, body } = endpoint.requests[0]!;
    expect(headers).toMatchObject({
      authorization: `Bearer ${KEY}`,
      'x-redgreen-role': 'implementer#2',
      'x-redgreen-turn': '7',
    });
    expect(
      Object.keys(headers).filter(name => name.startsWith('x-stainless') || name.startsWith('openai-')),
    ).toEqual([]);
    expect(body).not.toHaveProperty('tools');
  });

  it('carries the parameters that the caller set', async () => {
    const { endpoint, model } = await start([{ content: 'hi' }], { parameters: { temperature: 0 } });
    await model.complete(asking());
    expect(endpoint.requests[0]?.body).toMatchObject({ temperature: 0 });
  });

  it('sends "none" for a key to a server that needs none', async () => {
    const { endpoint, model } = await start([{ content: 'hi' }], { apiKey: '' });
    await model.complete(asking());
    expect(endpoint.requests[0]?.headers.authorization).toBe('Bearer none');
  });

  it("echoes an answer's own fields in the next request", async () => {
    const { endpoint, model } = await start([
      { calls: [READ_CALL], extra: { reasoning_content: 'think' } },
      { content: 'ok' },
    ]);
    const first = await model.complete(asking());
    const messages: Message[] = [
      ...asking().messages,
      first.message,
      { role: 'tool', toolCallId: 'x', content: 'file' },
    ];
    await model.complete(asking({ turn: 2, messages }));
    expect(endpoint.requests[1]?.body.messages.slice(2)).toEqual([
      {
        role: 'assistant',
        content: null,
        reasoning_content: 'think',
        tool_calls: [{ id: 'x', type: 'function', function: { name: 'read', arguments: '{"path":"a"}' } }],
      },
      { role: 'tool', tool_call_id: 'x', content: 'file' },
    ]);
  });
});

describe('an answer', () => {
  const usage = {
    prompt_tokens: 1000,
    completion_tokens: 100,
    prompt_tokens_details: { cached_tokens: 400 },
  };
  const price = { inputPerMillion: 2, cachedInputPerMillion: 0.5, outputPerMillion: 8 };

  it('has text, calls, the reason to finish, usage and cost', async () => {
    const { model } = await start([{ content: 'I look.', calls: [READ_CALL], usage }], { price });
    expect(model.name).toBe('m');
    expect(await model.complete(asking())).toEqual({
      message: {
        role: 'assistant',
        content: 'I look.',
        toolCalls: [{ id: 'x', name: 'read', arguments: '{"path":"a"}' }],
      },
      finishReason: 'tool-calls',
      usage: {
        calls: 1,
        inputTokens: 1000,
        cachedInputTokens: 400,
        outputTokens: 100,
        costUsd: (600 * 2 + 400 * 0.5 + 100 * 8) / 1e6,
      },
    });
  });

  it('costs the list price of a known model, an unknown amount for another, and what a gateway bills', async () => {
    const costAt = async (model: string, more = {}) => {
      const started = await start([{ content: 'hi', usage: { ...usage, ...more } }], { model });
      return (await started.model.complete(asking())).usage.costUsd;
    };
    expect(await costAt('gpt-4.1-2025-04-14')).toBeCloseTo(0.0022);
    expect(await costAt('m')).toBeUndefined();
    expect(await costAt('m', { cost: 0.01 })).toBe(0.01);
  });

  it('is estimated where the endpoint reports no usage', async () => {
    const { model } = await start([{ content: 'x'.repeat(400) }]);
    const { usage: estimated } = await model.complete(asking());
    expect(estimated).toMatchObject({ calls: 1, cachedInputTokens: 0, outputTokens: 100 });
    expect(estimated.inputTokens).toBeGreaterThan(50);
    expect(estimated.inputTokens).toBeLessThan(100);
  });

  it('tells its text as it comes', async () => {
    const { model } = await start([{ content: 'Hello' }]);
    const told: string[] = [];
    await model.complete(asking({ onText: text => told.push(text) }));
    expect(told).toEqual(['Hel', 'lo']);
  });

  const whole = { message: { role: 'assistant', content: 'hi' }, finish: 'stop' };
  const piece = chunk({ content: 'hi' });
  const readPiece = { index: 0, id: 'x', function: { name: 'read', arguments: '{"path":"a"}' } };
  it.each<[string, Handler]>([
    ['JSON although a stream was asked for', raw(JSON.stringify(completionOf(whole)), 'application/json')],
    ['printed JSON', raw(JSON.stringify(completionOf(whole), null, 2), 'application/json; charset=utf-8')],
    ['JSON that is called a stream', raw(JSON.stringify(completionOf(whole)))],
    [
      'a stream that is called JSON',
      raw(`data: ${JSON.stringify(chunk({ content: 'hi' }, 'stop'))}\n\n`, 'application/json'),
    ],
    ['a stream that says [DONE] but never why', stream(piece)],
    ['a stream that just ends', raw(`data: ${JSON.stringify(piece)}\n\n`)],
    ['a stream that breaks off after the reason to finish', cutAfter(piece, chunk({}, 'stop'))],
  ])('is taken from %s', async (_what, handler) => {
    const { endpoint, model } = await start([handler]);
    const reply = await model.complete(asking());
    expect(reply.message.content).toBe('hi');
    expect(reply.finishReason).toBe('stop');
    expect(endpoint.requests.length).toBe(1);
  });

  it('is taken when the server says why it finished and then keeps the connection open', async () => {
    const { model } = await start([hangAfter(piece, chunk({}, 'stop'))], { idleTimeoutMs: 200 });
    expect((await model.complete(asking())).message.content).toBe('hi');
  });

  it('with whole calls is taken from a stream that just ends', async () => {
    const { model } = await start([raw(`data: ${JSON.stringify(chunk({ tool_calls: [readPiece] }))}\n\n`)]);
    expect((await model.complete(asking())).message.toolCalls).toEqual([
      { id: 'x', name: 'read', arguments: '{"path":"a"}' },
    ]);
  });

  it('that is cut by length or filter is for the caller, even when it is empty', async () => {
    const { model } = await start([{ finish: 'length' }, { finish: 'content_filter' }]);
    expect((await model.complete(asking())).finishReason).toBe('length');
    expect((await model.complete(asking())).finishReason).toBe('content-filter');
  });

  it('leaves its connection to later turns', async () => {
    const sockets = new Set<unknown>();
    const { model } = await start(() => (response, request) => {
      sockets.add(response.socket);
      return answer({ content: 'hi' })(response, request);
    });
    for (let turn = 1; turn <= 6; turn++) await model.complete(asking({ turn }));
    // A second one, because the first is not free before the moment after its answer.
    expect(sockets.size).toBeLessThanOrEqual(2);
  });
});

describe('a call written as text', () => {
  const PROTOCOL = 'I look.\n```redgreen\n{"tool": "read", "arguments": {"path": "a"}}\n```';
  const SHELL = 'Run this:\n```bash\nnpm test\n```';

  it('is a call like any other, with an id that the conversation does not have', async () => {
    const { model } = await start([{ content: PROTOCOL }]);
    const earlier: Message = {
      role: 'assistant',
      content: '',
      toolCalls: [{ id: 'call_1', name: 'read', arguments: '{}' }],
    };
    const reply = await model.complete(asking({ messages: [...asking().messages, earlier] }));
    expect(reply.finishReason).toBe('tool-calls');
    expect(reply.message).toEqual({
      role: 'assistant',
      content: 'I look.',
      toolCalls: [{ id: 'call_2', name: 'read', arguments: '{"path":"a"}' }],
    });
  });

  it('stays text without tools, and when it may have been cut', async () => {
    const { model } = await start([{ content: PROTOCOL }, { content: PROTOCOL, finish: 'length' }]);
    expect((await model.complete(asking({ tools: [] }))).message.toolCalls).toEqual([]);
    expect((await model.complete(asking())).message.toolCalls).toEqual([]);
  });

  it('may be a shell block, until the model shows that it can call tools', async () => {
    const { model } = await start([{ content: SHELL }, { calls: [READ_CALL] }, { content: SHELL }]);
    const tools = [READ_TOOL, BASH_TOOL];
    const first = await model.complete(asking({ tools }));
    expect(first.message.toolCalls).toEqual([
      { id: 'call_1', name: 'bash', arguments: '{"command":"npm test"}' },
    ]);
    await model.complete(asking({ tools }));
    expect((await model.complete(asking({ tools }))).message).toMatchObject({
      content: SHELL,
      toolCalls: [],
    });
  });
});

describe('what the endpoint refuses', () => {
  const unknown = (name: string) =>
    failWith(400, {
      error: { message: `Unknown parameter: '${name}'.`, param: name, code: 'unknown_parameter' },
    });

  it.each<[string, string, Handler]>([
    ['by param', 'stream_options', unknown('stream_options')],
    [
      'by FastAPI',
      'stream_options',
      failWith(422, { detail: [{ loc: ['body', 'stream_options'], msg: 'Extra inputs are not permitted' }] }),
    ],
    [
      'by a list',
      'parallel_tool_calls',
      failWith(400, { detail: "Extra parameters ['parallel_tool_calls'] are not allowed" }),
    ],
    [
      'by value',
      'temperature',
      failWith(
        400,
        "Unsupported value: 'temperature' does not support 0 with this model. Only the default (1) value is supported.",
      ),
    ],
    ['by words', 'tool_choice', failWith(400, 'tool_choice is not supported by this model')],
    [
      'streaming itself',
      'stream',
      failWith(400, { error: { message: "'stream' is not supported with this model", param: 'stream' } }),
    ],
  ])('is left out at once and from then on: %s', async (_how, name, refusal) => {
    const parameters = { parallel_tool_calls: false, temperature: 0, tool_choice: 'auto' };
    const { endpoint, model } = await start(request => (name in request.body ? refusal : { content: 'hi' }), {
      parameters,
      maxAttempts: 1,
    });
    const told: [string, number][] = [];
    const onRetry = (reason: string, waitMs: number) => told.push([reason, waitMs]);
    expect((await model.complete(asking({ onRetry }))).message.content).toBe('hi');
    expect((await model.complete(asking({ onRetry }))).message.content).toBe('hi');
    expect(endpoint.requests.map(({ body }) => name in body)).toEqual([true, false, false]);
    expect(told).toEqual([[`the endpoint does not take \`${name}\`; asking again without it`, 0]]);
  });

  it('can be several things, one after the other', async () => {
    const { endpoint, model } = await start(
      ({ body }) =>
        'stream_options' in body
          ? unknown('stream_options')
          : 'temperature' in body
            ? unknown('temperature')
            : { content: 'hi' },
      { parameters: { temperature: 0 }, maxAttempts: 1 },
    );
    await model.complete(asking());
    expect(endpoint.requests.length).toBe(3);
  });

  const thoughtful: Message = {
    role: 'assistant',
    content: 'hm',
    toolCalls: [],
    extra: { reasoning_content: 'r' },
  };
  const thinking = asking({
    messages: [...asking().messages, thoughtful, { role: 'user', content: 'go on' }],
  });

  it('can be an echoed field', async () => {
    const { endpoint, model } = await start(({ body }) =>
      JSON.stringify(body).includes('reasoning_content')
        ? failWith(
            400,
            "messages.2: Additional properties are not allowed ('reasoning_content' was unexpected)",
          )
        : { content: 'hi' },
    );
    await model.complete(thinking);
    expect(endpoint.requests[1]?.body.messages[2]).toEqual({ role: 'assistant', content: 'hm' });
  });

  it('is not a field that the endpoint demands', async () => {
    const { endpoint, model } = await start([
      failWith(400, 'The `reasoning_content` in the thinking mode must be passed back to the API.'),
    ]);
    await expect(model.complete(thinking)).rejects.toMatchObject({ kind: 'bad-request' });
    expect(endpoint.requests.length).toBe(1);
  });

  it.each([
    ['Ollama', 400, 'registry/library/gemma:2b does not support tools'],
    ['vLLM', 400, '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set'],
    ['llama.cpp', 500, 'tools param requires --jinja flag'],
    ['OpenRouter', 404, 'No endpoints found that support tool use.'],
  ])('can be tools (%s): they are then described in text', async (_who, status, message) => {
    const { endpoint, model } = await start(({ body }) =>
      body.tools
        ? failWith(status, message)
        : { content: '```redgreen\n{"tool":"read","arguments":{"path":"a"}}\n```' },
    );
    const first = await model.complete(asking());
    expect(first.message.toolCalls).toEqual([{ id: 'call_1', name: 'read', arguments: '{"path":"a"}' }]);
    const messages: Message[] = [
      ...asking().messages,
      first.message,
      { role: 'tool', toolCallId: 'call_1', content: 'file' },
    ];
    await model.complete(asking({ turn: 2, messages }));
    expect(endpoint.requests.map(({ body }) => body.tools !== undefined)).toEqual([true, false, false]);
    expect(endpoint.requests[1]?.body.messages[0]?.content).toContain('## read\nReads a file.');
    expect(endpoint.requests[2]?.body.messages.slice(2)).toEqual([
      { role: 'assistant', content: '```redgreen\n{"tool":"read","arguments":{"path":"a"}}\n```' },
      { role: 'user', content: 'Result of read:\nfile' },
    ]);
  });

  it('is a mistake of ours when a schema is invalid', async () => {
    const { endpoint, model } = await start([
      failWith(400, {
        error: { message: "Invalid schema for function 'read'", param: 'tools[0].function.parameters' },
      }),
    ]);
    await expect(model.complete(asking())).rejects.toMatchObject({ kind: 'bad-request' });
    expect(endpoint.requests.length).toBe(1);
  });
});
