import { tryParseJson } from './json.ts';

/** Parses JSON as weak models write it: with raw line breaks and tabs inside strings, and a comma before a closing bracket. */
export const tryParseLooseJson = (text: string): unknown => tryParseJson(text) ?? tryParseJson(mend(text));

const TOKEN = /"(?:[^"\\]|\\[\s\S])*"|,(?=\s*[\]}])/g;
const ESCAPES: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

function mend(text: string): string {
  return text.replace(TOKEN, token =>
    token === ',' ? '' : token.replace(/[\n\r\t]/g, character => ESCAPES[character] ?? character),
  );
}
