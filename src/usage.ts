import type { Usage } from './types.ts';

export const NOTHING_SPENT: Usage = {
  calls: 0,
  inputTokens: 0,
  cachedInputTokens: 0,
  outputTokens: 0,
  costUsd: 0,
};

/** A sum is of unknown price when a part of it is. */
export const sumUsage = (one: Usage, other: Usage): Usage => ({
  calls: one.calls + other.calls,
  inputTokens: one.inputTokens + other.inputTokens,
  cachedInputTokens: one.cachedInputTokens + other.cachedInputTokens,
  outputTokens: one.outputTokens + other.outputTokens,
  costUsd: one.costUsd === undefined || other.costUsd === undefined ? undefined : one.costUsd + other.costUsd,
});
