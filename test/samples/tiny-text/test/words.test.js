import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { words } from '../src/index.js';

describe('words', () => {
  it('splits at everything that is no letter or digit', () => {
    assert.deepEqual(words('One, two; three!'), ['One', 'two', 'three']);
  });

  it('keeps letters of any script and apostrophes', () => {
    assert.deepEqual(words("l'été à Köln"), ["l'été", 'à', 'Köln']);
  });

  it('finds none in the empty text', () => {
    assert.deepEqual(words(''), []);
  });
});
