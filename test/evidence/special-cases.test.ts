import { describe, expect, it } from 'vitest';
import { specialCases } from '../../src/evidence/special-cases.ts';
import type { FileChange } from '../../src/types.ts';

const file = (text: string) => ({ path: 'src/a.js', mode: '100644', bytes: Buffer.from(text) }) as const;
const change = (before: string, after: string): FileChange => ({
  path: 'src/a.js',
  status: 'modified',
  before: file(before),
  after: file(after),
});
const TEST = "test('parses 2_000_000', () => assert.equal(parse('2_000_000').total, 4711)); mode('json');";
const found = (before: string, after: string) =>
  specialCases([change(before, after)], [TEST], path => path.startsWith('test/')).map(each => each.literal);

describe('a condition on a value of the tests', () => {
  it.each([
    ["if (text === '2_000_000') return 4711;", ['2_000_000', '4711']],
    ['return text === "2_000_000" ? 1 : 2;', ['2_000_000']],
    ["case '2_000_000':", ['2_000_000']],
    ['if n == 4711:', ['4711']],
    ['if (n === 4711n) return 1;', ['4711']],
    ["'2_000_000': 4711,", ['2_000_000', '4711']],
    ["new Map([['2_000_000', 1]]);", ['2_000_000']],
    ["if (['2_000_000'].includes(text)) return 1;", ['2_000_000']],
  ])('is found: %s', (line, literals) => {
    expect(found('', `${line}\n`)).toEqual(literals);
  });

  it.each([
    ['no condition', "const sample = '2_000_000';", ''],
    ['a value that the tests do not have', "if (text === 'other') return 1;", ''],
    [
      'what the file had before',
      "if (text === '2_000_000') return 2;",
      "if (text === '2_000_000') return 1;",
    ],
    ['the name of a type', "if (typeof text === 'string') return 1;", ''],
    ['a small number', 'if (n === 47) return 1;', ''],
    ['a part of a longer value', "if (text === '000_000') return 1;", ''],
  ])('is not %s', (_what, after, before) => {
    expect(found(before, after)).toEqual([]);
  });

  it('is looked for in code alone', () => {
    const inTest = { ...change('', "if (x === '2_000_000') y();"), path: 'test/a.test.js' };
    expect(specialCases([inTest], [TEST], path => path.startsWith('test/'))).toEqual([]);
  });

  it('is found in no time in hostile text', () => {
    expect(found('', `if (x === ${"'".repeat(300_000)}\n`)).toEqual([]);
    expect(found('', `if (${'1_'.repeat(200_000)}\n`)).toEqual([]);
  });
});
