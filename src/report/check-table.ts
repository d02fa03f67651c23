import { inlineForLog } from './log-text.ts';
import { escapeInline, ownMarkdown, table } from './markdown.ts';
import { plural } from './numbers.ts';
import { oneLine } from './plain-text.ts';
import type { Redact } from './redact.ts';

/** One thing that was tried before any work is asked for. */
export interface CheckRow {
  readonly what: string;
  readonly state: 'ok' | 'warning' | 'failed' | 'skipped';
  /** What was seen; outside text. */
  readonly found: string;
  /** What to do, in Markdown of ours; empty when there is nothing to do. */
  readonly cure: string;
}

/** A headline and one table. At most 50,000 characters: cells are shortened, and rows that do not fit are left out whole, and counted. */
export function checkTable(
  rows: readonly CheckRow[],
  { withHeadline = true }: { readonly withHeadline?: boolean } = {},
): string {
  const headline = `**${checkHeadline(rows)}**`;
  if (rows.length === 0) return headline;
  const lines = rows.map(
    row =>
      table(HEADER, [cellsOf(row)])
        .split('\n')
        .at(-1) ?? '',
  );
  const kept = fitting(lines, MAX_TABLE);
  const shown = [...table(HEADER, []).split('\n'), ...lines.slice(0, kept)].join('\n');
  const rest = rows.length - kept;
  const more = rest > 0 ? `\n\n*${plural(rest, 'more line')}, in the log of the run.*` : '';
  return `${withHeadline ? `${headline}\n\n` : ''}${shown}${more}`;
}

/** The result of all in a few words, in plain text. */
export function checkHeadline(rows: readonly CheckRow[]): string {
  const number = (state: CheckRow['state']) => rows.filter(row => row.state === state).length;
  const [failed, warnings, skipped] = [number('failed'), number('warning'), number('skipped')];
  const untried = skipped > 0 ? `; ${skipped} not tried` : '';
  if (failed > 0) {
    const look = warnings > 0 ? `, and ${warnings} to look at` : '';
    return `${plural(failed, 'thing')} to mend${look}${untried}`;
  }
  if (warnings > 0) return `Nothing is in the way; ${plural(warnings, 'thing')} to look at${untried}`;
  if (skipped === rows.length) return 'Nothing was tried';
  return skipped > 0 ? `Everything that was tried is in place${untried}` : 'Everything is in place';
}

/** The same for the log, one plain line each, none of which can act there. */
export function checkLines(rows: readonly CheckRow[], redact: Redact = text => text): string[] {
  const say = (text: string) => inlineForLog(redact(text), 1000);
  const lines = rows.map(({ what, state, found, cure }) => {
    const next = cure.trim() === '' ? '' : ` → ${say(cure)}`;
    return `check ${LOG_WORDS[state]}: ${say(what)}: ${inlineForLog(endsOf(redact(found)), 1000) || WORDS[state]}${next}`;
  });
  return [...lines, `check: ${checkHeadline(rows)}`];
}

const HEADER = ['What', 'Result', 'What to do'];
const MAX_TABLE = 50_000;
const MAX_FOUND = 600;

/** Of a long text the beginning, which says what it is about, and the end, where programs say what went wrong. */
function endsOf(found: string): string {
  const line = oneLine(found);
  return line.length <= MAX_FOUND
    ? line
    : `${line.slice(0, 250)} … ${line.slice(-MAX_FOUND + 260)}`.toWellFormed();
}

const SIGNS = { ok: '✅', warning: '⚠️', failed: '❌', skipped: '⬜' } as const;
const WORDS = { ok: 'in place', warning: 'to look at', failed: 'failed', skipped: 'not tried' } as const;
const LOG_WORDS = { ok: 'ok', warning: 'warning', failed: 'FAILED', skipped: 'skipped' } as const;

const cellsOf = ({ what, state, found, cure }: CheckRow): string[] => [
  escapeInline(what, 100),
  `${SIGNS[state]} ${escapeInline(endsOf(found), MAX_FOUND) || WORDS[state]}`,
  ownMarkdown(cure),
];

/** How many lines from the start fit. */
function fitting(lines: readonly string[], max: number): number {
  let length = 0;
  const end = lines.findIndex(line => {
    length += line.length + 1;
    return length > max;
  });
  return end < 0 ? lines.length : end;
}
