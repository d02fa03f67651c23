import type { FailureKind, TestCase } from '../types.ts';

/** How a test failed, as far as it must be the same from run to run: the kind, and what it said first, without what changes by itself. */
export interface FailureMark {
  readonly kind: FailureKind;
  /** One line, normalised; for comparing, not for people. */
  readonly said: string;
}

/** The mark of a failed test. */
export function failureMark(test: TestCase): FailureMark {
  const message = test.failure?.message ?? '';
  const line = message.split('\n').find(each => each.trim() !== '') ?? '';
  return { kind: test.failure?.kind ?? 'error', said: withoutNoise(line).slice(0, 300) };
}

export const isSameFailure = (a: FailureMark, b: FailureMark): boolean =>
  a.kind === b.kind && a.said === b.said;

/** A text without addresses, ids, numbers and absolute paths, which differ between runs of the same failure. */
export const withoutNoise = (text: string): string =>
  text.replace(/\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b|0x[0-9a-f]+|\d+|\/[\w./-]+/gi, '#');
