import { cleanLogLine, digestText } from './digest-text.ts';
import type { FailureSort } from './error-shapes.ts';
import { readLogLine } from './log-line.ts';
import { type LogStep, openLogStep, type StepRecord } from './log-step.ts';
import type { FailingTest } from './test-name-book.ts';

/** What matters of a failed job's log. All of it is outside text: data for a model and a reader, never evidence of anything. */
export interface LogDigest {
  /** At most 200, as the runners named them. */
  readonly failingTests: readonly FailingTest[];
  /** The first lines that tell of an error, in order, at most 300 characters each. */
  readonly errors: readonly string[];
  /** The command or action of the step that failed; undefined for a log without steps. */
  readonly step: string | undefined;
  /** For a model to read; at most as long as asked for. */
  readonly text: string;
  /** A guess, by what the log shows. `kindOfJob` also looks at the names. */
  readonly sort: FailureSort;
}

export interface LogDigester {
  /** One line of the log, without its time stamp and line end. */
  readonly add: (line: string) => void;
  readonly result: () => LogDigest;
}

/** Cuts the log of a failed job to what matters while it streams by, in bounded memory and in time linear in its length. */
export function openLogDigest({ maxChars }: { readonly maxChars: number }): LogDigester {
  const past = openPastSteps();
  let step: LogStep = openLogStep(undefined);
  return {
    add: raw => {
      const line = readLogLine(raw);
      if (line.kind === 'step') {
        past.add(step.record());
        step = openLogStep(line.text);
      } else step.add(line);
    },
    result: () => digestOf(past.worst(step.record()), maxChars),
  };
}

const MAX_STEPS = 3;
const MAX_ERRORS = 20;
const MAX_ERROR = 300;

/** Keeps the first steps that failed, and the last of the others in which something was amiss. */
function openPastSteps() {
  const ended: StepRecord[] = [];
  const complained: StepRecord[] = [];
  let suspicious: StepRecord | undefined;
  const add = (step: StepRecord) => {
    const list = step.failure === 'ended' ? ended : step.failure === 'complained' ? complained : undefined;
    if (list && list.length < MAX_STEPS) list.push(step);
    if (!list && hasEvidence(step)) suspicious = step;
  };
  return {
    add,
    /** The steps to tell of. When the one that failed tells nothing (it may only pass on what another found) the others do. */
    worst: (last: StepRecord): readonly StepRecord[] => {
      add(last);
      const failed = ended.length > 0 ? ended : complained;
      if (failed.some(hasEvidence)) return failed;
      const others = [...(failed === ended ? complained : []), ...(suspicious ? [suspicious] : [])];
      const told = [...failed, ...others];
      return told.length > 0 ? told : [last];
    },
  };
}

const hasEvidence = ({ failingTests, blocks }: StepRecord): boolean =>
  failingTests.length > 0 || blocks.length > 0;

function digestOf(steps: readonly StepRecord[], maxChars: number): LogDigest {
  const failingTests = steps.flatMap(step => step.failingTests);
  const title = steps.find(step => step.title !== undefined)?.title;
  const errors = steps.flatMap(step => step.errors).map(line => cleanLogLine(line).slice(0, MAX_ERROR));
  return {
    failingTests,
    errors: [...new Set(errors)].slice(0, MAX_ERRORS),
    step: title === undefined ? undefined : cleanLogLine(title.replace(/^Run /, '')),
    text: digestText(steps, failingTests, maxChars),
    sort: failingTests.length > 0 ? 'tests' : mostVoted(steps),
  };
}

const DEFINITE = ['build', 'lint', 'tests'] as const;

function mostVoted(steps: readonly StepRecord[]): FailureSort {
  const votes = DEFINITE.map(sort => ({
    sort,
    count: steps.reduce((sum, step) => sum + step.votes[sort], 0),
  }));
  const best = votes.reduce((one, other) => (other.count > one.count ? other : one));
  return best.count > 0 ? best.sort : 'unknown';
}
