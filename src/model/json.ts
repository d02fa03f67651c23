/** An object that is not an array, or undefined. Everything an endpoint sends enters through this. */
export const asRecord = (value: unknown): Readonly<Record<string, unknown>> | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : undefined;

export const asText = (value: unknown): string => (typeof value === 'string' ? value : '');

/** The parsed value, or undefined when the text is not JSON. */
export function tryParseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

export const isJsonObject = (text: string): boolean => asRecord(tryParseJson(text)) !== undefined;
