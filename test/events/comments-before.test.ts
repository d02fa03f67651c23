import { expect, it } from 'vitest';
import { commentsBefore } from '../../src/events/comments-before.ts';

const AT = '2026-11-20T10:00:00Z';
const comment = (createdAt: string, updatedAt = createdAt, minimized = false) => ({
  createdAt,
  updatedAt,
  minimized,
});

it.each([
  ['an older comment', comment('2026-11-20T09:59:59Z'), true],
  ['an older one, edited before the command', comment('2026-11-01T00:00:00Z', '2026-11-20T09:00:00Z'), true],
  ['an older one in another time zone', comment('2026-11-20T11:30:00+02:00'), true],
  ['one of the same second', comment(AT), false],
  ['a newer one', comment('2026-11-20T10:00:01Z'), false],
  ['an older one, edited since', comment('2026-11-01T00:00:00Z', '2026-11-20T10:00:01Z'), false],
  ['a minimised one', comment('2026-11-01T00:00:00Z', '2026-11-01T00:00:00Z', true), false],
  ['one without a readable time', comment('yesterday'), false],
])('%s is kept: %s', (_what, candidate, kept) => {
  expect(commentsBefore([candidate], AT)).toEqual(kept ? [candidate] : []);
});
