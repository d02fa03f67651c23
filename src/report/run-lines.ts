import type { ProofRun } from '../types.ts';
import { groupConsecutive } from './consecutive.ts';
import { escapeInline, escapeNote } from './markdown.ts';
import { count, duration, exitText } from './numbers.ts';

/** A line for each run of a proof, in Markdown; one for several of a kind that came to the same. The tests of a fix need not be new. */
export const runLines = (runs: readonly ProofRun[], fix: boolean): string[] =>
  groupConsecutive(inOrder(runs), sameResult).flatMap(([first, ...again]) =>
    first ? [runLine(first, again, fix)] : [],
  );

/** Which runs show the failure on the code as it was: what they are compared with stands below them. */
const BEFORE: readonly ProofRun['name'][] = ['baseline', 'baseline-again', 'reproduction'];

function inOrder(runs: readonly ProofRun[]): ProofRun[] {
  const place = ({ name }: ProofRun) => (BEFORE.includes(name) ? 0 : name === 'on-base' ? 1 : 2);
  return runs.toSorted((one, other) => place(one) - place(other));
}

const sameResult = ({ name, exit, passed, failed, skipped, problem, sentinels }: ProofRun): string =>
  JSON.stringify([name, exit, passed, failed, skipped, problem, sentinels]);

function runLine(run: ProofRun, again: readonly ProofRun[], fix: boolean): string {
  const name = (fix ? RUNS_OF_A_FIX[run.name] : undefined) ?? RUNS[run.name];
  const title = again.length > 0 ? `${name}, ${again.length + 1} times` : name;
  const ms = again.reduce((sum, other) => sum + other.durationMs, run.durationMs);
  const time = `${duration(ms)}${again.length > 0 ? ' together' : ''}`;
  const problem = run.problem ? ` ${escapeNote(run.problem, 200)}` : '';
  return `${title}: ${resultText(run)}, ${time}${isGoodOnBase(run) ? GOOD_ON_BASE : ''}.${problem}`;
}

function resultText({ name, exit, passed, failed, skipped }: ProofRun): string {
  const ended = escapeInline(exitText(exit), 100);
  // A command that is judged by its exit has no tests to count.
  if (name === 'command-before' || name === 'command-after') return ended;
  const counts = `${count(passed)} passed, ${count(failed)} failed, ${count(skipped)} skipped`;
  return exit.kind === 'code' ? counts : `${counts}, ${ended}`;
}

const isGoodOnBase = ({ name, exit, passed, failed, problem }: ProofRun): boolean =>
  name === 'on-base' && exit.kind === 'code' && exit.code === 0 && passed > 0 && failed === 0 && !problem;

const GOOD_ON_BASE = ': the failure came with the pull request';

const RUNS: Readonly<Record<ProofRun['name'], string>> = {
  baseline: 'Baseline (before any change)',
  'baseline-again': 'Baseline again (to find flaky tests)',
  reproduction: 'Reproduction (the failing tests, before any change)',
  'on-base': 'The same test files on the commit that the pull request started from',
  red: 'Red (new tests without the change)',
  green: 'Green (new tests with the change)',
  suite: 'Whole suite (with the change)',
  'old-tests': 'Existing tests as they were (with the change)',
  characterization: 'Tests that had pinned the wrong behaviour down (with the change: they fail)',
  'command-before': 'The command before the change',
  'command-after': 'The command with the change',
};

const RUNS_OF_A_FIX: Partial<typeof RUNS> = {
  red: 'Red (the failing tests without the change)',
  green: 'Green (the same tests with the change)',
};
