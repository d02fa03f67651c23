import { type Model, ModelError } from '../model/model.ts';
import type { CheckRow } from '../report/check-table.ts';
import type { Emit } from '../run-events.ts';
import type { Usage } from '../types.ts';
import { tryRow } from './try-row.ts';

export interface ModelCheck {
  readonly open: () => Promise<Model>;
  /** For all of it, further tries included: nobody waits minutes for a check. */
  readonly timeoutMs: number;
  readonly emit: Emit;
  readonly signal: AbortSignal;
  readonly onUsage: (usage: Usage) => void;
}

/** Asks the model one question that it can only answer by a tool call: agents work with nothing else. */
export async function checkModel(check: ModelCheck): Promise<CheckRow> {
  const { row, value } = await tryRow({ ...check, what: 'Model' }, async () => {
    const model = await check.open();
    const started = performance.now();
    const reply = await ask(model, check);
    check.onUsage(reply.usage);
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    const price = reply.usage.costUsd === undefined ? NO_PRICE : '';
    return { value: reply, found: `${model.name} answered in ${seconds} s${price}` };
  });
  if (!value || value.message.toolCalls.some(call => call.name === 'report')) return row;
  return {
    ...row,
    state: 'warning',
    found: `${row.found}, but not by the tool that it was given`,
    cure: 'Take a `model` that can call tools, or switch that on at the server (llama.cpp: `--jinja`; vLLM: `--enable-auto-tool-choice` with a `--tool-call-parser`). Without it a run may get nowhere.',
  };
}

const NO_PRICE = ' (its price is not known: max-cost-usd holds only with the input model-price)';

/** Throws a ModelError when time is up, with what was seen until then. */
async function ask(model: Model, { timeoutMs, signal }: ModelCheck) {
  const timeout = AbortSignal.timeout(timeoutMs);
  const seen: string[] = [];
  try {
    return await model.complete({
      ...QUESTION,
      signal: AbortSignal.any([signal, timeout]),
      onRetry: reason => seen.push(reason),
    });
  } catch (error) {
    if (!timeout.aborted || signal.aborted) throw error;
    const last = seen.at(-1);
    throw new ModelError(
      'timed-out',
      `The model ${model.name} gave no answer within ${timeoutMs / 1000} s${last ? `: ${last}` : ''}`,
      'Check that the server at `base-url` runs and is not overloaded, choose a faster `model`, or raise `model-timeout-seconds`.',
      { cause: error },
    );
  }
}

const QUESTION = {
  role: 'check',
  turn: 1,
  messages: [
    { role: 'system', content: 'You are being checked for tool calling. Answer by calling the tool.' },
    { role: 'user', content: 'What is 2 + 3? Call report with the result.' },
  ],
  tools: [
    {
      name: 'report',
      description: 'Reports a result.',
      parameters: {
        type: 'object',
        properties: { result: { type: 'integer' } },
        required: ['result'],
        additionalProperties: false,
      },
    },
  ],
} as const;
