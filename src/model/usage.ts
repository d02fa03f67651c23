import { asRecord } from './json.ts';
import type { TokenCounts } from './price.ts';

/** What an endpoint reported so far; zero where it said nothing. `costUsd` only from endpoints that bill by themselves. */
export interface ReportedUsage extends TokenCounts {
  readonly costUsd: number | undefined;
}

export const NO_USAGE: ReportedUsage = {
  inputTokens: 0,
  cachedInputTokens: 0,
  outputTokens: 0,
  costUsd: undefined,
};

/**
 * Takes in the usage of one more chunk. Counts are cumulative, and some servers report input first and output last,
 * so the last count that is not zero holds.
 */
export function addUsage(before: ReportedUsage, chunk: unknown): ReportedUsage {
  const usage = usageIn(chunk);
  if (!usage) return before;
  const details = asRecord(usage.prompt_tokens_details) ?? asRecord(usage.input_tokens_details);
  return {
    inputTokens: count(usage.prompt_tokens, usage.input_tokens) || before.inputTokens,
    cachedInputTokens:
      count(details?.cached_tokens, usage.prompt_cache_hit_tokens, usage.cached_tokens) ||
      before.cachedInputTokens,
    outputTokens: count(usage.completion_tokens, usage.output_tokens) || before.outputTokens,
    costUsd: count(usage.cost) || before.costUsd,
  };
}

/** Moonshot puts usage into the choice, Groq under a name of its own. */
function usageIn(chunk: unknown) {
  const record = asRecord(chunk);
  const choices = record?.choices;
  const choice = asRecord(Array.isArray(choices) ? choices[0] : undefined);
  return asRecord(record?.usage) ?? asRecord(choice?.usage) ?? asRecord(asRecord(record?.x_groq)?.usage);
}

const count = (...values: readonly unknown[]): number =>
  values.find((value): value is number => typeof value === 'number' && value > 0) ?? 0;
