import type { ToolCall } from '../types.ts';
import { asRecord, asText } from './json.ts';
import { tryParseLooseJson } from './loose-json.ts';

export interface TextCalls {
  readonly calls: readonly ToolCall[];
  /** The text without the calls. */
  readonly rest: string;
}

export interface TextCallOptions {
  /** Default true. False where a model is known to call tools properly: its shell blocks are meant for people. */
  readonly shellBlocks?: boolean;
}

/** The tool calls that a model wrote as text; see `findTextCalls`. */
export const parseTextCalls = (text: string, toolNames: readonly string[]): readonly ToolCall[] =>
  findTextCalls(text, toolNames).calls;

/**
 * Finds calls in a model's text: a `redgreen` block with `{"tool", "arguments"}`, which is the protocol; else what weak
 * models write by training: `<tool_call>` tags around JSON or XML, a JSON block or a whole text with the name of a tool,
 * and a shell block, taken for a call of `bash`. The last fence or tag need not be closed. Of blocks only the first
 * counts, because what follows it is a guess at the result.
 */
export function findTextCalls(
  text: string,
  toolNames: readonly string[],
  { shellBlocks = true }: TextCallOptions = {},
): TextCalls {
  const spoken = text.replace(/<think>[\s\S]*?<\/think>/g, '');
  const blocks = fencedBlocks(spoken);
  const found =
    protocolCall(blocks) ??
    taggedCalls(spoken) ??
    jsonCall(blocks, spoken, toolNames) ??
    (shellBlocks && toolNames.includes('bash') ? shellCall(blocks) : undefined);
  if (!found) return { calls: [], rest: text };
  const calls = found.calls.map((call, n) => ({ id: `call_${n + 1}`, ...call }));
  return { calls, rest: spoken.slice(0, found.start).trim() };
}

type Call = Omit<ToolCall, 'id'>;

interface Found {
  readonly calls: readonly Call[];
  /** Where the text stops and the calls begin. */
  readonly start: number;
}

interface Block {
  readonly info: string;
  readonly body: string;
  readonly start: number;
}

const FENCE = /^[ \t]*(`{3,}|~{3,})[ \t]*([\w-]*)[^\n]*\n([\s\S]*?)(?:^[ \t]*\1[ \t]*$|(?![\s\S]))/gm;

const fencedBlocks = (text: string): readonly Block[] =>
  [...text.matchAll(FENCE)].map(({ 2: info = '', 3: body = '', index }) => ({
    info: info.toLowerCase(),
    body: body.trim(),
    start: index,
  }));

function protocolCall(blocks: readonly Block[]): Found | undefined {
  const block = blocks.find(({ info }) => info === 'redgreen');
  return block && { calls: [parseCall(block.body) ?? malformedCall(block.body)], start: block.start };
}

function taggedCalls(text: string): Found | undefined {
  const start = text.indexOf('<tool_call>');
  if (start < 0) return undefined;
  const [own = ''] = text.slice(start).split('<tool_response>');
  const bodies = own.split('<tool_call>').slice(1);
  const calls = bodies.map(body => {
    const [inner = ''] = body.split('</tool_call>');
    return xmlCall(inner) ?? parseCall(inner) ?? malformedCall(inner.trim());
  });
  return { calls, start };
}

/** `<function=NAME><parameter=KEY>VALUE</parameter></function>`, as Qwen's coder models write. */
function xmlCall(text: string): Call | undefined {
  const [, name] = /<function=([\w-]+)>/.exec(text) ?? [];
  if (name === undefined) return undefined;
  const parameters = text.matchAll(/<parameter=([\w-]+)>\n?([\s\S]*?)\n?(?:<\/parameter>|(?![\s\S]))/g);
  const given = [...parameters].map(({ 1: key = '', 2: value = '' }) => [key, typedValue(value)]);
  return { name, arguments: JSON.stringify(Object.fromEntries(given)) };
}

/** XML has no types: what reads as a number, a boolean, a list or an object is taken for one. */
function typedValue(text: string): unknown {
  return /^\s*(?:-?\d+(?:\.\d+)?|true|false|[[{][\s\S]*[\]}])\s*$/.test(text)
    ? (tryParseLooseJson(text) ?? text)
    : text;
}

function jsonCall(blocks: readonly Block[], text: string, toolNames: readonly string[]): Found | undefined {
  const isKnown = (call: Call | undefined) =>
    call !== undefined && toolNames.some(name => name.toLowerCase() === call.name.toLowerCase());
  for (const block of blocks.filter(({ info }) => info === 'json' || info === '')) {
    const call = parseCall(block.body);
    if (call && isKnown(call)) return { calls: [call], start: block.start };
  }
  const whole = parseCall(text.trim());
  return whole && isKnown(whole) ? { calls: [whole], start: 0 } : undefined;
}

function shellCall(blocks: readonly Block[]): Found | undefined {
  const block = blocks.find(({ info, body }) => /^(bash|sh|shell)$/.test(info) && body !== '');
  return block && { calls: [bash(block.body)], start: block.start };
}

const bash = (command: string): Call => ({ name: 'bash', arguments: JSON.stringify({ command }) });

function parseCall(text: string): Call | undefined {
  const record = asRecord(tryParseLooseJson(text));
  const inner = asRecord(record?.function) ?? record;
  const name = asText(inner?.tool) || asText(inner?.name) || asText(inner?.function);
  if (!inner || name === '') return undefined;
  const given = inner.arguments ?? inner.args ?? inner.parameters ?? inner.input ?? {};
  return { name, arguments: typeof given === 'string' ? given : JSON.stringify(given) };
}

/** A call that was meant but is no JSON goes on as it is, so that the model is told what is wrong with it. */
function malformedCall(text: string): Call {
  const [, name = 'unknown'] = /"(?:tool|name)"\s*:\s*"([^"]+)"/.exec(text) ?? [];
  return { name, arguments: text };
}
