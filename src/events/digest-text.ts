import { harmlessLine } from './log-line.ts';
import type { NumberedLine, StepRecord } from './log-step.ts';
import type { FailingTest } from './test-name-book.ts';

/** What a model reads of a failed job: the step, the failing tests, the first errors, the counts and the step's last lines. */
export function digestText(
  steps: readonly StepRecord[],
  failingTests: readonly FailingTest[],
  maxChars: number,
): string {
  const parts: string[] = [];
  const room = () => maxChars - parts.reduce((sum, part) => sum + part.length + 2, 0);
  const put = (title: string, lines: readonly string[], share: number) => {
    const fitting = firstFitting(lines, Math.min(room(), maxChars * share) - title.length - 1);
    if (fitting.length > 0) parts.push([title, ...fitting].join('\n'));
  };
  const titles = steps.flatMap(({ title }) => (title ? [cleanLogLine(title.replace(/^Run /, ''))] : []));
  if (titles.length > 0) parts.push(`Failing step: ${titles.join('; ')}`);
  put(`Failing tests (${failingTests.length}):`, failingTests.map(testLine), 0.25);
  const blocks = steps.flatMap(step => step.blocks.map(lines => tidyLines(lines).join('\n')));
  put(
    'First errors:',
    [...new Set(blocks)].flatMap((block, i) => (i > 0 ? ['…', block] : [block])),
    0.5,
  );
  put('Counts:', [...new Set(steps.flatMap(({ summaries }) => summaries.map(cleanLogLine)))], 0.1);
  const last = tailLines(steps);
  const ending = lastFitting(last, room() - TAIL_TITLE.length - 1);
  if (ending.length > 0) parts.push([TAIL_TITLE, ...ending].join('\n'));
  return parts.join('\n\n').slice(0, Math.max(0, maxChars)).toWellFormed();
}

const TAIL_TITLE = 'Last lines of the step:';
const LEFT_OUT = '… more left out';

/** A line of a log as data, without the rules that runners draw. */
export const cleanLogLine = (text: string): string =>
  harmlessLine(text)
    .replaceAll(/([─━═⎯▔=_*·-])\1{7,}/g, '$1$1$1')
    .trimEnd();

/** Lines of a log without empty ones at either end, and never two of them in a row. */
const tidyLines = (lines: readonly NumberedLine[]): string[] =>
  lines
    .map(({ text }) => cleanLogLine(text))
    .filter((text, i, all) => text !== '' || (i > 0 && i < all.length - 1 && all[i - 1] !== ''));

const testLine = ({ file, name }: FailingTest): string =>
  `- ${file === undefined || file === name ? name : `${file} > ${name}`}`;

/** Of the first step that has one, without what was shown among its errors. */
function tailLines(steps: readonly StepRecord[]): string[] {
  const step = steps.find(({ tail }) => tail.length > 0);
  if (!step) return [];
  const shown = new Set(step.blocks.flat().map(({ at }) => at));
  return tidyLines(step.tail.filter(({ at }) => !shown.has(at)));
}

/** The first lines, and of the one that does not fit as much as is worth reading. */
function firstFitting(lines: readonly string[], maxChars: number): string[] {
  const fitting: string[] = [];
  let left = maxChars - LEFT_OUT.length - 1;
  for (const line of lines) {
    if (line.length >= left) {
      if (left > 200) fitting.push(line.slice(0, left - 1));
      return fitting.length > 0 ? [...fitting, LEFT_OUT] : [];
    }
    left -= line.length + 1;
    fitting.push(line);
  }
  return fitting;
}

function lastFitting(lines: readonly string[], maxChars: number): string[] {
  let left = maxChars;
  const cut = lines.findLastIndex(line => {
    left -= line.length + 1;
    return left < 0;
  });
  return lines.slice(cut + 1);
}
