import { expect, it } from 'vitest';
import { commitMessage } from '../../src/report/commit-message.ts';

const sender = { login: 'mona', id: 7 };
const runUrl = 'https://github.com/o/r/actions/runs/1';

it('has a subject, the account, the issue and one trailer of ours', () => {
  expect(
    commitMessage({ title: 'Add slugify', summary: 'Makes slugs.\nTwo lines.', issue: 3, sender, runUrl }),
  ).toBe(
    'Add slugify\n\nMakes slugs.\nTwo lines.\n\nFor #3.\n\nRedgreen-Run: https://github.com/o/r/actions/runs/1\nCo-authored-by: mona <7+mona@users.noreply.github.com>\n',
  );
});

const subjectOf = (title: string, prefix = 'Fix: ') =>
  commitMessage({ title, prefix, summary: '', issue: undefined, sender, runUrl }).split('\n')[0] ?? '';

it('has our prefix as it is before a title in which nothing acts', () => {
  expect(subjectOf('Cart totals')).toBe('Fix: Cart totals');
  expect(subjectOf('#12 and @mona')).toBe('Fix: #\u200b12 and @\u200bmona');
  expect(subjectOf('Reviewed-by: x')).toBe('Fix: Reviewed-by\u200b: x');
});

it('has no backticks in its subject, and nothing acts that they had kept apart', () => {
  expect(subjectOf('`reduce` throws on an empty `cart`')).toBe('Fix: reduce throws on an empty cart');
  expect(subjectOf('[`skip ci] @`mona #`12 ``GH-`4 :`//x')).not.toMatch(/`|\[skip ci|@mona|#12|GH-4|:\/\//);
});

it.each([
  ['at a word', 'word '.repeat(30), `Fix: ${'word '.repeat(13).trim()}…`],
  ['inside a word that is all there is', 'x'.repeat(200), `Fix: ${'x'.repeat(66)}…`],
  [
    'at the end of a clause',
    'The seconds are the remainder of an hour, not of a minute, so that long times are wrong',
    'Fix: The seconds are the remainder of an hour, not of a minute',
  ],
])('cuts a long subject %s', (_what, title, subject) => {
  expect(subjectOf(title)).toBe(subject);
  expect(subject.length).toBeLessThanOrEqual(72);
});

it('leaves a subject of just the right length alone', () => {
  expect(subjectOf(`${'word '.repeat(12)}1234567`)).toHaveLength(72);
});

it.each([
  '[skip ci] x',
  '[ci skip]',
  '[no ci]',
  '[skip actions]',
  'Fixes #12',
  'Closes o/r#3',
  'GH-4',
  '@team look',
  'see https://evil',
  'Co-authored-by: x <x@y>',
  'Signed-off-by: x',
  'skip-checks: true',
  '***NO_CI***',
])('lets nothing from outside act: %s', text => {
  const message = commitMessage({
    title: text,
    summary: `first\n\n${text}`,
    issue: undefined,
    sender,
    runUrl,
  });
  const outside = message.replace(/Redgreen-Run: .*\nCo-authored-by: mona <.*>\n$/, '');
  expect(outside).not.toMatch(
    /\[(?:skip|no|ci|actions) (?:ci|actions|skip)\]|#\d|GH-\d|@\w|:\/\/|^[\w-]+\s*:|\*\*\*NO_CI/im,
  );
});

it('has a subject whatever the title is', () => {
  expect(commitMessage({ title: ' \n ', summary: '', issue: undefined, sender, runUrl })).toMatch(
    /^Change by redgreen\n/,
  );
});
