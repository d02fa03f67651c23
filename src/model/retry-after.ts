/** The wait in milliseconds that a response asks for: `retry-after-ms`, or `Retry-After` in seconds or as an HTTP date. */
export function retryAfterOf(headers: Headers | undefined, now = Date.now()): number | undefined {
  const milliseconds = parseNumber(headers?.get('retry-after-ms'));
  if (milliseconds !== undefined) return milliseconds;
  const text = headers?.get('retry-after');
  const seconds = parseNumber(text);
  if (seconds !== undefined) return seconds * 1000;
  const date = Date.parse(text ?? '');
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

function parseNumber(text: string | null | undefined): number | undefined {
  return text && /^\s*\d+(\.\d+)?\s*$/.test(text) ? Number(text) : undefined;
}
