import type { Message, ToolCall } from '../types.ts';
import { tryParseJson } from './json.ts';
import type { ToolSpec } from './model.ts';

/**
 * A conversation for a model without tool calling: the tools are described in the system message, calls are `redgreen`
 * blocks, results are user messages. Neighbours of one role become one message, because some chat templates refuse two.
 */
export function toTextMessages(messages: readonly Message[], tools: readonly ToolSpec[]): readonly Message[] {
  const names = new Map(
    messages.flatMap(message =>
      message.role === 'assistant' ? message.toolCalls.map(call => [call.id, call.name] as const) : [],
    ),
  );
  const plain = messages.map(message => toText(message, names));
  const rules: Message = { role: 'system', content: protocolFor(tools) };
  const [first, ...rest] = plain;
  return merge(first?.role === 'system' ? [first, rules, ...rest] : [rules, ...plain]);
}

function toText(message: Message, names: ReadonlyMap<string, string>): Message {
  if (message.role === 'tool') {
    const name = names.get(message.toolCallId) ?? 'the tool';
    return { role: 'user', content: `Result of ${name}:\n${message.content}` };
  }
  if (message.role !== 'assistant' || message.toolCalls.length === 0) return message;
  const content = [message.content, ...message.toolCalls.map(toBlock)].filter(Boolean).join('\n\n');
  return { ...message, content, toolCalls: [] };
}

const toBlock = ({ name, arguments: text }: ToolCall): string =>
  `\`\`\`redgreen\n${JSON.stringify({ tool: name, arguments: tryParseJson(text) ?? text })}\n\`\`\``;

function merge(messages: readonly Message[]): readonly Message[] {
  const merged: Message[] = [];
  for (const message of messages) {
    const last = merged.at(-1);
    if (last && last.role === message.role && last.role !== 'assistant') {
      merged[merged.length - 1] = { ...last, content: `${last.content}\n\n${message.content}` };
    } else merged.push(message);
  }
  return merged;
}

const protocolFor = (tools: readonly ToolSpec[]): string => `# Tools

To use a tool, end your reply with exactly one block of this form, and write nothing after it:

\`\`\`redgreen
{"tool": "NAME", "arguments": {"KEY": "VALUE"}}
\`\`\`

The block holds valid JSON: line breaks inside strings are written as \\n. You then get the tool's result and go on. One block a reply.

${tools.map(describe).join('\n\n')}`;

const describe = ({ name, description, parameters }: ToolSpec): string =>
  `## ${name}\n${description}\nArguments (JSON schema): ${JSON.stringify(parameters)}`;
