import { plural } from './numbers.ts';
import { oneLine, plainText } from './plain-text.ts';
import type { Redact } from './redact.ts';

export interface LogTextOptions {
  readonly redact?: Redact;
  /** Default 4,096. */
  readonly maxLineLength?: number;
  /** Default 64,000 characters; the middle is left out. */
  readonly maxLength?: number;
}

/**
 * Text from outside as lines for the runner's log, in which the runner finds no command: it reads `::command::` at the start of a line and
 * `##[command]` anywhere in one, and takes a carriage return for a line's end.
 */
export function sanitizeForLog(text: string, options: LogTextOptions = {}): string {
  const { redact = (same: string) => same, maxLineLength = 4096, maxLength = 64_000 } = options;
  const lines = redact(plainText(text)).trimEnd().split('\n');
  return middleOut(
    lines.map(line => `| ${shorten(defuse(line), maxLineLength)}`),
    maxLength,
  ).join('\n');
}

/** Outside text inside one of our own lines, which has to begin with words of ours. */
export const inlineForLog = (text: string, maxLength = 300): string =>
  shorten(defuse(oneLine(text)), maxLength);

// A space, not a zero-width character: the latter may be skipped when the runner searches.
const defuse = (line: string): string => line.replaceAll(/#(?=#\[)/g, '# ');

/** What would save less than its notice takes is not cut. */
function shorten(line: string, max: number): string {
  const notice = `… (${line.length - max} characters more)`;
  return line.length <= max + notice.length ? line : `${line.slice(0, max).toWellFormed()}${notice}`;
}

function middleOut(lines: readonly string[], max: number): readonly string[] {
  const total = lines.reduce((sum, line) => sum + line.length + 1, 0);
  if (total <= max) return lines;
  const head = takeWhileShort(lines, max / 2);
  const tail = takeWhileShort(lines.slice(head.length).reverse(), max / 2).reverse();
  return [...head, `| … ${plural(lines.length - head.length - tail.length, 'line')} left out …`, ...tail];
}

function takeWhileShort(lines: readonly string[], max: number): string[] {
  let length = 0;
  const end = lines.findIndex(line => {
    length += line.length + 1;
    return length > max;
  });
  return lines.slice(0, end < 0 ? lines.length : end);
}
