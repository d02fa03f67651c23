import { dirname } from 'node:path';
import { expect, it } from 'vitest';
import { javascriptSentinel } from '../../src/test-runners/sentinel-text.ts';
import { linkPackages, openProject } from './local-project.ts';

const names = { passing: 'redgreen-pass-1f', failing: 'redgreen-fail-2e' };

/** As ts-jest and ts-node do before they run anything. */
it.each([
  [
    'jest',
    'a.test.ts',
    "import { expect, test } from '@jest/globals';\ntest('a', () => expect(1).toBe(1));\n",
  ],
  ['jest', 'a.test.ts', 'export const a: number = 1;\n'],
  ['mocha', 'a.test.ts', "import { expect } from 'chai';\nexport const a: unknown = expect(1);\n"],
  ['mocha', 'a.test.cts', 'const a: number = 1;\na.toFixed();\n'],
] as const)(
  'what is planted for %s passes a strict compiler that knows no types of it (%s, %j)',
  async (runner, path, text) => {
    const project = openProject('', {
      bin: dirname(process.execPath),
      files: {
        'package.json': '{"type":"module"}',
        [path]: text + javascriptSentinel(runner, { path, text }, names),
      },
    });
    linkPackages(project);
    const script = `node_modules/.bin/tsc --noEmit --strict --skipLibCheck --noUncheckedIndexedAccess --module nodenext --target es2024 --types "" ${path}`;
    const { stdout, exit } = await project.shell({ script });
    expect(stdout.toString()).toBe('');
    expect(exit).toEqual({ kind: 'code', code: 0 });
  },
);

it.each(['node:test', 'vitest', 'jest', 'mocha'] as const)(
  'what is planted for %s keeps the line numbers of the file',
  runner => {
    const text = "import 'node:path';\ntest('a', () => {});";
    expect(text + javascriptSentinel(runner, { path: 'a.js', text }, names)).toMatch(
      /^import 'node:path';\ntest\('a', \(\) => \{\}\);\n;/,
    );
  },
);
