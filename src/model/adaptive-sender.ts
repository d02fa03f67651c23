import type { OpenAI } from 'openai/client';
import { refusedParameter } from './adaptation.ts';
import { callIdsIn } from './call-ids.ts';
import type { Endpoint } from './endpoint.ts';
import { exchange } from './exchange.ts';
import { AttemptFailed } from './failure.ts';
import type { ModelRequest } from './model.ts';
import { buildBody, optionalNames, type RequestBody } from './request-body.ts';
import type { Accumulated } from './stream.ts';
import type { WireObject } from './wire.ts';

export interface SenderOptions {
  readonly requestTimeoutMs: number;
  readonly idleTimeoutMs: number;
  readonly parameters: WireObject;
}

export interface Sent {
  readonly body: RequestBody;
  readonly answer: Accumulated;
}

// Node's own fetch gives up on a silent server after this long, so more patience would be a promise not kept.
const MAX_IDLE_MS = 300_000;

/**
 * Sends requests in the form that this endpoint turns out to take: what it refuses (a parameter, an echoed field, tools)
 * is left out at once and from then on, and a silence that was too long is given more time at the next try.
 */
export function createSender(client: OpenAI, endpoint: Endpoint, options: SenderOptions) {
  const { requestTimeoutMs, idleTimeoutMs, parameters } = options;
  const refused = new Set<string>();
  let idleMs = idleTimeoutMs;

  const sendOnce = (body: RequestBody, request: ModelRequest) =>
    exchange(client, endpoint, {
      body,
      headers: { 'x-redgreen-role': request.role, 'x-redgreen-turn': String(request.turn) },
      wholeMs: requestTimeoutMs,
      idleMs: refused.has('stream') ? requestTimeoutMs : idleMs,
      takenIds: callIdsIn(request.messages),
      signal: request.signal,
      onText: request.onText,
    });

  const adapt = (thrown: unknown, names: readonly string[]): string | undefined => {
    if (!(thrown instanceof AttemptFailed)) return undefined;
    const { kind, said } = thrown.failure;
    if (kind === 'timed-out') idleMs = Math.max(idleTimeoutMs, Math.min(idleMs * 2, MAX_IDLE_MS));
    const name = said && refusedParameter(said, names);
    if (name !== undefined) refused.add(name);
    return name;
  };

  return async (request: ModelRequest): Promise<Sent> => {
    for (;;) {
      const body = buildBody(endpoint.model, request, parameters, refused);
      const names = optionalNames(body, request.messages, refused);
      try {
        return { body, answer: await sendOnce(body, request) };
      } catch (thrown) {
        const name = adapt(thrown, names);
        if (name === undefined) throw thrown;
        request.onRetry?.(`the endpoint does not take \`${name}\`; asking again without it`, 0);
      }
    }
  };
}
