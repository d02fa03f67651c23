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
