export interface SentinelNames {
  readonly passing: string;
  readonly failing: string;
}

/**
 * Two tests for the end of a JavaScript or TypeScript test file. Imports are hoisted, so an ECMAScript module may import
 * there; their local names are as random as the tests' names. The failing one goes the way of every assertion.
 */
export function javascriptSentinel(
  runner: 'node:test' | 'vitest',
  file: { readonly path: string; readonly text: string },
  names: SentinelNames,
): string {
  const suffix = names.failing.replace(/\W/g, '_');
  const [test, check] = [`test_${suffix}`, `check_${suffix}`];
  const passing = JSON.stringify(names.passing);
  const failing = JSON.stringify(names.failing);
  if (runner === 'vitest') {
    return [
      `\n;import { test as ${test}, expect as ${check} } from 'vitest';`,
      `${test}(${passing}, async () => { ${check}(1, ${passing}).toBe(1); ${stillArmed(`(name, [value, ...more]) => ${check}(value)[name](...more)`, VITEST_CHECKS)} });`,
      `${test}(${failing}, () => { ${check}(1, ${failing}).toBe(2); });\n`,
    ].join('\n');
  }
  const load = isModule(file)
    ? `import { test as ${test} } from 'node:test';\nimport * as ${check} from 'node:assert';`
    : `const { test: ${test} } = require('node:test');\nconst ${check} = require('node:assert');`;
  return [
    `\n;${load}`,
    `${test}(${passing}, async () => { ${check}.strictEqual(1, 1, ${passing}); for (const assert of [${check}, ${check}.default ?? ${check}, ${check}.strict]) { ${stillArmed('(name, values) => assert[name](...values)', NODE_CHECKS)} } });`,
    `${test}(${failing}, () => { ${check}.strictEqual(1, 2, ${failing}); });\n`,
  ].join('\n');
}

/** Statements that throw when a check lets a wrong value through: code under test may have made it harmless. */
const stillArmed = (call: string, checks: string): string =>
  `const call = ${call}; for (const [name, ...values] of ${checks}) { let armed = false; try { await call(name, values); } catch { armed = true; } if (!armed) throw new Error(name + ' accepts a wrong value'); }`;

/** On one line: what stands before it in the file keeps its line numbers, and so does what Node reports. */
const NODE_CHECKS =
  "[['equal', 1, 2], ['strictEqual', 1, 2], ['deepEqual', { a: 1 }, { a: 2 }], ['deepStrictEqual', { a: 1 }, { a: 2 }], " +
  "['notEqual', 1, 1], ['notStrictEqual', 1, 1], ['notDeepEqual', [1], [1]], ['notDeepStrictEqual', [1], [1]], ['ok', 0], " +
  "['match', 'a', /b/], ['doesNotMatch', 'a', /a/], ['throws', () => {}], ['rejects', async () => {}], ['doesNotReject', async () => { throw new Error(); }], ['doesNotThrow', () => { throw new Error(); }], ['fail']]";

const VITEST_CHECKS =
  "[['toBe', 1, 2], ['toEqual', { a: 1 }, { a: 2 }], ['toStrictEqual', { a: 1 }, { a: 2 }], ['toMatchObject', { a: 1 }, { a: 2 }], " +
  "['toContain', [1], 2], ['toContainEqual', [1], 2], ['toHaveLength', [1], 2], ['toHaveProperty', {}, 'a'], ['toMatch', 'a', /b/], " +
  "['toThrow', () => {}], ['toThrowError', () => {}], ['toBeTruthy', 0], ['toBeFalsy', 1], ['toBeDefined', undefined], ['toBeUndefined', 1], " +
  "['toBeNull', 1], ['toBeNaN', 1], ['toBeGreaterThan', 1, 2], ['toBeLessThan', 2, 1], ['toBeCloseTo', 1, 2], ['toBeInstanceOf', 1, Array]]";

/** By extension, else by how the file itself loads node:test, else by any import or export. */
function isModule({ path, text }: { readonly path: string; readonly text: string }): boolean {
  if (/\.m[jt]s$/.test(path)) return true;
  if (/\.c[jt]s$/.test(path)) return false;
  if (/\bfrom\s*['"](node:)?(test|assert)(\/strict)?['"]/.test(text)) return true;
  if (/\brequire\(\s*['"](node:)?(test|assert)(\/strict)?['"]\s*\)/.test(text)) return false;
  return /^[ \t]*(import\b(?!\s*\()|export\b)/m.test(text);
}

/** Two test functions for the end of a Python test file. The message survives `--assert=plain`; under `-O` nothing fails, which is the truth. */
export function pythonSentinel(names: SentinelNames): string {
  const lines = (name: string, value: string) => [
    `def ${pythonName(name)}():`,
    `    assert ${value} == 1, ${JSON.stringify(name)}`,
  ];
  return ['\n', ...lines(names.passing, '1'), '', ...lines(names.failing, '2'), ''].join('\n');
}

/** What a sentinel is called in a report of pytest. */
export const pythonName = (name: string): string => `test_${name.replace(/\W/g, '_')}`;
