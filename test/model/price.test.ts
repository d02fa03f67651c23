import { describe, expect, it } from 'vitest';
import { costOf, listPriceOf, parsePrice } from '../../src/model/price.ts';
import { estimateTokens } from '../../src/model/tokens.ts';

const price = (inputPerMillion: number, cachedInputPerMillion: number, outputPerMillion: number) => ({
  inputPerMillion,
  cachedInputPerMillion,
  outputPerMillion,
});

describe('a price', () => {
  it.each([
    ['2/0.5/8', price(2, 0.5, 8)],
    ['2/8', price(2, 2, 8)],
    [' $1.25 / $0.125 / $10 ', price(1.25, 0.125, 10)],
    ['0/0', price(0, 0, 0)],
    ['2', undefined],
    ['1/2/3/4', undefined],
    ['free', undefined],
    ['-1/2', undefined],
    ['1/', undefined],
    ['', undefined],
  ])('is read from %j', (text, expected) => {
    expect(parsePrice(text)).toEqual(expected);
  });

  it.each([
    ['gpt-4.1', price(2, 0.5, 8)],
    ['gpt-4.1-2025-04-14', price(2, 0.5, 8)],
    ['gpt-4.1-mini', price(0.4, 0.1, 1.6)],
    ['gpt-4.1-turbo', undefined],
    ['my-gpt-4.1', undefined],
    ['toString', undefined],
    ['qwen3-coder', undefined],
  ])('of %s is known only by exact id or dated id', (model, expected) => {
    expect(listPriceOf(model)).toEqual(expected);
  });

  it('counts cached input at its own rate, and never more of it than there was input', () => {
    const tokens = { inputTokens: 1_000_000, cachedInputTokens: 400_000, outputTokens: 100_000 };
    expect(costOf(tokens, price(2, 0.5, 8))).toBeCloseTo(1.2 + 0.2 + 0.8);
    expect(costOf({ ...tokens, cachedInputTokens: 9e9 }, price(2, 0.5, 8))).toBeCloseTo(0.5 + 0.8);
  });
});

it.each([
  ['', 0],
  ['abcd', 1],
  ['abcde', 2],
  ['äöü', 2],
])('%j is estimated at %i tokens', (text, tokens) => {
  expect(estimateTokens(text)).toBe(tokens);
});
