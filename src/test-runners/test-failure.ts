import type { TestFailure } from '../types.ts';
import { classifyFailure } from './classify-failure.ts';
import { cleanText, cutEnd } from './clean-text.ts';

const MAX_MESSAGE_CHARS = 4_000;
const MAX_VALUE_CHARS = 300;
const MAX_STACK_CHARS = 6_000;

/** No more than this of an error's own text is looked at; a forged report has as much of it as fits. */
export const MAX_ERROR_CHARS = 8_000;

export interface FailureFacts {
  readonly type: string;
  readonly message: string;
  readonly expected?: string | undefined;
  readonly received?: string | undefined;
  readonly stack?: string | undefined;
}

/** A failure as the rest of the house reads it: clean, short, classified, with paths relative to the work folder. */
export function createFailure(facts: FailureFacts, workdir: string): TestFailure {
  const tidy = (text: string, maxChars: number) => cutEnd(relativeTo(workdir, cleanText(text)), maxChars);
  const type = cutEnd(facts.type, MAX_VALUE_CHARS);
  const message = tidy(facts.message, MAX_MESSAGE_CHARS).trim() || type || 'no message';
  return {
    kind: classifyFailure({ type, message }),
    message,
    ...(facts.expected !== undefined && { expected: tidy(facts.expected, MAX_VALUE_CHARS) }),
    ...(facts.received !== undefined && { received: tidy(facts.received, MAX_VALUE_CHARS) }),
    ...(facts.stack && { stack: tidy(facts.stack, MAX_STACK_CHARS) }),
  };
}

/** Drops the work folder's own path, so that messages are the same in every sandbox. */
export const relativeTo = (workdir: string, text: string): string =>
  text.replaceAll(`file://${workdir}/`, '').replaceAll(`${workdir}/`, '');

/** The line of the topmost JavaScript stack frame that lies in `file`, which is relative like the stack's paths. */
export function lineInStack(stack: string | undefined, file: string): number | undefined {
  for (const frame of (stack ?? '').split('\n').map(text => text.trimStart())) {
    const place = frame.startsWith('at ') ? /:(\d+):\d+\)?$/.exec(frame) : null;
    if (!place) continue;
    const path = frame.slice(Math.max(frame.lastIndexOf('(', place.index) + 1, 'at '.length), place.index);
    if (path === file) return Number(place[1]);
  }
  return undefined;
}
