import type { AssistantMessage, Message, ToolCall } from '../types.ts';
import { asRecord, isJsonObject } from './json.ts';
import { parseLooseJson } from './loose-arguments.ts';
import type { ToolSpec } from './model.ts';
import { TOOL_CALL_FIELDS } from './stream.ts';

/** A message or tool as the chat completions API wants it. */
export type WireObject = Readonly<Record<string, unknown>>;

/** Our messages as the API's. Fields of the endpoint's own go back as they came, except those named in `withoutFields`. */
export const toWireMessages = (
  messages: readonly Message[],
  withoutFields: ReadonlySet<string> = new Set(),
): readonly WireObject[] => messages.map(message => toWireMessage(message, withoutFields));

export const toWireTools = (tools: readonly ToolSpec[]): readonly WireObject[] =>
  tools.map(({ name, description, parameters }) => ({
    type: 'function',
    function: { name, description, parameters },
  }));

/** Names of the endpoint's own fields in these messages: those on messages and those on calls. */
export function extraFieldsOf(messages: readonly Message[]): readonly string[] {
  const names = messages.flatMap(message => {
    if (message.role !== 'assistant') return [];
    const { [TOOL_CALL_FIELDS]: onCalls, ...onMessage } = message.extra ?? {};
    return [onMessage, ...Object.values(asRecord(onCalls) ?? {})].flatMap(fields =>
      Object.keys(asRecord(fields) ?? {}),
    );
  });
  return [...new Set(names)];
}

function toWireMessage(message: Message, withoutFields: ReadonlySet<string>): WireObject {
  if (message.role === 'tool') {
    return { role: 'tool', tool_call_id: message.toolCallId, content: message.content };
  }
  if (message.role !== 'assistant') return { role: message.role, content: message.content };
  const { content, toolCalls } = message;
  const { [TOOL_CALL_FIELDS]: onCalls, ...onMessage } = message.extra ?? {};
  const kept = without(onMessage, withoutFields);
  if (toolCalls.length === 0) return { ...kept, role: 'assistant', content };
  const fieldsOf = (call: ToolCall) => without(asRecord(asRecord(onCalls)?.[call.id]) ?? {}, withoutFields);
  const calls = toolCalls.map(call => ({ ...fieldsOf(call), ...toWireCall(call) }));
  return { ...kept, role: 'assistant', content: content || null, tool_calls: calls };
}

const without = (fields: WireObject, names: ReadonlySet<string>): WireObject =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => !names.has(name)));

// What a model made up goes back in a form that servers accept: they refuse the whole conversation for one bad name,
// and templates parse the arguments.
const toWireCall = ({ id, name, arguments: text }: ToolCall): WireObject => ({
  id,
  type: 'function',
  function: {
    name: name.replace(/[^\w-]/g, '_').slice(0, 64) || 'unknown',
    arguments: isJsonObject(text) ? text : mended(text),
  },
});

/** Arguments that run mended go back mended, because a model repeats the form that it sees. */
function mended(text: string): string {
  const json = parseLooseJson(text);
  const value = 'value' in json ? asRecord(json.value) : undefined;
  return JSON.stringify(value ?? { malformed_arguments: text });
}

/** The reply's own words, for an estimate of its tokens. */
export const spokenText = ({ content, toolCalls, extra }: AssistantMessage): string =>
  [content, ...toolCalls.map(call => call.name + call.arguments), extra ? JSON.stringify(extra) : ''].join(
    '',
  );
