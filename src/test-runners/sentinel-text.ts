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
      `${test}(${passing}, () => { ${check}(1, ${passing}).toBe(1); });`,
      `${test}(${failing}, () => { ${check}(1, ${failing}).toBe(2); });\n`,
    ].join('\n');
  }
  const load = isModule(file)
    ? `import { test as ${test} } from 'node:test';\nimport * as ${check} from 'node:assert';`
    : `const { test: ${test} } = require('node:test');\nconst ${check} = require('node:assert');`;
  return [
    `\n;${load}`,
    `${test}(${passing}, () => { ${check}.strictEqual(1, 1, ${passing}); });`,
    `${test}(${failing}, () => { ${check}.strictEqual(1, 2, ${failing}); });\n`,
  ].join('\n');
}

/** By extension, else by how the file itself loads node:test, else by any import or export. */
function isModule({ path, text }: { readonly path: string; readonly text: string }): boolean {
  if (/\.m[jt]s$/.test(path)) return true;
  if (/\.c[jt]s$/.test(path)) return false;
  if (/\bfrom\s*['"](node:)?(test|assert)(\/strict)?['"]/.test(text)) return true;
  if (/\brequire\(\s*['"](node:)?(test|assert)(\/strict)?['"]\s*\)/.test(text)) return false;
  return /^\s*(import\b(?!\s*\()|export\b)/m.test(text);
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
