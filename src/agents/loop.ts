import { ModelError, type ModelReply } from '../model/model.ts';
import { type Conversation, type ConversationOptions, openConversation } from './conversation.ts';
import { runCalls } from './run-calls.ts';
import { watchForCircles } from './stuck.ts';
import { answerText } from './text-reply.ts';
import type { BlockReport, FinishReport } from './tools/tool.ts';

export type Gate = (report: FinishReport) => Promise<
  | { readonly accepted: true }
  /** `isStep`: the first of two moves succeeded; what follows is no failure. */
  | { readonly accepted: false; readonly feedback: string; readonly isStep?: boolean }
>;

export interface AgentOptions extends ConversationOptions {
  readonly maxSteps: number;
  /** How often the gate may say no before the conversation ends. Default 5. */
  readonly maxGateFailures?: number;
  /** Decides whether the step is done; a no goes back to the model as the result of its `finish`. */
  readonly gate: Gate;
}

export type AgentEnd =
  | { readonly kind: 'finished'; readonly report: FinishReport }
  | { readonly kind: 'blocked'; readonly block: BlockReport }
  | {
      readonly kind: 'gave-up';
      readonly why: 'budget' | 'steps' | 'gate' | 'stuck' | 'malformed';
      readonly reason: string;
    }
  | { readonly kind: 'model-failed'; readonly error: ModelError };

/** Asks the model, does what it asks, shows it the result, until the gate says yes or something says stop. */
export async function runAgent(options: AgentOptions): Promise<AgentEnd> {
  const conversation = openConversation(options);
  const watch = watchForCircles();
  const counts: Counts = { gateFailures: 0, malformed: 0, textOnly: 0, hasCalled: false };
  for (;;) {
    const stop = mayNotGoOn(options, conversation, counts);
    if (stop) return stop;
    const reply = await askOrFail(conversation);
    if (reply instanceof ModelError) return { kind: 'model-failed', error: reply };

    const calls = reply.message.toolCalls;
    const done =
      calls.length > 0
        ? await runCalls({ ...options, calls, turn: conversation.turn(), watch })
        : await answerText(options, reply, counts.textOnly);
    if (done.end) return done.end;
    conversation.append(...done.messages);
    counts.textOnly = calls.length > 0 ? 0 : counts.textOnly + 1;
    counts.hasCalled ||= calls.length > 0;
    counts.malformed = done.allMalformed ? counts.malformed + 1 : 0;
    counts.gateFailures += done.gateFailures;
  }
}

/** A model that never calls a tool will not begin to: perhaps the endpoint takes no tools. */
const MAX_WORDS_ONLY = 4;

interface Counts {
  gateFailures: number;
  malformed: number;
  textOnly: number;
  hasCalled: boolean;
}

function mayNotGoOn(options: AgentOptions, conversation: Conversation, counts: Counts): AgentEnd | undefined {
  const { role, maxSteps, maxGateFailures = 5 } = options;
  const gaveUp = (why: 'budget' | 'steps' | 'gate' | 'malformed', reason: string): AgentEnd => ({
    kind: 'gave-up',
    why,
    reason,
  });
  const spent = options.budget.exhausted();
  if (spent) return gaveUp('budget', spent);
  if (conversation.turn() >= maxSteps) return gaveUp('steps', `${role} used its ${maxSteps} turns`);
  if (counts.malformed >= 3) return gaveUp('malformed', `${role} sent three malformed replies in a row`);
  if (!counts.hasCalled && counts.textOnly >= MAX_WORDS_ONLY)
    return gaveUp('malformed', `${role} answered ${counts.textOnly} times in words and called no tool`);
  if (counts.gateFailures >= maxGateFailures)
    return gaveUp('gate', `${role} said that it was done ${counts.gateFailures} times and was not`);
  return undefined;
}

async function askOrFail(conversation: Conversation): Promise<ModelReply | ModelError> {
  try {
    return await conversation.ask();
  } catch (error) {
    if (error instanceof ModelError) return error;
    throw error;
  }
}
