import { stripEscapes } from '../lib/strip-escapes.ts';

/** Text from a sandbox as plain text: no ANSI sequences, no control characters but newline and tab. */
export const cleanText = (text: string): string =>
  stripEscapes(text)
    .replace(/\r\n?/g, '\n')
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\ufffe\uffff]/g, '');

/** The same as one line, for names and identifiers. */
export const cleanLine = (text: string): string => cleanText(text).replace(/\s+/g, ' ').trim();

/** At most `maxChars` from the start. */
export const cutEnd = (text: string, maxChars: number): string =>
  text.length > maxChars ? `${text.slice(0, maxChars)}…` : text;

/** At most about `maxChars`: the start and the end, with a line between them that says how much is missing. */
export function cutMiddle(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const half = Math.floor(maxChars / 2);
  return `${text.slice(0, half)}\n… ${text.length - 2 * half} characters left out …\n${text.slice(-half)}`;
}
