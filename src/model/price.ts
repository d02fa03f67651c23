/** US dollars for a million tokens. */
export interface Price {
  readonly inputPerMillion: number;
  readonly cachedInputPerMillion: number;
  readonly outputPerMillion: number;
}

/**
 * List prices as published by the vendors (OpenAI: standard tier; Google: prompts up to 200k tokens), as known in March 2026.
 * Vendors change prices without changing names: the input `model-price` overrides this, and what is not here has no price
 * rather than a guessed one.
 */
const LIST_PRICES: Readonly<Record<string, string>> = {
  'gpt-5.4': '2.50/0.25/15',
  'gpt-5.2': '1.75/0.175/14',
  'gpt-5.2-codex': '1.75/0.175/14',
  'gpt-5.1': '1.25/0.125/10',
  'gpt-5.1-codex': '1.25/0.125/10',
  'gpt-5.1-codex-mini': '0.25/0.025/2',
  'gpt-5': '1.25/0.125/10',
  'gpt-5-codex': '1.25/0.125/10',
  'gpt-5-mini': '0.25/0.025/2',
  'gpt-5-nano': '0.05/0.005/0.40',
  'gpt-4.1': '2/0.50/8',
  'gpt-4.1-mini': '0.40/0.10/1.60',
  'gpt-4.1-nano': '0.10/0.025/0.40',
  'gpt-4o': '2.50/1.25/10',
  'gpt-4o-mini': '0.15/0.075/0.60',
  o3: '2/0.50/8',
  'o4-mini': '1.10/0.275/4.40',
  'gemini-2.5-pro': '1.25/0.125/10',
  'gemini-2.5-flash': '0.30/0.03/2.50',
};

/** The list price of a model by its exact id, or by its id with a date (`gpt-5-2025-08-07`); undefined when it is not known. */
export function listPriceOf(model: string): Price | undefined {
  const name = model.replace(/-\d{4}-\d{2}-\d{2}$/, '');
  const text = Object.hasOwn(LIST_PRICES, name) ? LIST_PRICES[name] : undefined;
  return text === undefined ? undefined : parsePrice(text);
}

/** Reads `input/cached/output` or `input/output`, in dollars per million tokens; undefined when the text is neither. */
export function parsePrice(text: string): Price | undefined {
  const parts = text.split('/').map(part => part.trim().replace(/^\$/, ''));
  if (parts.length < 2 || parts.length > 3 || !parts.every(part => /^\d+(\.\d+)?$/.test(part)))
    return undefined;
  const [input = 0, ...rest] = parts.map(Number);
  const output = rest.at(-1) ?? 0;
  const cached = rest.length === 2 ? (rest[0] ?? input) : input;
  return { inputPerMillion: input, cachedInputPerMillion: cached, outputPerMillion: output };
}

export interface TokenCounts {
  /** Cached ones included. */
  readonly inputTokens: number;
  readonly cachedInputTokens: number;
  readonly outputTokens: number;
}

/** US dollars for these tokens. */
export function costOf(tokens: TokenCounts, price: Price): number {
  const cached = Math.min(tokens.cachedInputTokens, tokens.inputTokens);
  const input = (tokens.inputTokens - cached) * price.inputPerMillion;
  return (input + cached * price.cachedInputPerMillion + tokens.outputTokens * price.outputPerMillion) / 1e6;
}
