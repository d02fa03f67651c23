import { describe, expect, it } from 'vitest';
import { findTextCalls, parseTextCalls } from '../../src/model/text-calls.ts';
import { toTextMessages } from '../../src/model/text-protocol.ts';
import type { Message } from '../../src/types.ts';

const NAMES = ['bash', 'read', 'write'];
const block = (info: string, body: string) => `\`\`\`${info}\n${body}\n\`\`\``;
const calls = (text: string) => parseTextCalls(text, NAMES).map(call => [call.name, parsed(call.arguments)]);
const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
};
const READ = '{"tool": "read", "arguments": {"path": "a"}}';
const NAMED = '{"name": "read", "arguments": {"path": "a"}}';
const read = ['read', { path: 'a' }];

describe('a call in a text', () => {
  it.each<[string, string, unknown[]]>([
    ['a protocol block', `I look.\n\n${block('redgreen', READ)}`, [read]],
    ['a protocol block that is not closed', `I look.\n\`\`\`redgreen\n${READ}`, [read]],
    [
      'the first of two protocol blocks',
      `${block('redgreen', READ)}\nResult: x\n${block('redgreen', NAMED)}`,
      [read],
    ],
    ['a protocol block before other blocks', `${block('bash', 'ls')}\n${block('redgreen', READ)}`, [read]],
    ['a block with tildes', `~~~redgreen\n${READ}\n~~~`, [read]],
    [
      'a fence inside the arguments',
      block('redgreen', '{"tool":"write","arguments":{"content":"```js\\nx\\n```"}}'),
      [['write', { content: '```js\nx\n```' }]],
    ],
    [
      'raw line breaks inside strings',
      block('redgreen', '{"tool":"write","arguments":{"content":"a\n\tb"}}'),
      [['write', { content: 'a\n\tb' }]],
    ],
    ['a comma too many', block('redgreen', '{"tool":"read","arguments":{"path":"a",},}'), [read]],
    [
      'a comma too many inside a string',
      block('redgreen', '{"tool":"read","arguments":{"path":",}"},}'),
      [['read', { path: ',}' }]],
    ],
    ['no arguments', block('redgreen', '{"tool": "read"}'), [['read', {}]]],
    ['arguments as text', block('redgreen', '{"tool": "read", "arguments": "{\\"path\\":\\"a\\"}"}'), [read]],
    [
      'an unknown tool, for the caller to refuse',
      block('redgreen', '{"tool": "fly", "arguments": {}}'),
      [['fly', {}]],
    ],
    [
      'a protocol block that is no JSON',
      block('redgreen', '{"tool": "read", "arguments": {path}}'),
      [['read', '{"tool": "read", "arguments": {path}}']],
    ],
    ['a tag', `<tool_call>\n${NAMED}\n</tool_call>`, [read]],
    ['a tag that is not closed', `Now:\n<tool_call>${NAMED}`, [read]],
    [
      'two tags',
      `<tool_call>${NAMED}</tool_call>\n<tool_call>{"name":"bash","arguments":{"command":"ls"}}</tool_call>`,
      [read, ['bash', { command: 'ls' }]],
    ],
    [
      'no tag after a made-up result',
      `<tool_call>${NAMED}</tool_call><tool_response>x</tool_response><tool_call>${NAMED}</tool_call>`,
      [read],
    ],
    [
      'a tag with XML',
      '<tool_call>\n<function=write>\n<parameter=path>\na.py\n</parameter>\n<parameter=content>\nif x:\n    y\n</parameter>\n<parameter=limit>\n3\n</parameter>\n</function>\n</tool_call>',
      [['write', { path: 'a.py', content: 'if x:\n    y', limit: 3 }]],
    ],
    ['a JSON block that names a tool', `I call it:\n${block('json', NAMED)}`, [read]],
    [
      'a JSON block with parameters',
      block('json', '{"name": "Read", "parameters": {"path": "a"}}'),
      [['Read', { path: 'a' }]],
    ],
    ['a JSON block in the form of the API', block('json', `{"type":"function","function":${NAMED}}`), [read]],
    ['a whole text that is JSON', NAMED, [read]],
    [
      'a shell block',
      `Let me see.\n${block('bash', 'ls -l\necho done')}`,
      [['bash', { command: 'ls -l\necho done' }]],
    ],
    ['a shell block that is not closed', '```sh\nls', [['bash', { command: 'ls' }]]],
    [
      'a call after thoughts',
      `<think>${block('redgreen', '{"tool":"fly"}')}</think>${block('redgreen', READ)}`,
      [read],
    ],
    ['no JSON block that names no tool', block('json', '{"name": "my-package", "version": "1.0.0"}'), []],
    ['no other block', block('python', 'print(1)'), []],
    ['no empty shell block', block('bash', ''), []],
    ['no prose', 'I am done. Use `read` next time.', []],
    ['no empty text', '', []],
  ])('is found: %s', (_what, text, expected) => {
    expect(calls(text)).toEqual(expected);
  });

  it('leaves the text before it', () => {
    expect(findTextCalls(`I look.\n\n${block('redgreen', READ)}\nThen I …`, NAMES).rest).toBe('I look.');
    expect(findTextCalls(' as it was ', NAMES).rest).toBe(' as it was ');
  });

  it('is not a shell block where there is no such tool, or where those are for people', () => {
    const text = block('bash', 'ls');
    expect(parseTextCalls(text, ['read'])).toEqual([]);
    expect(findTextCalls(text, NAMES, { shellBlocks: false }).calls).toEqual([]);
  });

  it('has an id of its own', () => {
    const text = `<tool_call>${NAMED}</tool_call><tool_call>${NAMED}</tool_call>`;
    expect(parseTextCalls(text, NAMES).map(({ id }) => id)).toEqual(['call_1', 'call_2']);
  });
});

describe('a conversation in text', () => {
  const tools = [{ name: 'read', description: 'Reads a file.', parameters: { type: 'object' } }];
  const messages: Message[] = [
    { role: 'system', content: 'Be good.' },
    { role: 'user', content: 'Do it.' },
    {
      role: 'assistant',
      content: 'I look.',
      toolCalls: [{ id: 'x', name: 'read', arguments: '{"path":"a"}' }],
    },
    { role: 'tool', toolCallId: 'x', content: 'the file' },
    { role: 'user', content: 'And?' },
  ];

  it('describes the tools, writes calls in the protocol and results as the user', () => {
    const [system, ...rest] = toTextMessages(messages, tools);
    expect(system?.role).toBe('system');
    expect(system?.content).toMatch(
      /^Be good\.\n\n# Tools\n[\s\S]*## read\nReads a file\.\n.*\{"type":"object"\}/,
    );
    expect(rest).toEqual([
      { role: 'user', content: 'Do it.' },
      {
        role: 'assistant',
        content: `I look.\n\n${block('redgreen', '{"tool":"read","arguments":{"path":"a"}}')}`,
        toolCalls: [],
      },
      { role: 'user', content: 'Result of read:\nthe file\n\nAnd?' },
    ]);
  });

  it('writes calls as it reads them', () => {
    const text = toTextMessages(messages, tools)[2]?.content ?? '';
    expect(calls(text)).toEqual([read]);
  });

  it('gets a system message when it has none', () => {
    expect(toTextMessages(messages.slice(1), tools).map(({ role }) => role)).toEqual([
      'system',
      'user',
      'assistant',
      'user',
    ]);
  });
});
