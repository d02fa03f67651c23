import type { Message } from '../types.ts';
import type { ModelRequest } from './model.ts';
import { toTextMessages } from './text-protocol.ts';
import { extraFieldsOf, toWireMessages, toWireTools, type WireObject } from './wire.ts';

export interface RequestBody extends WireObject {
  readonly model: string;
  readonly messages: readonly WireObject[];
}

/**
 * The body of a chat completions request, without what the endpoint refused before. Nothing optional is sent but
 * streaming with usage and the caller's own parameters: servers differ too much in what they take.
 */
export function buildBody(
  model: string,
  request: ModelRequest,
  parameters: WireObject,
  refused: ReadonlySet<string>,
): RequestBody {
  const optional: WireObject = {
    ...(request.tools.length > 0 && { tools: toWireTools(request.tools) }),
    stream: true,
    ...(!refused.has('stream') && { stream_options: { include_usage: true } }),
    ...parameters,
  };
  const kept = Object.entries(optional).filter(([name]) => !refused.has(name));
  const messages = toWireMessages(conversationFor(request, refused), refused);
  return { model, messages, ...Object.fromEntries(kept) };
}

/** Names of all that an endpoint may refuse in this request: its optional parameters, and fields echoed in its messages. */
export const optionalNames = (
  body: RequestBody,
  messages: readonly Message[],
  refused: ReadonlySet<string>,
) => [
  ...Object.keys(body).filter(name => name !== 'model' && name !== 'messages'),
  ...extraFieldsOf(messages).filter(name => !refused.has(name)),
];

const conversationFor = ({ messages, tools }: ModelRequest, refused: ReadonlySet<string>) =>
  refused.has('tools') && tools.length > 0 ? toTextMessages(messages, tools) : messages;
