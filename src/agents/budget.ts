import type { Usage } from '../types.ts';
import { NOTHING_SPENT, sumUsage } from '../usage.ts';

export interface BudgetLimits {
  /** Model calls of the whole run. */
  readonly maxSteps: number;
  /** Input and output tokens of the whole run. */
  readonly maxTokens: number;
  readonly maxCostUsd: number;
  /** Epoch milliseconds at which agents stop, so that there is time to prove and publish. */
  readonly deadline: number;
}

/** What a run may spend, and what it has spent. One meter for all roles. */
export interface Budget {
  readonly add: (usage: Usage) => void;
  readonly spent: () => Usage;
  /** Why no further model call may be made, or undefined. */
  readonly exhausted: () => string | undefined;
  /** True past 80 % of any limit. */
  readonly isLow: () => boolean;
  /** One line for the model: `$0.41 of $3.00, 12 min left`. */
  readonly left: () => string;
}

/** Starts the meter. With a model whose price is not known the money limit can not be held; the others are. */
export function openBudget(limits: BudgetLimits, now: () => number = Date.now): Budget {
  let spent = NOTHING_SPENT;
  const started = now();
  const shares = () =>
    [
      ['steps', spent.calls / limits.maxSteps, `${limits.maxSteps} model calls`],
      [
        'tokens',
        (spent.inputTokens + spent.outputTokens) / limits.maxTokens,
        `${limits.maxTokens.toLocaleString('en')} tokens`,
      ],
      ['cost', (spent.costUsd ?? 0) / limits.maxCostUsd, `$${limits.maxCostUsd.toFixed(2)}`],
      [
        'time',
        (now() - started) / Math.max(1, limits.deadline - started),
        `${Math.round((limits.deadline - started) / 60_000)} minutes`,
      ],
    ] as const;
  return {
    add: usage => {
      spent = sumUsage(spent, usage);
    },
    spent: () => spent,
    exhausted: () => {
      const over = shares().find(([, share]) => share >= 1);
      return over && `the ${over[0]} budget of ${over[2]} is spent`;
    },
    isLow: () => shares().some(([, share]) => share >= 0.8),
    left: () => {
      const minutes = Math.max(0, Math.floor((limits.deadline - now()) / 60_000));
      const money =
        spent.costUsd === undefined
          ? ''
          : `$${spent.costUsd.toFixed(2)} of $${limits.maxCostUsd.toFixed(2)}, `;
      return `${money}${minutes} min left`;
    },
  };
}
