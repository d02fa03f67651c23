import type { AssistantMessage, Usage } from '../types.ts';
import { callIdsIn, createCallIds } from './call-ids.ts';
import type { FinishReason, ModelReply, ModelRequest } from './model.ts';
import { costOf, type Price } from './price.ts';
import type { RequestBody } from './request-body.ts';
import type { Accumulated } from './stream.ts';
import { findTextCalls } from './text-calls.ts';
import { estimateTokens } from './tokens.ts';
import type { ReportedUsage } from './usage.ts';
import { spokenText } from './wire.ts';

export interface ReplyOptions {
  readonly price: Price | undefined;
  /** Whether a shell block in a text without calls is taken for a call of `bash`. */
  readonly shellBlocks: boolean;
}

/** The reply that callers see: calls that the model wrote as text are calls like others, and usage is never missing. */
export function toReply(
  { message, finishReason = 'stop', usage }: Accumulated,
  body: RequestBody,
  request: ModelRequest,
  { price, shellBlocks }: ReplyOptions,
): ModelReply {
  const understood = withTextCalls(message, finishReason, request, shellBlocks);
  const called = finishReason === 'stop' && understood.toolCalls.length > 0;
  return {
    message: understood,
    finishReason: called ? 'tool-calls' : finishReason,
    usage: toUsage(usage, body, message, price),
  };
}

/** A reply in which the model said nothing, though nothing cut it off. */
export const isEmpty = ({ message, finishReason }: ModelReply): boolean =>
  message.toolCalls.length === 0 &&
  message.content.trim() === '' &&
  (finishReason === 'stop' || finishReason === 'tool-calls');

function withTextCalls(
  message: AssistantMessage,
  finishReason: FinishReason,
  { tools, messages }: ModelRequest,
  shellBlocks: boolean,
): AssistantMessage {
  if (message.toolCalls.length > 0 || tools.length === 0 || finishReason !== 'stop') return message;
  const names = tools.map(tool => tool.name);
  const { calls, rest } = findTextCalls(message.content, names, { shellBlocks });
  if (calls.length === 0) return message;
  const nextId = createCallIds(callIdsIn(messages));
  return { ...message, content: rest, toolCalls: calls.map(call => ({ ...call, id: nextId('') })) };
}

function toUsage(
  reported: ReportedUsage,
  body: RequestBody,
  message: AssistantMessage,
  price: Price | undefined,
): Usage {
  const inputTokens =
    reported.inputTokens || estimateTokens(JSON.stringify([body.messages, body.tools ?? []]));
  const outputTokens = reported.outputTokens || estimateTokens(spokenText(message));
  const tokens = {
    inputTokens,
    cachedInputTokens: Math.min(reported.cachedInputTokens, inputTokens),
    outputTokens,
  };
  return { calls: 1, ...tokens, costUsd: price ? costOf(tokens, price) : reported.costUsd };
}
