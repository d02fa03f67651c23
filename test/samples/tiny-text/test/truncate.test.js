import assert from 'node:assert/strict';
import { test } from 'node:test';
import { truncate } from '../src/index.js';

test('truncate leaves a short text alone', () => {
  assert.equal(truncate('short', 10), 'short');
});

test('truncate cuts at a word', () => {
  assert.equal(truncate('one two three', 9), 'one two…');
});

test('truncate cuts a single long word', () => {
  assert.equal(truncate('abcdefghij', 5), 'abcd…');
});

test('truncate refuses a maximum that is no positive integer', () => {
  assert.throws(() => truncate('x', 0), RangeError);
});
