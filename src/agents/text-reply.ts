import type { ModelReply } from '../model/model.ts';
import type { AgentOptions } from './loop.ts';
import type { CallsDone } from './run-calls.ts';

const NUDGE = `Your reply called no tool. Call one: finish when this step is done, flag_blocked when it can not be done. Without tool calling, answer with one fenced block:
\`\`\`redgreen
{"tool": "read", "arguments": {"path": "README.md"}}
\`\`\``;

/** Answers a reply without a call: empty or cut ones count as malformed; text is nudged twice and then taken as a `finish`. */
export async function answerText(
  options: AgentOptions,
  reply: ModelReply,
  nudgesBefore: number,
): Promise<CallsDone> {
  const malformed = malformedText(reply);
  if (malformed)
    return { messages: [{ role: 'user', content: malformed }], allMalformed: true, gateFailures: 0 };
  if (nudgesBefore < 2)
    return { messages: [{ role: 'user', content: NUDGE }], allMalformed: false, gateFailures: 0 };

  const report = { summary: reply.message.content, functions: [], files: [] };
  const decided = await options.gate(report);
  if (decided.accepted)
    return { messages: [], allMalformed: false, gateFailures: 0, end: { kind: 'finished', report } };
  return {
    messages: [{ role: 'user', content: decided.feedback }],
    allMalformed: false,
    gateFailures: decided.isStep ? 0 : 1,
  };
}

function malformedText(reply: ModelReply): string | undefined {
  if (reply.finishReason === 'length')
    return 'Your reply was cut off at its length limit before a tool call. Be briefer; split a large file into several writes or edits.';
  if (reply.finishReason === 'content-filter') return 'The endpoint filtered your reply. Put it differently.';
  return reply.message.content.trim() === '' ? `Your reply was empty. ${NUDGE}` : undefined;
}
