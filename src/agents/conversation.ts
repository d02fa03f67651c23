import { CancelledError } from '../errors.ts';
import { type Model, ModelError, type ModelReply } from '../model/model.ts';
import type { Emit } from '../run-events.ts';
import type { Message } from '../types.ts';
import type { Budget } from './budget.ts';
import { elideOldResults } from './elide.ts';
import type { Tool } from './tools/tool.ts';
import { toolSpec } from './tools/tool.ts';

export interface ConversationOptions {
  /** A role's name, with `#2` for its second attempt. */
  readonly role: string;
  readonly model: Model;
  readonly system: string;
  readonly brief: string;
  readonly tools: readonly Tool[];
  readonly budget: Budget;
  readonly emit: Emit;
  readonly signal: AbortSignal | undefined;
}

/** One append-only exchange with the model, told to the event stream as it goes. */
export interface Conversation {
  readonly turn: () => number;
  readonly append: (...messages: readonly Message[]) => void;
  /** Throws ModelError, or CancelledError. */
  readonly ask: () => Promise<ModelReply>;
}

export function openConversation(options: ConversationOptions): Conversation {
  const { role, model, tools, budget, emit, signal } = options;
  const specs = tools.map(toolSpec);
  let messages: readonly Message[] = [
    { role: 'system', content: options.system },
    { role: 'user', content: options.brief },
  ];
  let told = 0;
  let turn = 0;

  const complete = () =>
    model.complete({
      role,
      turn,
      messages,
      tools: specs,
      ...(signal && { signal }),
      onRetry: (reason, waitMs) => emit({ kind: 'model-retried', role, reason, waitMs }),
    });

  /** The one remedy that needs no judgement when a context is full: old tool results go, once or twice. */
  const completeWithin = async (tries: number): Promise<ModelReply> => {
    try {
      return await complete();
    } catch (error) {
      if (!(error instanceof ModelError) || error.kind !== 'context-too-long' || tries === 0) throw error;
      messages = elideOldResults(messages);
      emit({
        kind: 'note',
        level: 'info',
        text: `${role}: the context was full; old tool results were left out`,
      });
      return completeWithin(tries - 1);
    }
  };

  return {
    turn: () => turn,
    append: (...more) => {
      messages = [...messages, ...more];
    },
    ask: async () => {
      if (signal?.aborted) throw new CancelledError('the run was cancelled');
      turn++;
      emit({
        kind: 'model-asked',
        role,
        turn,
        messages: messages.slice(told),
        ...(turn === 1 && { tools: specs.map(({ name, parameters }) => ({ name, parameters })) }),
      });
      const started = performance.now();
      const reply = await completeWithin(2);
      budget.add(reply.usage);
      emit({
        kind: 'model-answered',
        role,
        turn,
        message: reply.message,
        finishReason: reply.finishReason,
        usage: reply.usage,
        durationMs: performance.now() - started,
      });
      messages = [...messages, reply.message];
      told = messages.length;
      return reply;
    },
  };
}
