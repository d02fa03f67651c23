import { describe, expect, it } from 'vitest';
import { createAccumulator, isComplete } from '../../src/model/stream.ts';

const delta = (fields: object, finish: string | null = null) => ({
  choices: [{ index: 0, delta: fields, finish_reason: finish }],
});
const calls = (...pieces: object[]) => delta({ tool_calls: pieces });
const piece = (
  index: number | undefined,
  id: string | undefined,
  name: string | undefined,
  args?: unknown,
) => ({
  ...(index !== undefined && { index }),
  ...(id !== undefined && { id }),
  function: { ...(name !== undefined && { name }), ...(args !== undefined && { arguments: args }) },
});
const end = delta({}, 'tool_calls');

function accumulate(...chunks: readonly unknown[]) {
  const accumulator = createAccumulator();
  for (const chunk of chunks) accumulator.add(chunk);
  return accumulator.result();
}
const call = (id: string, name: string, args: string) => ({ id, name, arguments: args });
const read = (id: string) => call(id, 'read', '{"path":"a"}');
const list = (id: string) => call(id, 'list', '{"path":"b"}');
const READ = '{"path":"a"}';
const LIST = '{"path":"b"}';

describe('tool calls', () => {
  it.each([
    [
      'as OpenAI sends them',
      [
        calls(piece(0, 'x', 'read', '')),
        calls(piece(0, undefined, undefined, '{"path"')),
        calls(piece(0, undefined, undefined, ':"a"}')),
        calls(piece(1, 'y', 'list', '')),
        calls(piece(1, undefined, undefined, LIST)),
        end,
      ],
      [read('x'), list('y')],
    ],
    [
      'interleaved by index',
      [
        calls(piece(0, 'x', 'read', '{"path"'), piece(1, 'y', 'list', '{"path"')),
        calls(piece(1, undefined, undefined, ':"b"}'), piece(0, undefined, undefined, ':"a"}')),
        end,
      ],
      [read('x'), list('y')],
    ],
    ['counted from 1', [calls(piece(1, 'x', 'read', READ)), end], [read('x')]],
    [
      'without index, whole, one a chunk',
      [calls(piece(undefined, 'x', 'read', READ)), calls(piece(undefined, 'y', 'list', LIST)), end],
      [read('x'), list('y')],
    ],
    [
      'without index, whole, all in one chunk',
      [calls(piece(undefined, 'x', 'read', READ), piece(undefined, 'y', 'list', LIST)), end],
      [read('x'), list('y')],
    ],
    [
      'without index, in pieces',
      [
        calls(piece(undefined, 'x', 'read', '')),
        calls(piece(undefined, undefined, undefined, '{"path"')),
        calls(piece(undefined, undefined, undefined, ':"a"}')),
        calls(piece(undefined, 'y', 'list', LIST)),
        end,
      ],
      [read('x'), list('y')],
    ],
    [
      'without index and id',
      [calls(piece(undefined, undefined, 'read', READ), piece(undefined, undefined, 'list', LIST)), end],
      [read('call_1'), list('call_2')],
    ],
    [
      'without id, by index',
      [
        calls(piece(0, undefined, 'read', '')),
        calls(piece(0, undefined, undefined, READ)),
        calls(piece(1, undefined, 'list', LIST)),
        end,
      ],
      [read('call_1'), list('call_2')],
    ],
    [
      'with index 0 each and different ids',
      [calls(piece(0, 'x', 'read', READ)), calls(piece(0, 'y', 'list', LIST)), end],
      [read('x'), list('y')],
    ],
    [
      'with index 0 each, in pieces',
      [
        calls(piece(0, 'x', 'read', '{"path"')),
        calls(piece(0, undefined, undefined, ':"a"}')),
        calls(piece(0, 'y', 'list', '{"path"')),
        calls(piece(0, undefined, undefined, ':"b"}')),
        end,
      ],
      [read('x'), list('y')],
    ],
    [
      'with index 0 each and no ids',
      [calls(piece(0, undefined, 'read', READ)), calls(piece(0, undefined, 'list', LIST)), end],
      [read('call_1'), list('call_2')],
    ],
    [
      'of one tool twice, with index 0 and no ids',
      [calls(piece(0, undefined, 'read', READ)), calls(piece(0, undefined, 'read', LIST)), end],
      [read('call_1'), call('call_2', 'read', LIST)],
    ],
    [
      'with the id in every piece',
      [
        calls(piece(undefined, 'x', 'read', '{"path"')),
        calls(piece(undefined, 'x', undefined, ':"a"}')),
        end,
      ],
      [read('x')],
    ],
    [
      'with a new id in every piece',
      [calls(piece(0, 'x', 'read', '{"path"')), calls(piece(0, 'z', undefined, ':"a"}')), end],
      [read('x')],
    ],
    [
      'with the name in every piece',
      [calls(piece(0, 'x', 'read', '{"path"')), calls(piece(0, 'x', 'read', ':"a"}')), end],
      [read('x')],
    ],
    [
      'with the id before the name',
      [calls(piece(0, 'x', undefined)), calls(piece(0, undefined, 'read', READ)), end],
      [read('x')],
    ],
    [
      'with the whole arguments once more',
      [calls(piece(0, 'x', 'read', READ)), calls(piece(0, 'x', 'read', READ)), end],
      [read('x')],
    ],
    ['with arguments as an object', [calls(piece(0, 'x', 'read', { path: 'a' })), end], [read('x')]],
    ['without arguments', [calls(piece(0, 'x', 'read')), end], [call('x', 'read', '{}')]],
    [
      'with one id twice',
      [calls(piece(0, 'x', 'read', READ), piece(1, 'x', 'list', LIST)), end],
      [read('x'), list('x_2')],
    ],
    [
      'in a whole completion',
      [
        {
          choices: [
            {
              message: {
                role: 'assistant',
                content: null,
                tool_calls: [piece(undefined, 'x', 'read', READ)],
              },
              finish_reason: 'tool_calls',
            },
          ],
        },
      ],
      [read('x')],
    ],
    [
      'as the old function_call',
      [
        delta({ function_call: { name: 'read', arguments: '{"path"' } }),
        delta({ function_call: { arguments: ':"a"}' } }),
        delta({}, 'function_call'),
      ],
      [read('call_1')],
    ],
    ['as a null list', [delta({ content: 'x', tool_calls: null }), delta({}, 'stop')], []],
    [
      'malformed, for the caller to see',
      [calls(piece(0, 'x', 'read', '{"path"')), end],
      [call('x', 'read', '{"path"')],
    ],
  ])('are put together %s', (_how, chunks, expected) => {
    const { message, finishReason } = accumulate(...chunks);
    expect(message.toolCalls).toEqual(expected);
    expect(finishReason).toBe(expected.length > 0 ? 'tool-calls' : 'stop');
  });

  it('get ids that the conversation does not have yet', () => {
    const accumulator = createAccumulator({ takenIds: new Set(['call_1', 'x']) });
    accumulator.add(calls(piece(undefined, undefined, 'read', READ), piece(undefined, 'x', 'list', LIST)));
    expect(accumulator.result().message.toolCalls.map(({ id }) => id)).toEqual(['call_2', 'x_2']);
  });

  it('are a reason to go on even when the server says stop', () => {
    expect(accumulate(calls(piece(0, 'x', 'read', READ)), delta({}, 'stop')).finishReason).toBe('tool-calls');
  });

  it('keep what the endpoint wrote on each', () => {
    const signed = {
      ...piece(undefined, 'x', 'read', READ),
      extra_content: { google: { thought_signature: 's' } },
    };
    expect(accumulate(calls(signed), end).message.extra).toEqual({
      tool_call_fields: { x: { extra_content: { google: { thought_signature: 's' } } } },
    });
  });
});

describe('the reason to finish', () => {
  it.each([
    ['stop', 'stop'],
    ['eos', 'stop'],
    ['end_turn', 'stop'],
    ['length', 'length'],
    ['max_tokens', 'length'],
    ['content_filter', 'content-filter'],
  ])('%s is %s', (said, expected) => {
    expect(accumulate(delta({ content: 'x' }), delta({}, said)).finishReason).toBe(expected);
  });

  it('is undefined when none came', () => {
    expect(accumulate(delta({ content: 'x' })).finishReason).toBeUndefined();
  });

  it('stays length when calls were cut', () => {
    expect(accumulate(calls(piece(0, 'x', 'read', '{"pa')), delta({}, 'length')).finishReason).toBe('length');
  });
});

describe('text and other fields', () => {
  it('appends text, and tells it as it comes', () => {
    const told: string[] = [];
    const accumulator = createAccumulator({ onText: text => told.push(text) });
    for (const content of ['', 'Hel', null, 'lo']) accumulator.add(delta({ content }));
    expect(accumulator.result().message).toEqual({ role: 'assistant', content: 'Hello', toolCalls: [] });
    expect(told).toEqual(['Hel', 'lo']);
  });

  it('takes the text out of content in parts', () => {
    const parts = [
      { type: 'thinking', thinking: [] },
      { type: 'text', text: 'Hello' },
    ];
    expect(accumulate(delta({ content: parts })).message.content).toBe('Hello');
  });

  it('appends unknown texts and lists, and keeps the last of anything else', () => {
    const { message } = accumulate(
      delta({
        role: 'assistant',
        reasoning_content: 'I ',
        reasoning: 'a',
        reasoning_details: [{ n: 1 }],
        flag: 1,
      }),
      delta({ reasoning_content: 'think', reasoning: 'b', reasoning_details: [{ n: 2 }], flag: 2 }),
      delta({ content: 'x', reasoning_content: null }),
    );
    expect(message.extra).toEqual({
      reasoning_content: 'I think',
      reasoning: 'ab',
      reasoning_details: [{ n: 1 }, { n: 2 }],
      flag: 2,
    });
  });

  it('takes a refusal for filtered text', () => {
    const { message, finishReason } = accumulate(
      delta({ refusal: 'I can' }),
      delta({ refusal: 'not.' }),
      delta({}, 'stop'),
    );
    expect(message).toEqual({ role: 'assistant', content: 'I cannot.', toolCalls: [] });
    expect(finishReason).toBe('content-filter');
  });

  it('ignores further choices and chunks that are none', () => {
    const other = { choices: [{ index: 1, delta: { content: 'other' } }] };
    const { message } = accumulate(
      delta({ content: 'x' }),
      other,
      null,
      7,
      [],
      {},
      { choices: [] },
      { choices: 'x' },
    );
    expect(message.content).toBe('x');
  });
});

describe('usage', () => {
  const usage = (prompt: number, completion: number, more: object = {}) => ({
    choices: [],
    usage: { prompt_tokens: prompt, completion_tokens: completion, ...more },
  });
  const counts = (
    inputTokens: number,
    cachedInputTokens: number,
    outputTokens: number,
    costUsd?: number,
  ) => ({
    inputTokens,
    cachedInputTokens,
    outputTokens,
    costUsd,
  });
  it.each([
    ['in a last chunk', [delta({ content: 'x' }), usage(9, 2)], counts(9, 0, 2)],
    ['in every chunk', [usage(9, 1), usage(9, 2), usage(9, 3)], counts(9, 0, 3)],
    ['input first, output last', [usage(9, 0), usage(0, 4)], counts(9, 0, 4)],
    ['null in between', [usage(9, 2), { choices: [], usage: null }], counts(9, 0, 2)],
    [
      "with OpenAI's cached tokens",
      [usage(9, 2, { prompt_tokens_details: { cached_tokens: 5 } })],
      counts(9, 5, 2),
    ],
    ["with DeepSeek's cached tokens", [usage(9, 2, { prompt_cache_hit_tokens: 6 })], counts(9, 6, 2)],
    ['with a bill', [usage(9, 2, { cost: 0.01 })], counts(9, 0, 2, 0.01)],
    [
      'in the choice',
      [{ choices: [{ index: 0, delta: {}, usage: { prompt_tokens: 9, completion_tokens: 2 } }] }],
      counts(9, 0, 2),
    ],
    [
      "under Groq's name",
      [{ choices: [], x_groq: { usage: { prompt_tokens: 9, completion_tokens: 2 } } }],
      counts(9, 0, 2),
    ],
    ['nowhere', [delta({ content: 'x' })], counts(0, 0, 0)],
  ])('is found %s', (_where, chunks, expected) => {
    expect(accumulate(...chunks).usage).toEqual(expected);
  });
});

it.each([
  ['text', accumulate(delta({ content: 'x' })), true],
  ['whole calls', accumulate(calls(piece(0, 'x', 'read', READ))), true],
  ['a cut call', accumulate(calls(piece(0, 'x', 'read', READ), piece(1, 'y', 'list', '{"p'))), false],
  ['a cut call after text', accumulate(delta({ content: 'x' }), calls(piece(0, 'x', 'read', '{'))), false],
  ['reasoning alone', accumulate(delta({ reasoning_content: 'x' })), false],
  ['nothing', accumulate(), false],
])('an answer that just ends with %s is complete or not', (_with, { message }, complete) => {
  expect(isComplete(message)).toBe(complete);
});
