/** A chat completions server that answers with a recorded run's words, and notices where today's run has drifted from it. */
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { answerFor, type RecordedAnswer, type Recording } from '../../src/model/replay.ts';
import { toWireMessages } from '../../src/model/wire.ts';
import type { ToolCall } from '../../src/types.ts';
import { readRequest, type SeenRequest } from './scripted-endpoint.ts';
import { completionOf, sendJson, sendStreamed } from './sse-wire.ts';

export interface ReplayEndpoint extends AsyncDisposable {
  /** Ends in `/v1`. */
  readonly url: string;
  /** What no longer fits, in words; empty in a good replay. */
  readonly problems: readonly string[];
  /** `turn N of ROLE`, in the order asked. */
  readonly served: readonly string[];
  /** The recorded turns that nobody asked for. */
  readonly unserved: () => readonly string[];
  readonly close: () => Promise<void>;
}

export interface ReplayOptions {
  /** Before each answer. Default 0. */
  readonly delayMs?: number;
}

/** Serves a recording by the headers `x-redgreen-role` and `x-redgreen-turn`; a turn that is not in it is a 400 that says so. */
export async function startReplayEndpoint(
  recording: Recording,
  { delayMs = 0 }: ReplayOptions = {},
): Promise<ReplayEndpoint> {
  const problems: string[] = [];
  const served: string[] = [];
  const serve = async (request: SeenRequest, response: ServerResponse) => {
    const role = String(request.headers['x-redgreen-role']);
    const turn = Number(request.headers['x-redgreen-turn']);
    const recorded = tryAnswer(recording, role, turn);
    if (typeof recorded === 'string') {
      problems.push(recorded);
      return sendJson(response, 400, { error: { message: recorded } });
    }
    problems.push(...driftOf(recorded, recording, request));
    served.push(keyOf(recorded));
    await sleep(delayMs);
    const answer = toAnswer(recorded);
    return request.body.stream
      ? sendStreamed(response, answer)
      : sendJson(response, 200, completionOf(answer));
  };

  const server = createServer(async (incoming, response) => {
    if (incoming.method === 'GET' && incoming.url?.endsWith('/models')) {
      return sendJson(response, 200, { object: 'list', data: [{ id: 'replay', object: 'model' }] });
    }
    if (incoming.method !== 'POST' || !incoming.url?.endsWith('/chat/completions')) {
      return sendJson(response, 404, { error: { message: `no route ${incoming.method} ${incoming.url}` } });
    }
    await serve(await readRequest(incoming), response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const close = async () => {
    server.closeAllConnections();
    if (server.listening) await new Promise(resolve => server.close(resolve));
  };
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    problems,
    served,
    unserved: () => recording.answers.map(keyOf).filter(key => !served.includes(key)),
    close,
    [Symbol.asyncDispose]: close,
  };
}

const keyOf = ({ role, turn }: RecordedAnswer) => `turn ${turn} of ${role}`;

function tryAnswer(recording: Recording, role: string, turn: number): RecordedAnswer | string {
  try {
    return answerFor(recording, role, turn);
  } catch (error) {
    return (error as Error).message;
  }
}

const FINISH: Readonly<Record<string, string>> = {
  'tool-calls': 'tool_calls',
  'content-filter': 'content_filter',
};

function toAnswer({ message, finishReason, usage }: RecordedAnswer) {
  const wire = toWireMessages([message])[0]!;
  // As the model wrote them: what goes to the wire otherwise is mended.
  const calls = message.toolCalls.map(({ id, name, arguments: text }, n) => ({
    ...(wire.tool_calls as readonly object[])[n],
    id,
    function: { name, arguments: text },
  }));
  return {
    message: { ...wire, ...(calls.length > 0 && { tool_calls: calls }) },
    finish: FINISH[finishReason] ?? finishReason,
    usage: {
      prompt_tokens: usage.inputTokens,
      completion_tokens: usage.outputTokens,
      total_tokens: usage.inputTokens + usage.outputTokens,
      prompt_tokens_details: { cached_tokens: usage.cachedInputTokens },
    },
  };
}

interface Schema {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

/**
 * Whether the recorded calls could still be made: the tool is offered, and its schema takes the arguments.
 * A call that was wrong when it was recorded may stay as wrong as it was.
 */
function driftOf(recorded: RecordedAnswer, recording: Recording, { body }: SeenRequest): readonly string[] {
  const now = new Map(body.tools?.map(tool => [tool.function.name, tool.function.parameters]));
  const then = new Map(recording.tools.get(recorded.role)?.map(tool => [tool.name, tool.parameters]));
  return recorded.message.toolCalls.flatMap(call => {
    const known = then.size > 0 ? callProblems(call, then) : [];
    const problems = callProblems(call, now).filter(problem => !known.includes(problem));
    return problems.map(problem => `${keyOf(recorded)} calls \`${call.name}\`${problem}`);
  });
}

function callProblems(call: ToolCall, tools: ReadonlyMap<string, unknown>): readonly string[] {
  const schema = tools.get(call.name);
  if (!schema) return [', which is not among the tools sent'];
  const given = parseObject(call.arguments);
  return given ? argumentProblems(given, schema as Schema) : [];
}

function argumentProblems(given: Readonly<Record<string, unknown>>, schema: Schema): readonly string[] {
  const { properties = {}, required = [] } = schema;
  const missing = required.filter(name => !(name in given)).map(name => ` without its \`${name}\``);
  const present = Object.entries(given).flatMap(([name, value]) => {
    const property = properties[name];
    if (!property) return [` with \`${name}\`, which it does not take`];
    const types = [property.type ?? []].flat();
    return types.length === 0 || types.some(type => hasType(value, type))
      ? []
      : [` with \`${name}\` that is no ${types.join(' or ')}`];
  });
  return [...missing, ...present];
}

function hasType(value: unknown, type: string): boolean {
  if (type === 'integer') return Number.isInteger(value);
  if (type === 'array') return Array.isArray(value);
  if (type === 'null') return value === null;
  if (type === 'object') return typeof value === 'object' && value !== null && !Array.isArray(value);
  return typeof value === type;
}

function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return hasType(value, 'object') ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
