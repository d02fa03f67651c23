import { createHash } from 'node:crypto';
import { stableJson } from './stable-json.ts';

export interface Step {
  readonly tool: string;
  readonly args: unknown;
  readonly ok: boolean;
  readonly text: string;
  readonly readOnly: boolean;
}

export type Advice =
  | { readonly kind: 'note'; readonly text: string }
  | { readonly kind: 'stop'; readonly reason: string };

/** Watches one conversation for going in circles. Thresholds are those of published agent practice (notes at 3–5, stop at 8). */
export interface StuckWatch {
  readonly see: (step: Step) => Advice | undefined;
}

export function watchForCircles(): StuckWatch {
  const history: { readonly call: string; readonly whole: string; readonly step: Step }[] = [];
  return {
    see: step => {
      const call = hash(`${step.tool} ${stableJson(step.args)}`);
      history.push({ call, whole: hash(call + step.text), step });
      return (
        repeatedFailure(history) ??
        alternating(history) ??
        repeatedResult(history) ??
        failedEdits(history) ??
        timeouts(history)
      );
    },
  };
}

type History = readonly { readonly call: string; readonly whole: string; readonly step: Step }[];

const note = (text: string): Advice => ({ kind: 'note', text });

function repeatedFailure(history: History): Advice | undefined {
  const last = history.at(-1);
  if (!last || last.step.ok) return undefined;
  const times = history.filter(each => each.call === last.call && !each.step.ok).length;
  if (times >= 8)
    return { kind: 'stop', reason: `the same failing ${last.step.tool} call was made ${times} times` };
  return times === 5
    ? note(
        `This ${last.step.tool} call has failed ${times} times. It will not work. Do something else, or call flag_blocked.`,
      )
    : undefined;
}

function repeatedResult(history: History): Advice | undefined {
  const last = history.at(-1);
  if (!last) return undefined;
  const limit = last.step.readOnly ? 4 : 3;
  const run = lengthOfRun(history.map(each => each.whole));
  return run === limit
    ? note(
        `The same call gave the same result ${run} times, and will again. Choose another action: read or search the code that decides it, change something, run_tests; if nothing is left to try, flag_blocked.`,
      )
    : undefined;
}

function alternating(history: History): Advice | undefined {
  const calls = history.map(each => each.whole);
  let pairs = 0;
  for (
    let i = calls.length - 1;
    i >= 3 && calls[i] === calls[i - 2] && calls[i - 1] === calls[i - 3] && calls[i] !== calls[i - 1];
    i -= 2
  )
    pairs++;
  if (pairs >= 4) return { kind: 'stop', reason: 'the same two calls alternate without end' };
  return pairs === 2
    ? note(
        'You are alternating between the same two calls. Their results will not change; do something else.',
      )
    : undefined;
}

function failedEdits(history: History): Advice | undefined {
  const last = history.at(-1)?.step;
  if (last?.tool !== 'edit' || last.ok) return undefined;
  const path = (last.args as { path?: unknown }).path;
  const failed = history.filter(
    ({ step }) => step.tool === 'edit' && !step.ok && (step.args as { path?: unknown }).path === path,
  ).length;
  return failed === 3
    ? note(
        `Three edits of ${String(path)} failed. Read the part you want to change again and quote it exactly, or replace a short file with write.`,
      )
    : undefined;
}

function timeouts(history: History): Advice | undefined {
  const last = history.at(-1)?.step;
  if (!last?.text.startsWith('timed out')) return undefined;
  const count = history.filter(({ step }) => step.text.startsWith('timed out')).length;
  return count === 3
    ? note(
        'Three commands timed out. Do not start servers or watchers; run something smaller, or run_tests with one file.',
      )
    : undefined;
}

function lengthOfRun(values: readonly string[]): number {
  const last = values.at(-1);
  const other = values.findLastIndex(value => value !== last);
  return values.length - 1 - other;
}

const hash = (text: string): string => createHash('sha256').update(text).digest('hex');
