import { setTimeout as sleep } from 'node:timers/promises';
import { OpenAI } from 'openai/client';
import { type Deadline, startDeadline } from './deadline.ts';
import type { Endpoint } from './endpoint.ts';
import { errorIn, parseError } from './endpoint-error.ts';
import { AttemptFailed, brokenAnswer } from './failure.ts';
import { judgeError, judgeStreamError } from './judge-error.ts';
import { judgeNetworkError } from './network-error.ts';
import type { RequestBody } from './request-body.ts';
import { assertNotCancelled } from './retry.ts';
import { retryAfterOf } from './retry-after.ts';
import { readEvents } from './sse.ts';
import { type Accumulated, type Accumulator, createAccumulator, isComplete } from './stream.ts';

/** A server that is silent for minutes twice more will be so again, and each try costs the runner the whole wait. */
const MAX_SILENT_RETRIES = 2;

export interface Ask {
  readonly body: RequestBody;
  readonly headers: Readonly<Record<string, string>>;
  readonly wholeMs: number;
  readonly idleMs: number;
  readonly signal?: AbortSignal | undefined;
  readonly onText?: ((text: string) => void) | undefined;
  /** Ids of calls in the conversation so far. */
  readonly takenIds?: ReadonlySet<string> | undefined;
}

// What comes after the reason to finish is usage at most; not every server then closes the stream.
const IDLE_AFTER_FINISH_MS = 5000;
// Long enough for the end of a body that is already on its way, so that the connection can be used again.
const CLOSING_GRACE_MS = 50;

/** Sends one request and reads its answer, streamed or not. Throws AttemptFailed, or CancelledError when the signal spoke. */
export async function exchange(client: OpenAI, endpoint: Endpoint, ask: Ask): Promise<Accumulated> {
  const deadline = startDeadline(ask.signal, ask.wholeMs, ask.idleMs);
  const accumulator = createAccumulator(ask);
  try {
    const response = await send(client, ask, deadline.signal);
    await read(response, accumulator, deadline, endpoint, ask.idleMs);
  } catch (thrown) {
    assertNotCancelled(ask.signal);
    const failed = failedBy(thrown, deadline, endpoint);
    // Whatever went wrong after the answer was whole can not make it less so.
    if (!(failed instanceof AttemptFailed) || !accumulator.hasFinished()) throw failed;
  } finally {
    deadline.end();
  }
  const result = accumulator.result();
  if (result.finishReason || isComplete(result.message)) return result;
  throw brokenAnswer('the answer ended before it was whole');
}

/** The SDK sends; we read, because its stream gives up on answers that are good enough for us. */
const send = ({ chat }: OpenAI, { body, headers }: Ask, signal: AbortSignal): Promise<Response> =>
  chat.completions
    .create(body as unknown as OpenAI.ChatCompletionCreateParamsStreaming, { headers, signal })
    .asResponse();

async function read(
  response: Response,
  accumulator: Accumulator,
  deadline: Deadline,
  endpoint: Endpoint,
  idleMs: number,
): Promise<void> {
  const touch = () =>
    deadline.touch(accumulator.hasFinished() ? Math.min(idleMs, IDLE_AFTER_FINISH_MS) : undefined);
  const brokeOff = (thrown: unknown) => {
    const { reason } = judgeNetworkError(thrown, endpoint);
    return brokenAnswer(`the answer broke off: ${reason}`);
  };
  for await (const chunk of readEvents(bytesOf(response, touch, brokeOff))) {
    const said = errorIn(chunk);
    if (said) throw new AttemptFailed({ ...judgeStreamError(said, endpoint), said });
    accumulator.add(chunk);
    touch();
  }
}

async function* bytesOf(response: Response, touch: () => void, brokeOff: (thrown: unknown) => Error) {
  const reader = response.body?.getReader();
  let open = reader !== undefined;
  const next = async () => {
    try {
      const piece = await reader?.read();
      open = piece?.done === false;
      return piece?.value;
    } catch (error) {
      open = false;
      throw brokeOff(error);
    }
  };
  try {
    for (let bytes = await next(); bytes; bytes = await next()) {
      touch();
      yield bytes as Uint8Array;
    }
  } finally {
    if (open) await Promise.race([next(), sleep(CLOSING_GRACE_MS)]);
    if (open) await reader?.cancel();
  }
}

/** What was thrown as an AttemptFailed; itself when it is no doing of the endpoint. */
function failedBy(thrown: unknown, deadline: Deadline, endpoint: Endpoint): unknown {
  const late = deadline.expired();
  if (late)
    return new AttemptFailed({
      kind: 'timed-out',
      reason: late,
      retry: true,
      maxRetries: MAX_SILENT_RETRIES,
    });
  if (thrown instanceof OpenAI.APIConnectionError)
    return new AttemptFailed(judgeNetworkError(thrown, endpoint));
  if (!(thrown instanceof OpenAI.APIError) || thrown.status === undefined) return thrown;
  const said = parseError(bodyOf(thrown), thrown.status);
  const retryAfterMs = retryAfterOf(thrown.headers);
  return new AttemptFailed({
    ...judgeError(said, endpoint),
    said,
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  });
}

function bodyOf({ error, message, headers }: InstanceType<typeof OpenAI.APIError>): unknown {
  const location = headers?.get('location');
  if (location) return `it redirects to ${location.replace(/\?.*/, '')}`;
  return error ?? message.replace(/^\d+ /, '');
}
