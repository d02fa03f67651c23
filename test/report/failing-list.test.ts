import { expect, it } from 'vitest';
import { failingList } from '../../src/report/failing-list.ts';
import { EVIL, whatActs } from './what-acts.ts';

const failing = [
  { id: 'test/cart.test.ts::cart > sums', said: 'expected 3 | to be 2\nstack' },
  { id: 'test/cart.test.ts::cart > is empty', said: '' },
];

it('says what fails, how often it was seen, and what each test says', () => {
  expect(failingList(failing, { passOnBase: true })).toBe(`### What fails

These tests failed three times, the same way. They pass on the commit that the pull request started from.

| Test | What it says |
| --- | --- |
| \`test/cart.test.ts::cart > sums\` | expected 3 &#124; to be 2 stack |
| \`test/cart.test.ts::cart > is empty\` | nothing |`);
});

it('says of the base only what was seen there', () => {
  expect(failingList(failing, { passOnBase: false })).toContain('the same way.\n\n|');
});

it('speaks of one test as of one', () => {
  expect(failingList(failing.slice(1), { passOnBase: true })).toContain(
    'This test failed three times, the same way. It passes on the commit',
  );
});

it('is empty when nothing fails', () => {
  expect(failingList([], { passOnBase: true })).toBe('');
});

it('lists thirty tests and counts the rest', () => {
  const many = (length: number) =>
    failingList(
      Array.from({ length }, (_, index) => ({ id: `t${index}`, said: 's' })),
      { passOnBase: false },
    );
  expect(many(31).match(/^\| `t/gm)).toHaveLength(30);
  expect(many(31)).toMatch(/\n\n\*1 more test, not listed\.\*$/);
  expect(many(30)).not.toContain('not listed');
});

it.each([EVIL, '|'.repeat(100_000), '`'.repeat(100_000)])('lets nothing act, and stays short', text => {
  const list = failingList(
    Array.from({ length: 100 }, () => ({ id: text, said: text })),
    { passOnBase: true },
  );
  expect(whatActs(list)).toEqual([]);
  expect(list).not.toContain('<!-- redgreen');
  expect(list.length).toBeLessThan(150_000);
});
