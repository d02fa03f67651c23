/** A chat completions server on the loopback interface whose every answer is scripted by the test. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  type Answer,
  completionOf,
  openStream,
  sendJson,
  sendStreamed,
  type WireUsage,
  writeChunk,
} from './sse-wire.ts';

export interface SeenRequest {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  /** The parsed body. */
  readonly body: {
    readonly model: string;
    readonly messages: readonly Record<string, unknown>[];
    readonly tools?: readonly {
      readonly function: { readonly name: string; readonly parameters: unknown };
    }[];
    readonly stream?: boolean;
    readonly [parameter: string]: unknown;
  };
}

/** Writes one response. What it leaves open is closed with the endpoint. */
export type Handler = (response: ServerResponse, request: SeenRequest) => void | Promise<void>;

export interface Reply {
  readonly content?: string | null;
  readonly calls?: readonly { readonly id?: string; readonly name: string; readonly arguments: unknown }[];
  readonly usage?: WireUsage;
  /** Default: `tool_calls` with calls, else `stop`. */
  readonly finish?: string;
  /** Further fields of the message. */
  readonly extra?: Readonly<Record<string, unknown>>;
}

export type Script = (request: SeenRequest, number: number) => Reply | Handler | Promise<Reply | Handler>;

export interface ScriptedEndpoint extends AsyncDisposable {
  /** Ends in `/v1`. */
  readonly url: string;
  readonly requests: readonly SeenRequest[];
  readonly close: () => Promise<void>;
}

/** Starts the server. The script is asked for each POST, with its number from 1; an array is its answers in order, the last one for good. */
export async function startScriptedEndpoint(
  script: Script | readonly (Reply | Handler)[],
): Promise<ScriptedEndpoint> {
  const requests: SeenRequest[] = [];
  const next: Script =
    typeof script === 'function'
      ? script
      : (_request, number) => script[Math.min(number, script.length) - 1]!;
  const server = createServer(async (incoming, response) => {
    if (incoming.method === 'GET') return sendJson(response, 200, { object: 'list', data: [{ id: 'm' }] });
    const request = await readRequest(incoming);
    requests.push(request);
    const reply = await next(request, requests.length);
    await (typeof reply === 'function' ? reply : answer(reply))(response, request);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const close = async () => {
    server.closeAllConnections();
    if (server.listening) await new Promise(resolve => server.close(resolve));
  };
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/v1`, requests, close, [Symbol.asyncDispose]: close };
}

export async function readRequest(incoming: IncomingMessage): Promise<SeenRequest> {
  const bytes: Buffer[] = [];
  for await (const piece of incoming) bytes.push(piece);
  const text = Buffer.concat(bytes).toString('utf8');
  return { path: incoming.url ?? '', headers: incoming.headers, body: JSON.parse(text || '{}') };
}

/** The handler of a well-behaved server: streams when asked to. */
export const answer =
  (reply: Reply): Handler =>
  (response, request) => {
    if (request.body.stream) sendStreamed(response, toAnswer(reply));
    else sendJson(response, 200, completionOf(toAnswer(reply)));
  };

// ── misbehaviours ────────────────────────────────────────────────────────────────────────────────

/** A status with a JSON error (text for a message, or the whole body), and perhaps headers. */
export const failWith =
  (status: number, error: unknown = 'scripted', headers: Readonly<Record<string, string>> = {}): Handler =>
  response => {
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    sendJson(response, status, typeof error === 'string' ? { error: { message: error } } : error);
  };

/** Takes the request and never says a word. */
export const hang: Handler = () => {
  // Nothing: the endpoint's closing ends it.
};

/** Streams these chunks, then nothing more, with the connection open. */
export const hangAfter =
  (...chunks: readonly unknown[]): Handler =>
  response => {
    openStream(response);
    for (const value of chunks) writeChunk(response, value);
  };

/** Streams these chunks and breaks the connection. */
export const cutAfter =
  (...chunks: readonly unknown[]): Handler =>
  async response => {
    openStream(response);
    for (const value of chunks) writeChunk(response, value);
    // The chunks must be out before the reset, which may overtake what is still in a buffer.
    await new Promise(resolve => setTimeout(resolve, 30));
    response.destroy();
  };

/** Streams these chunks and `[DONE]`. */
export const stream =
  (...chunks: readonly unknown[]): Handler =>
  response => {
    openStream(response);
    for (const value of chunks) writeChunk(response, value);
    response.end('data: [DONE]\n\n');
  };

/** A body as it stands, with this content type. */
export const raw =
  (body: string, contentType = 'text/event-stream'): Handler =>
  response => {
    response.writeHead(200, { 'content-type': contentType });
    response.end(body);
  };

/** Breaks the connection before any answer. */
export const reset: Handler = response => {
  response.destroy();
};

function toAnswer({ content, calls = [], usage, finish, extra }: Reply): Answer {
  const toolCalls = calls.map((call, n) => ({
    id: call.id ?? `call_${n + 1}`,
    type: 'function',
    function: {
      name: call.name,
      arguments: typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments),
    },
  }));
  const message = {
    role: 'assistant',
    content: content ?? (calls.length > 0 ? null : ''),
    ...(calls.length > 0 && { tool_calls: toolCalls }),
    ...extra,
  };
  const reason = finish ?? (calls.length > 0 ? 'tool_calls' : 'stop');
  return { message, finish: reason, ...(usage && { usage }) };
}
