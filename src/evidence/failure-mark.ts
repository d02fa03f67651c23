import type { FailureKind, TestCase, TestFailure } from '../types.ts';

/**
 * How a test failed, as far as it must be the same from run to run: the kind, what it said first, and the values that it compared, without
 * what changes by itself.
 */
export interface FailureMark {
  readonly kind: FailureKind;
  /** Normalised; for comparing, not for people. */
  readonly said: string;
}

/** The mark of a failed test. */
export function failureMark(test: TestCase): FailureMark {
  const { kind = 'error', expected = '', received = '' } = test.failure ?? {};
  // Many assertion libraries begin with a line that holds no value at all.
  const parts = [firstLine(test.failure?.message ?? ''), expected, received].filter(part => part !== '');
  return { kind, said: parts.map(part => withoutNoise(part.slice(0, 2_000)).slice(0, 300)).join('\n') };
}

const firstLine = (text: string): string => text.split('\n').find(line => line.trim() !== '') ?? '';

/** What a failure says, in a line for people: its first line, or the values that it compared where that line holds none. */
export function saidBy({ message, expected, received }: TestFailure): string {
  const line = firstLine(message).trim();
  const isHollow = /:$|\/\/ |\.toBe|^expect\(/.test(line) || line === '';
  return isHollow && expected !== undefined && received !== undefined
    ? `expected ${oneLine(expected)}, received ${oneLine(received)}`
    : line;
}

const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim().slice(0, 120);

export const isSameFailure = (a: FailureMark, b: FailureMark): boolean =>
  a.kind === b.kind && a.said === b.said;

/** A text without addresses, ids, numbers and absolute paths, which differ between runs of the same failure. */
export const withoutNoise = (text: string): string =>
  text.replace(/\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b|0x[0-9a-f]+|\d+|\/[\w./-]+/gi, '#');
