import { describe, expect, it } from 'vitest';
import { extraFieldsOf, toWireMessages, toWireTools } from '../../src/model/wire.ts';
import type { Message } from '../../src/types.ts';

const call = (name: string, args: string) => ({ id: 'x', name, arguments: args });
const wireCall = (name: string, args: string) => ({
  id: 'x',
  type: 'function',
  function: { name, arguments: args },
});
const assistant = (content: string, ...toolCalls: ReturnType<typeof call>[]): Message => ({
  role: 'assistant',
  content,
  toolCalls,
});

describe('a message', () => {
  it.each<[string, Message, object]>([
    ['of the system', { role: 'system', content: 's' }, { role: 'system', content: 's' }],
    ['of the user', { role: 'user', content: 'u' }, { role: 'user', content: 'u' }],
    [
      'of a tool',
      { role: 'tool', toolCallId: 'x', content: 't' },
      { role: 'tool', tool_call_id: 'x', content: 't' },
    ],
    ['with text', assistant('hi'), { role: 'assistant', content: 'hi' }],
    ['without anything', assistant(''), { role: 'assistant', content: '' }],
    [
      'with a call alone',
      assistant('', call('read', '{"a":1}')),
      { role: 'assistant', content: null, tool_calls: [wireCall('read', '{"a":1}')] },
    ],
    [
      'with text and a call',
      assistant('hi', call('read', '{}')),
      { role: 'assistant', content: 'hi', tool_calls: [wireCall('read', '{}')] },
    ],
    [
      'with arguments that are no JSON',
      assistant('', call('read', '{"a')),
      { role: 'assistant', content: null, tool_calls: [wireCall('read', '{"malformed_arguments":"{\\"a"}')] },
    ],
    [
      'with arguments that are no object',
      assistant('', call('read', '[1]')),
      { role: 'assistant', content: null, tool_calls: [wireCall('read', '{"malformed_arguments":"[1]"}')] },
    ],
    [
      'with a name that servers refuse',
      assistant('', call('functions.read file', '{}'), call('', '{}')),
      {
        role: 'assistant',
        content: null,
        tool_calls: [wireCall('functions_read_file', '{}'), wireCall('unknown', '{}')],
      },
    ],
  ])('%s goes out in the form of the API', (_what, message, expected) => {
    expect(toWireMessages([message])).toEqual([expected]);
  });

  const signed: Message = {
    ...assistant('', call('read', '{}')),
    role: 'assistant',
    content: '',
    toolCalls: [call('read', '{}')],
    extra: { reasoning_content: 'r', tool_call_fields: { x: { extra_content: { google: 's' } } } },
  };

  it("echoes the endpoint's own fields where they came from", () => {
    expect(toWireMessages([signed])).toEqual([
      {
        role: 'assistant',
        content: null,
        reasoning_content: 'r',
        tool_calls: [{ ...wireCall('read', '{}'), extra_content: { google: 's' } }],
      },
    ]);
  });

  it('leaves out fields that the endpoint refused', () => {
    expect(toWireMessages([signed], new Set(['reasoning_content', 'extra_content']))).toEqual([
      { role: 'assistant', content: null, tool_calls: [wireCall('read', '{}')] },
    ]);
    expect(extraFieldsOf([signed, signed])).toEqual(['reasoning_content', 'extra_content']);
  });
});

it('a tool goes out as a function', () => {
  const parameters = { type: 'object', properties: {} };
  expect(toWireTools([{ name: 'read', description: 'Reads.', parameters }])).toEqual([
    { type: 'function', function: { name: 'read', description: 'Reads.', parameters } },
  ]);
});
