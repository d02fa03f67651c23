import { groupConsecutive } from './consecutive.ts';
import { codeSpan, escapeInline, escapeNote, table } from './markdown.ts';
import { count, duration, exitText, runEndText } from './numbers.ts';
import type { Iteration } from './progress.ts';
import { purposeText } from './purpose-text.ts';

/**
 * Test runs and decisions as a table, the last `max` rows of it; empty when there were none. Neighbours that would read the same share a row,
 * with their numbers and how many they are.
 */
export function iterationTable(iterations: readonly Iteration[], max: number): string {
  if (iterations.length === 0) return '';
  const all = rowsOf(iterations);
  const shown = all.slice(-max);
  const earlier = (shown[0]?.first ?? 1) - 1;
  return [
    table(['#', 'What', 'Passed', 'Failed', 'Skipped', 'Time', 'Result'], shown.map(cellsOf)),
    shown.some(row => row.isPlanted) ? PLANTED : '',
    earlier > 0 ? `*${count(earlier)} earlier in the step summary.*` : '',
  ]
    .filter(part => part !== '')
    .join('\n\n');
}

const PLANTED =
  '<sub>¹ By design. Two tests are planted in each run of the proof, one that must pass and one that must fail, so that a run that misreports gives itself away. The planted failure makes the run exit with an error; neither of the two is counted.</sub>';

interface Row {
  /** Number of the first iteration in it, from 1. */
  readonly first: number;
  readonly times: number;
  readonly what: string;
  /** The other cells. */
  readonly cells: readonly string[];
  readonly isPlanted: boolean;
}

function rowsOf(iterations: readonly Iteration[]): Row[] {
  const single = iterations.map((iteration, index) => ({ first: index + 1, times: 1, ...texts(iteration) }));
  return groupConsecutive(single, ({ what, cells }) => JSON.stringify([what, cells])).flatMap(
    ([row, ...again]) => (row ? [{ ...row, times: again.length + 1 }] : []),
  );
}

const cellsOf = ({ first, times, what, cells }: Row): string[] =>
  times === 1
    ? [String(first), what, ...cells]
    : [`${first}–${first + times - 1}`, `${what} ×${times}`, ...cells];

function texts(iteration: Iteration): Pick<Row, 'what' | 'cells' | 'isPlanted'> {
  if (iteration.kind === 'gate') {
    const decision = iteration.passed ? 'passed' : '**not passed**';
    const reason = iteration.reason ? `: ${escapeNote(iteration.reason, 300)}` : '';
    return {
      what: `gate ${escapeInline(iteration.gate, 100)}`,
      cells: ['', '', '', '', `${decision}${reason}`],
      isPlanted: false,
    };
  }
  const { purpose, command, passed, failed, skipped, durationMs, problem, sentinels, exit } = iteration;
  const isPlanted = sentinels === 'honest' && problem === '';
  const result = isPlanted
    ? `${escapeInline(exitText(exit), 300)} ¹`
    : escapeNote(problem || runEndText(iteration), 300);
  return {
    what: `${escapeInline(purposeText(purpose), 100)} ${codeSpan(command, 120)}`,
    cells: [count(passed), count(failed), count(skipped), duration(durationMs), result],
    isPlanted,
  };
}
