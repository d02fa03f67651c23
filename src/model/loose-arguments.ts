import { jsonrepair } from 'jsonrepair';

/** Mending takes quadratic time in the worst case. */
const MAX_MENDED = 100_000;

export type LooseJson = { readonly value: unknown } | { readonly error: string };

/** Arguments as models write them: nothing at all, almost JSON, or JSON packed into a JSON text. What ends within a text is not mended: half a file is none. */
export function parseLooseJson(text: string): LooseJson {
  if (text.trim() === '') return { value: {} };
  const json = parseOnce(text);
  const inner = 'value' in json ? json.value : undefined;
  return typeof inner === 'string' && /^\s*[{[]/.test(inner) ? parseOnce(inner) : json;
}

function parseOnce(text: string): LooseJson {
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    return repaired(text, error instanceof Error ? error.message : String(error));
  }
}

function repaired(text: string, problem: string): LooseJson {
  if (endsWithinText(text))
    return { error: 'they are cut off within a text. Be briefer, or split a large file into several calls' };
  if (text.length > MAX_MENDED) return { error: problem };
  try {
    const value: unknown = JSON.parse(jsonrepair(text));
    // A sentence "repairs" to a string; only an object or a list can be meant.
    return typeof value === 'object' && value !== null ? { value } : { error: problem };
  } catch {
    return { error: problem };
  }
}

const endsWithinText = (text: string): boolean =>
  /^\s*[{[]/.test(text) && text.replace(/"(?:[^"\\]|\\[\s\S])*"/g, '').includes('"');
