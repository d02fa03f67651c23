/**
 * Assertions that the planted test which must pass tries with wrong values, since code under test may have made them
 * harmless. Each list is JavaScript on one line, of `[name, ...values]`: what stands before it in a file keeps its line
 * numbers, and so does what the runner reports.
 */
export const NODE_CHECKS =
  "[['equal', 1, 2], ['strictEqual', 1, 2], ['deepEqual', { a: 1 }, { a: 2 }], ['deepStrictEqual', { a: 1 }, { a: 2 }], " +
  "['notEqual', 1, 1], ['notStrictEqual', 1, 1], ['notDeepEqual', [1], [1]], ['notDeepStrictEqual', [1], [1]], ['ok', 0], " +
  "['match', 'a', /b/], ['doesNotMatch', 'a', /a/], ['throws', () => {}], ['rejects', async () => {}], ['doesNotReject', async () => { throw new Error(); }], ['doesNotThrow', () => { throw new Error(); }], ['fail']]";

/** Of `expect(value)`, jest's and vitest's. One that a version does not know throws too. */
export const EXPECT_CHECKS =
  "[['toBe', 1, 2], ['toEqual', { a: 1 }, { a: 2 }], ['toStrictEqual', { a: 1 }, { a: 2 }], ['toMatchObject', { a: 1 }, { a: 2 }], " +
  "['toContain', [1], 2], ['toContainEqual', [1], 2], ['toHaveLength', [1], 2], ['toHaveProperty', {}, 'a'], ['toMatch', 'a', /b/], " +
  "['toThrow', () => {}], ['toThrowError', () => {}], ['toBeTruthy', 0], ['toBeFalsy', 1], ['toBeDefined', undefined], ['toBeUndefined', 1], " +
  "['toBeNull', 1], ['toBeNaN', 1], ['toBeGreaterThan', 1, 2], ['toBeLessThan', 2, 1], ['toBeCloseTo', 1, 2], ['toBeInstanceOf', 1, Array]]";

/** Of chai's `expect(value).to`; those without a value to compare with are properties, which throw when they are read. */
export const CHAI_CHECKS =
  "[['equal', 1, 2], ['eql', { a: 1 }, { a: 2 }], ['include', [1], 2], ['match', 'a', /b/], ['lengthOf', [1], 2], ['property', {}, 'a'], " +
  "['a', 1, 'string'], ['above', 1, 2], ['below', 2, 1], ['closeTo', 1, 2, 0.5], ['instanceOf', {}, Array], ['members', [1], [2]], ['keys', { a: 1 }, 'b'], " +
  "['throw', () => {}], ['ok', 0], ['true', false], ['false', true], ['null', 1], ['undefined', 1], ['exist', null], ['empty', [1]]]";

/** Statements that throw when one of the checks lets a wrong value through. `call` is JavaScript of `(name, values)`. */
export const stillArmed = (call: string, checks: string): string =>
  `{ const call = ${call}; for (const [name, ...values] of ${checks}) { let armed = false; try { await call(name, values); } catch { armed = true; } if (!armed) throw new Error(name + ' accepts a wrong value'); } }`;
