import { stripEscapes } from '../lib/strip-escapes.ts';

/**
 * Outside text without anything that acts or hides: no escape sequences, control characters (tab and line feed stay), bidirectional or
 * invisible characters. Every kind of line break becomes a line feed.
 */
export const plainText = (text: string): string =>
  stripEscapes(text.toWellFormed()).replaceAll(LINE_BREAKS, '\n').replaceAll(INVISIBLE, '');

/** The same on one line. */
export const oneLine = (text: string): string => plainText(text).replaceAll(/\s+/g, ' ').trim();

/** At most `max` characters; what is cut shows as an ellipsis. Never half a character. */
export const cut = (text: string, max: number): string =>
  text.length <= max ? text : `${text.slice(0, Math.max(0, max - 1)).replace(/[\ud800-\udbff]$/, '')}…`;

const LINE_BREAKS = /\r\n|[\r\v\f\u0085\u2028\u2029]/g;

// Default-ignorable as a whole, not a list of zero-width characters: .NET's culture-sensitive search skips all of them, so that
// one of them between two `#` would not hide a command from the runner.
const INVISIBLE = /(?![\t\n])[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/gu;
