import { CHAI_CHECKS, EXPECT_CHECKS, NODE_CHECKS, stillArmed } from './sentinel-checks.ts';

export interface SentinelNames {
  readonly passing: string;
  readonly failing: string;
}

interface TestFile {
  readonly path: string;
  readonly text: string;
}

/** What the planted lines call things: as random as the tests' names. */
interface Words {
  readonly test: string;
  readonly check: string;
  readonly chai: string;
  /** The tests' names as JavaScript strings. */
  readonly passing: string;
  readonly failing: string;
}

/**
 * Two tests for the end of a JavaScript or TypeScript test file. Imports are hoisted, so an ECMAScript module may import
 * there. The failing one goes the way of every assertion.
 */
export function javascriptSentinel(
  runner: 'node:test' | 'vitest' | 'jest' | 'mocha',
  file: TestFile,
  names: SentinelNames,
): string {
  const suffix = names.failing.replace(/\W/g, '_');
  const words = {
    test: `test_${suffix}`,
    check: `check_${suffix}`,
    chai: `chai_${suffix}`,
    passing: JSON.stringify(names.passing),
    failing: JSON.stringify(names.failing),
  };
  const [first = '', ...lines] = SENTINELS[runner](file, words);
  return `\n;${[first, ...lines].join('\n')}\n`;
}

const SENTINELS = { vitest: vitestLines, 'node:test': nodeLines, jest: jestLines, mocha: mochaLines };

function vitestLines(_file: TestFile, { test, check, passing, failing }: Words): string[] {
  return [
    `import { test as ${test}, expect as ${check} } from 'vitest';`,
    `${test}(${passing}, async () => { ${check}(1, ${passing}).toBe(1); ${expectArmed(check)} });`,
    `${test}(${failing}, () => { ${check}(1, ${failing}).toBe(2); });`,
  ];
}

function nodeLines(file: TestFile, { test, check, passing, failing }: Words): string[] {
  const load = isModule(file)
    ? [`import { test as ${test} } from 'node:test';`, `import * as ${check} from 'node:assert';`]
    : [`const { test: ${test} } = require('node:test');`, `const ${check} = require('node:assert');`];
  return [
    ...load,
    `${test}(${passing}, async () => { ${check}.strictEqual(1, 1, ${passing}); ${assertArmed(check)} });`,
    `${test}(${failing}, () => { ${check}.strictEqual(1, 2, ${failing}); });`,
  ];
}

/**
 * Jest's globals, or, since a configuration may not give them, what the file itself takes them from. Its `expect` has no
 * message, so the name is the value that is wrong.
 */
function jestLines(file: TestFile, { test, check, chai, passing, failing }: Words): string[] {
  const names = `{ test: ${test}, expect: ${check} }`;
  const load = /\bfrom\s*['"]@jest\/globals['"]/.test(file.text)
    ? `import ${names.replaceAll(':', ' as')} from '@jest/globals';`
    : /\brequire\(\s*['"]@jest\/globals['"]\s*\)/.test(file.text)
      ? `const ${names} = require('@jest/globals');`
      : `const ${names} = globalThis;`;
  return untyped([
    load,
    ...loadChai(file, chai),
    `${test}(${passing}, async () => { ${check}(1).toBe(1); ${expectArmed(check)} ${chaiArmed(file, chai)} });`,
    `${test}(${failing}, () => { ${check}(${failing}).toBe(''); });`,
  ]);
}

/** In whichever interface: `it` of bdd, `test` of tdd and qunit, else the module's own exports. */
function mochaLines(file: TestFile, { test, check, chai, passing, failing }: Words): string[] {
  const load = isModule(file)
    ? `import * as ${check} from 'node:assert';`
    : `const ${check} = require('node:assert');`;
  return untyped([
    load,
    ...loadChai(file, chai),
    `const ${test} = globalThis.it ?? globalThis.test ?? ((name, body) => { module.exports[name] = body; });`,
    `${test}(${passing}, async () => { ${check}.strictEqual(1, 1, ${passing}); ${assertArmed(check)} ${chaiArmed(file, chai)} });`,
    `${test}(${failing}, () => { ${check}.strictEqual(1, 2, ${failing}); });`,
  ]);
}

/** Compilers that check types as they go refuse what has none. */
const untyped = (lines: readonly string[]): string[] => lines.flatMap(line => ['// @ts-ignore', line]);

const expectArmed = (check: string): string =>
  stillArmed(`(name, [value, ...more]) => ${check}(value)[name](...more)`, EXPECT_CHECKS);

const assertArmed = (check: string): string =>
  `for (const assert of [${check}, ${check}.default ?? ${check}, ${check}.strict]) ${stillArmed('(name, values) => assert[name](...values)', NODE_CHECKS)}`;

const LOADS_CHAI = /\bfrom\s*['"]chai['"]|\brequire\(\s*['"]chai['"]\s*\)/;

const loadChai = (file: TestFile, chai: string): string[] => {
  if (!LOADS_CHAI.test(file.text)) return [];
  return [isModule(file) ? `import * as ${chai} from 'chai';` : `const ${chai} = require('chai');`];
};

const chaiArmed = (file: TestFile, chai: string): string =>
  LOADS_CHAI.test(file.text)
    ? stillArmed(
        `(name, [value, ...more]) => { const to = (${chai}.default ?? ${chai}).expect(value).to; return typeof to[name] === 'function' ? to[name](...more) : undefined; }`,
        CHAI_CHECKS,
      )
    : '';

/** By extension, else by how the file itself loads node:test, else by any import or export. */
function isModule({ path, text }: TestFile): boolean {
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
