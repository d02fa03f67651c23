/** How a chat completions server writes an answer to the wire; for the endpoints of the tests. */
import type { ServerResponse } from 'node:http';

export interface WireUsage {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly [other: string]: unknown;
}

export interface Answer {
  /** An assistant message in the API's form. */
  readonly message: Readonly<Record<string, unknown>>;
  readonly finish: string;
  readonly usage?: WireUsage;
}

export const openStream = (response: ServerResponse): void => {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
};

export const writeChunk = (response: ServerResponse, chunk: unknown): void => {
  response.write(`data: ${JSON.stringify(chunk)}\n\n`);
};

/** A chunk with one choice. */
export const chunk = (delta: unknown, finish: string | null = null) => ({
  id: 'chatcmpl-1',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'm',
  choices: [{ index: 0, delta, finish_reason: finish }],
});

/** The chunks as OpenAI would send them: text in two pieces, arguments in two pieces, usage in a chunk without choices. */
export function chunksOf({ message, finish, usage }: Answer): readonly unknown[] {
  const { role, content, tool_calls: calls = [], ...extra } = message;
  const text = typeof content === 'string' ? content : '';
  return [
    chunk({ role, content: '' }),
    ...(Object.keys(extra).length > 0 ? [chunk(extra)] : []),
    ...halves(text).map(piece => chunk({ content: piece })),
    ...(calls as readonly WireCall[]).flatMap(callChunks),
    chunk({}, finish),
    ...(usage ? [{ ...chunk({}), choices: [], usage }] : []),
  ];
}

export function sendStreamed(response: ServerResponse, answer: Answer): void {
  openStream(response);
  for (const value of chunksOf(answer)) writeChunk(response, value);
  response.end('data: [DONE]\n\n');
}

export function sendJson(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(value));
}

export const completionOf = ({ message, finish, usage }: Answer) => ({
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  choices: [{ index: 0, message, finish_reason: finish }],
  ...(usage && { usage }),
});

interface WireCall {
  readonly function: { readonly name: string; readonly arguments: string };
}

function callChunks(call: WireCall, index: number): readonly unknown[] {
  const { function: called, ...rest } = call;
  return [
    chunk({ tool_calls: [{ ...rest, index, function: { name: called.name, arguments: '' } }] }),
    ...halves(called.arguments).map(piece =>
      chunk({ tool_calls: [{ index, function: { arguments: piece } }] }),
    ),
  ];
}

function halves(text: string): readonly string[] {
  const middle = Math.ceil(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)].filter(Boolean);
}
