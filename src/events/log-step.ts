import { errorSort, type FailureSort, isSummary } from './error-shapes.ts';
import { openFailingTests } from './failing-tests.ts';
import { type LogLine, ownCopy } from './log-line.ts';
import type { FailingTest } from './test-name-book.ts';

/** A line that is kept, and its number in the step, from 1. */
export interface NumberedLine {
  readonly at: number;
  readonly text: string;
}

/** What matters of one step's log. */
export interface StepRecord {
  /** The title of the step's group, such as `Run npm test`; undefined for a log without steps. */
  readonly title: string | undefined;
  /** `ended`: the runner said so. `complained`: it printed an error, and the step may have gone on. */
  readonly failure: 'ended' | 'complained' | 'none';
  readonly failingTests: readonly FailingTest[];
  /** The first errors, each with some lines before and after. */
  readonly blocks: readonly (readonly NumberedLine[])[];
  /** Lines that tell of an error by themselves. */
  readonly errors: readonly string[];
  readonly summaries: readonly string[];
  /** The last lines before the step failed. */
  readonly tail: readonly NumberedLine[];
  /** How many errors pointed at what. */
  readonly votes: Readonly<Record<FailureSort, number>>;
}

export interface LogStep {
  readonly add: (line: LogLine) => void;
  readonly record: () => StepRecord;
}

const BEFORE = 3;
const AFTER = 8;
const MAX_BLOCK = 24;
const MAX_BLOCKS = 15;
const MAX_ERRORS = 40;
const MAX_SUMMARIES = 12;
const TAIL = 30;

/** With these words the runner ends a step that failed. */
const END =
  /^(?:Process completed with exit code|The operation was canceled|The action .* has timed out|The job .* has exceeded the maximum execution time|The runner has received a shutdown signal)/;

/** What the runner prints of a step's settings before it runs it. */
const HEADER = /^(?:shell: |env:$|with:$| {2}[\w-]+: )/;

/** Reads one step, and remembers no more of it than is shown of the worst. */
export function openLogStep(title: string | undefined): LogStep {
  const tests = openFailingTests();
  const votes: Record<FailureSort, number> = { tests: 0, lint: 0, build: 0, unknown: 0 };
  const blocks = openBlocks();
  const errors: string[] = [];
  const summaries: string[] = [];
  const recent: NumberedLine[] = [];
  let count = 0;
  let failure: StepRecord['failure'] = 'none';
  let inHeader = title !== undefined;

  const take = (text: string, forced: boolean) => {
    if (!forced && isForeignFrame(text)) return;
    const line = { at: ++count, text };
    const said = tests.add(text);
    const sort = errorSort(text);
    if (sort) votes[sort]++;
    const isError = said === undefined && (forced || (sort !== undefined && !isSummary(text)));
    blocks.add(line, isError || said === 'account', recent);
    if (isError && errors.length < MAX_ERRORS) errors.push(ownCopy(text.trim()));
    if (isSummary(text)) pushNewest(summaries, ownCopy(text.trim()), MAX_SUMMARIES);
    pushNewest(recent, line, TAIL);
  };
  return {
    add: line => {
      if (line.kind === 'group-end') inHeader = false;
      // After its end the runner tidies up, which is nobody's fault.
      if (failure === 'ended' || (inHeader && HEADER.test(line.text))) return;
      if (line.kind === 'output') return take(line.text, false);
      if (line.kind !== 'error') return;
      if (!END.test(line.text)) {
        if (failure === 'none') failure = 'complained';
        return take(line.text, true);
      }
      failure = 'ended';
      pushNewest(recent, { at: ++count, text: line.text }, TAIL + 1);
    },
    record: () => ({
      title,
      failure,
      failingTests: tests.result(),
      blocks: blocks.result(),
      errors,
      summaries,
      tail: recent,
      votes,
    }),
  };
}

function pushNewest<T>(list: T[], item: T, max: number): void {
  list.push(item);
  if (list.length > max) list.shift();
}

/** The first errors with what stands around them; errors that are close together share a block. */
function openBlocks() {
  const blocks: NumberedLine[][] = [];
  let open: NumberedLine[] | undefined;
  let left = 0;
  const keep = ({ at, text }: NumberedLine) => ({ at, text: ownCopy(text) });
  return {
    add: (line: NumberedLine, isError: boolean, before: readonly NumberedLine[]) => {
      if (open && (left === 0 || open.length >= MAX_BLOCK)) open = undefined;
      if (isError) left = AFTER;
      if (isError && !open && blocks.length < MAX_BLOCKS) {
        const shown = blocks.at(-1)?.at(-1)?.at ?? 0;
        open = before
          .slice(-BEFORE)
          .filter(({ at }) => at > shown)
          .map(keep);
        blocks.push(open);
      }
      if (open) open.push(keep(line));
      if (left > 0) left--;
    },
    result: () => blocks,
  };
}

/** A line of a stack that is in the runtime's or a dependency's code: it says little, and there are many. */
const isForeignFrame = (text: string): boolean => FRAMES.some(shape => shape.test(text));

const FRAMES: readonly RegExp[] = [
  /^\s+at .*(?:node:|node_modules\/|\/rustc\/)/,
  /^ +\d+: (?:<?core|<?std|__rustc|test)::/,
  /^\t?\/(?:usr\/local|opt\/hostedtoolcache)\/go\//,
];
