import type { AssistantMessage, ToolCall } from '../types.ts';
import { asRecord, asText, isJsonObject } from './json.ts';
import type { FinishReason } from './model.ts';
import { createToolCallSlots } from './tool-call-slots.ts';
import { addUsage, NO_USAGE, type ReportedUsage } from './usage.ts';

/** Key in `extra` for what an endpoint wrote on single calls, such as Google's signatures; by call id. */
export const TOOL_CALL_FIELDS = 'tool_call_fields';

export interface Accumulated {
  readonly message: AssistantMessage;
  /** Undefined when the endpoint never said that it is done. */
  readonly finishReason: FinishReason | undefined;
  readonly usage: ReportedUsage;
}

export interface AccumulatorOptions {
  readonly onText?: ((text: string) => void) | undefined;
  /** Ids of calls in the conversation so far. */
  readonly takenIds?: ReadonlySet<string> | undefined;
}

export interface Accumulator {
  readonly add: (chunk: unknown) => void;
  readonly hasFinished: () => boolean;
  readonly result: () => Accumulated;
}

/**
 * Puts the chunks of one answer together; a whole completion counts as one chunk. Takes what servers are known to
 * send besides OpenAI's form, and never throws: chunks that report an error are for the caller to notice before.
 */
export function createAccumulator(options: AccumulatorOptions = {}): Accumulator {
  const slots = createToolCallSlots(options.takenIds);
  const extra: Record<string, unknown> = {};
  let content = '';
  let refusal = '';
  let finish = '';
  let usage = NO_USAGE;

  const addDelta = (delta: Readonly<Record<string, unknown>>) => {
    const {
      role: _role,
      content: text,
      tool_calls: calls,
      function_call: legacy,
      refusal: refused,
      ...rest
    } = delta;
    const piece = textOf(text);
    content += piece;
    refusal += asText(refused);
    if (piece !== '') options.onText?.(piece);
    if (Array.isArray(calls)) calls.forEach(slots.add);
    if (legacy) slots.add({ index: 0, function: legacy });
    mergeInto(extra, rest);
  };

  return {
    add: chunk => {
      usage = addUsage(usage, chunk);
      const choice = firstChoice(chunk);
      finish = asText(choice?.finish_reason) || finish;
      const delta = asRecord(choice?.delta) ?? asRecord(choice?.message);
      if (delta) addDelta(delta);
    },
    hasFinished: () => finish !== '',
    result: () => {
      const { calls, fields } = slots.finish();
      const all = Object.keys(fields).length > 0 ? { ...extra, [TOOL_CALL_FIELDS]: fields } : extra;
      return {
        message: {
          role: 'assistant',
          content: content || refusal,
          toolCalls: calls,
          ...(Object.keys(all).length > 0 && { extra: { ...all } }),
        },
        finishReason: finishReasonOf(finish, calls, refusal !== '' && content === ''),
        usage,
      };
    },
  };
}

/** Whether an answer that ended without saying so can be taken for whole. */
export const isComplete = ({ content, toolCalls }: AssistantMessage): boolean =>
  toolCalls.length > 0 ? toolCalls.every(call => isJsonObject(call.arguments)) : content !== '';

function firstChoice(chunk: unknown) {
  const choices = asRecord(chunk)?.choices;
  const choice = asRecord(Array.isArray(choices) ? choices[0] : undefined);
  // Further choices are never asked for; a server that sends them must not mix them into the first.
  return choice?.index ? undefined : choice;
}

/** Content is text, or (Mistral) a list of parts of which some are text. */
function textOf(content: unknown): string {
  if (!Array.isArray(content)) return asText(content);
  return content.map(part => asText(asRecord(part)?.text)).join('');
}

/** Texts and lists arrive in pieces; of anything else the last one holds. */
function mergeInto(extra: Record<string, unknown>, fields: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(fields)) {
    const before = extra[name];
    if (value === null || value === undefined) continue;
    if (typeof before === 'string' && typeof value === 'string') extra[name] = before + value;
    else if (Array.isArray(before) && Array.isArray(value)) extra[name] = [...before, ...value];
    else extra[name] = value;
  }
}

const FINISH_REASONS: Readonly<Record<string, FinishReason>> = {
  length: 'length',
  max_tokens: 'length',
  MAX_TOKENS: 'length',
  content_filter: 'content-filter',
  SAFETY: 'content-filter',
};

function finishReasonOf(
  said: string,
  calls: readonly ToolCall[],
  refused: boolean,
): FinishReason | undefined {
  if (said === '') return undefined;
  const cut = FINISH_REASONS[said];
  if (cut) return cut;
  if (calls.length > 0) return 'tool-calls';
  return refused ? 'content-filter' : 'stop';
}
