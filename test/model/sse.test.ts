import { describe, expect, it } from 'vitest';
import { readEvents } from '../../src/model/sse.ts';

async function read(text: string, size = 7): Promise<unknown[]> {
  const bytes = Buffer.from(text);
  async function* pieces() {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
  }
  const values: unknown[] = [];
  for await (const value of readEvents(pieces())) values.push(value);
  return values;
}

describe('the body of an answer', () => {
  it.each([
    [
      'events up to [DONE]',
      'data: {"a":1}\n\ndata: {"a":2}\n\ndata: [DONE]\n\ndata: {"a":3}\n\n',
      [{ a: 1 }, { a: 2 }],
    ],
    ['carriage returns', 'data: {"a":1}\r\n\r\ndata: [DONE]\r\n\r\n', [{ a: 1 }]],
    ['no space after the colon', 'data:{"a":1}\n\n', [{ a: 1 }]],
    [
      'comments, ids and empty events between',
      ': waiting\n\nevent: x\nid: 1\nretry: 5\ndata:\n\ndata: {"a":1}\n\n',
      [{ a: 1 }],
    ],
    ['events without an empty line between', 'data: {"a":1}\ndata: {"a":2}\n', [{ a: 1 }, { a: 2 }]],
    [
      'one event over several lines',
      'data: {"a": {"b":1},\ndata: "c": 2\ndata: }\n\n',
      [{ a: { b: 1 }, c: 2 }],
    ],
    ['a first line that only looks whole', 'data: {"a": {"b":1}\ndata: }\n\n', [{ a: { b: 1 } }]],
    ['a last event without its end', 'data: {"a":1}', [{ a: 1 }]],
    ['text beyond ASCII, cut anywhere', 'data: {"a":"grün – 日本"}\n\n', [{ a: 'grün – 日本' }]],
    ['a byte order mark', '\uFEFFdata: {"a":1}\n\n', [{ a: 1 }]],
    ['a JSON document instead', '{"a":1}', [{ a: 1 }]],
    ['a printed JSON document', '{\n  "a": [\n    {"b":1}\n  ]\n}\n', [{ a: [{ b: 1 }] }]],
    [
      'a bare JSON line inside the stream',
      'data: {"a":1}\n\n{"error":{"message":"x"}}\n',
      [{ a: 1 }, { error: { message: 'x' } }],
    ],
    [
      'an error line of llama.cpp',
      'error: {"code":500,"message":"x"}\n\n',
      [{ error: { code: 500, message: 'x' } }],
    ],
    ['nothing', '', []],
  ])('is read: %s', async (_what, text, expected) => {
    expect(await read(text)).toEqual(expected);
    expect(await read(text, 1)).toEqual(expected);
    expect(await read(text, 10_000)).toEqual(expected);
  });

  it.each([
    ['an event that is cut', 'data: {"a":1}\n\ndata: {"a"', 'not JSON', undefined],
    ['an event that is prose', 'data: [ERROR] overloaded\n\n', 'not JSON', undefined],
    ['a web page', '<!doctype html>\n<p>hello</p>', 'web page', 0],
    ['prose', 'hello', 'neither', 0],
  ])('is refused: %s', async (_what, text, message, maxRetries) => {
    await expect(read(text)).rejects.toMatchObject({
      message: expect.stringContaining(message),
      failure: maxRetries === undefined ? { retry: true } : { retry: true, maxRetries },
    });
  });
});
