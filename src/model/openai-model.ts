import { NOTHING_SPENT, sumUsage } from '../usage.ts';
import { createSender } from './adaptive-sender.ts';
import { toModelError } from './cure.ts';
import { type EndpointOptions, resolveEndpoint } from './endpoint.ts';
import { AttemptFailed, brokenAnswer } from './failure.ts';
import type { Model, ModelReply, ModelRequest } from './model.ts';
import { listPriceOf, type Price } from './price.ts';
import { isEmpty, toReply } from './reply.ts';
import { withRetries } from './retry.ts';
import { createClient } from './sdk-client.ts';
import type { WireObject } from './wire.ts';

export interface OpenAIModelOptions extends EndpointOptions {
  /** Default: the list price of a model that has a well-known one. */
  readonly price?: Price | undefined;
  /** One try as a whole. Default 600,000. */
  readonly requestTimeoutMs?: number;
  /** Silence within a try. Default 120,000; doubles with each try that it ended, up to 300,000, because a small machine may read a long prompt for longer. */
  readonly idleTimeoutMs?: number;
  /** Default 8. */
  readonly maxAttempts?: number;
  /** The first wait between tries. Default 2,000; doubles up to 30 times as much. */
  readonly backoffBaseMs?: number;
  /** Further fields of each request, such as `temperature` or `reasoning_effort`. Those that the endpoint refuses are left out from then on. */
  readonly parameters?: WireObject;
}

const MAX_EMPTY_RETRIES = 2;

/**
 * A model behind an OpenAI-compatible chat completions endpoint. What the endpoint turns out not to take (a parameter,
 * a field, tools) is remembered for as long as the model lives. Throws ModelError when the options cannot work.
 */
export function createModel(options: OpenAIModelOptions): Model {
  const {
    requestTimeoutMs = 600_000,
    idleTimeoutMs = 120_000,
    maxAttempts = 8,
    backoffBaseMs = 2000,
  } = options;
  const { parameters = {}, model: name } = options;
  const price = options.price ?? listPriceOf(name);
  const endpoint = resolveEndpoint(options);
  const client = createClient(endpoint, requestTimeoutMs);
  const send = createSender(client, endpoint, { requestTimeoutMs, idleTimeoutMs, parameters });
  let callsTools = false;

  const complete = (request: ModelRequest): Promise<ModelReply> => {
    let usage = NOTHING_SPENT;
    const attempt = async () => {
      const { body, answer } = await send(request);
      callsTools ||= answer.message.toolCalls.length > 0;
      const reply = toReply(answer, body, request, { price, shellBlocks: !callsTools });
      usage = sumUsage(usage, reply.usage);
      if (isEmpty(reply)) throw brokenAnswer('the reply was empty', MAX_EMPTY_RETRIES);
      return { ...reply, usage };
    };
    const policy = { maxAttempts, backoffBaseMs, signal: request.signal, onRetry: request.onRetry };
    return withRetries(policy, attempt, failureOf, (failure, tries) =>
      toModelError(failure, tries, endpoint),
    );
  };
  return { name, complete };
}

function failureOf(thrown: unknown) {
  if (thrown instanceof AttemptFailed) return thrown.failure;
  throw thrown;
}
