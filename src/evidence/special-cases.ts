import type { FileChange } from '../types.ts';

/** A condition that a change added, about a value that stands in the tests. */
export interface SpecialCase {
  readonly path: string;
  readonly literal: string;
}

const MAX_LINE = 1_000;
const CONDITION =
  /[=!]==?|\?|^['"`][^'"`]{3,80}['"`]\s*:|[[{]\s*['"`]|\b(?:case|if|elif|in|is|when|match|switch)\b|\.(?:includes|has|get|startsWith|endsWith|indexOf|test)\(/;
const STRING = /'([^'\\]{3,80})'|"([^"\\]{3,80})"|`([^`\\$]{3,80})`/g;
/** Shorter ones stand everywhere. */
const NUMBER = /(?<![\w.])(\d[\d_]{2,}(?:\.\d+)?)n?(?![\w.])/g;

/** Compared with everywhere, whatever the tests are about. */
const ORDINARY = new Set([
  'string',
  'number',
  'object',
  'function',
  'undefined',
  'boolean',
  'symbol',
  'bigint',
  'utf8',
  'utf-8',
]);

/**
 * Literals in conditions that a change adds to code, which the tests hold and the file did not: perhaps the very inputs of the tests, told
 * apart instead of mended. A doubt for a reader, no verdict: an option's name may stand in both by right.
 */
export function specialCases(
  change: readonly FileChange[],
  testTexts: readonly string[],
  isTestPath: (path: string) => boolean,
): readonly SpecialCase[] {
  const tests = testTexts.join('\n');
  const found = change
    .filter(file => file.after && !isTestPath(file.path))
    .flatMap(file => {
      const before = file.before?.bytes.toString() ?? '';
      return addedLines(before, file.after?.bytes.toString() ?? '')
        .filter(line => CONDITION.test(line))
        .flatMap(literalsIn)
        .filter(literal => !before.includes(literal) && isTokenOf(tests, literal))
        .map(literal => ({ path: file.path, literal }));
    });
  return [...new Map(found.map(each => [`${each.path}\0${each.literal}`, each])).values()].slice(0, 5);
}

/** As a whole: `45` is none of `1450`. */
function isTokenOf(text: string, literal: string): boolean {
  for (let at = text.indexOf(literal); at >= 0; at = text.indexOf(literal, at + 1)) {
    const [before = '', after = ''] = [text[at - 1], text[at + literal.length]];
    if (!/\w/.test(before) && !/\w/.test(after)) return true;
  }
  return false;
}

function addedLines(before: string, after: string): readonly string[] {
  const old = new Set(before.split('\n').map(line => line.trim()));
  return after
    .split('\n')
    .map(line => line.trim().slice(0, MAX_LINE))
    .filter(line => line !== '' && !old.has(line));
}

const literalsIn = (line: string): string[] => [
  ...[...line.matchAll(STRING)]
    .map(match => match[1] ?? match[2] ?? match[3] ?? '')
    .filter(text => !ORDINARY.has(text)),
  ...[...line.matchAll(NUMBER)].map(match => match[1] ?? ''),
];
