import { codeSpan, escapeInline, table } from './markdown.ts';
import { count, duration, runEndText } from './numbers.ts';
import type { Iteration } from './progress.ts';

/** Test runs and decisions as a table, the last `max` of them; empty when there were none. */
export function iterationTable(iterations: readonly Iteration[], max: number): string {
  if (iterations.length === 0) return '';
  const first = Math.max(0, iterations.length - max);
  const rows = iterations.slice(first).map((iteration, index) => row(iteration, first + index + 1));
  const shown = table(['#', 'What', 'Passed', 'Failed', 'Skipped', 'Time', 'Result'], rows);
  return first > 0 ? `${shown}\n\n*${count(first)} earlier in the step summary.*` : shown;
}

function row(iteration: Iteration, number: number): string[] {
  if (iteration.kind === 'gate') {
    const decision = iteration.passed ? 'passed' : '**not passed**';
    const reason = iteration.reason ? `: ${escapeInline(iteration.reason, 300)}` : '';
    return [
      String(number),
      `gate ${escapeInline(iteration.gate, 100)}`,
      '',
      '',
      '',
      '',
      `${decision}${reason}`,
    ];
  }
  const { purpose, command, passed, failed, skipped, durationMs, problem } = iteration;
  return [
    String(number),
    `${escapeInline(purpose, 100)} ${codeSpan(command, 120)}`,
    count(passed),
    count(failed),
    count(skipped),
    duration(durationMs),
    escapeInline(problem || runEndText(iteration), 300),
  ];
}
