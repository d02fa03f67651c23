import assert from 'node:assert/strict';
import { test } from 'node:test';
import { capitalize } from '../src/index.js';

test('capitalize raises the first letter', () => {
  assert.equal(capitalize('hello world'), 'Hello world');
});

test('capitalize leaves the empty text alone', () => {
  assert.equal(capitalize(''), '');
});

test('capitalize refuses what is no text', () => {
  assert.throws(() => capitalize(1), TypeError);
});
