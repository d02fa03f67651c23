import { expect, it } from 'vitest';
import { EVIL, whatActs } from './what-acts.ts';

it.each([
  ['ask @ada', ['@ada']],
  ['fixes #5', ['#5']],
  ['see GH-7', ['GH-7']],
  ['<!-- hidden -->', ['<!-- hidden -->']],
  ['<img src=x>', ['<img']],
  ['[a](http://evil.example)', ['](http://evil.example)']],
  ['go https://evil.example', ['https://evil.example']],
  ['a\n\n/agent fix', ['/agent fix']],
  ['| a | b |\n| --- | --- |\n| x | y | z |', ['| x | y | z |']],
  ['`@ada` ``a ` @ada``', []],
  ['a ` @ada', ['@ada']],
  ['\\`@ada`', ['@ada']],
  ['````\n@ada\n```\n@ada\n````\nend', []],
  ['```\na\n```\n@ada\n', ['@ada']],
])('finds what acts in %j', (text, found) => {
  expect(whatActs(text)).toEqual(found);
});

it('finds a lot in the text that the other tests use', () => {
  expect(new Set(whatActs(EVIL).map(found => found.slice(0, 4))).size).toBeGreaterThanOrEqual(8);
});
