import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { detectRunner } from '../../src/test-runners/detect.ts';
import { jest } from '../../src/test-runners/jest.ts';
import type { RunTestsOptions } from '../../src/test-runners/run-tests.ts';
import { fixtureFiles, type LocalProject, linkPackages, openProject, outcomes } from './local-project.ts';

const names = { passing: 'redgreen-pass-1f', failing: 'redgreen-fail-2e' };
const bin = dirname(process.execPath);

function open(files: Readonly<Record<string, string>> = {}, fixture = 'jest-cjs'): LocalProject {
  const project = openProject(fixture, { bin, files });
  linkPackages(project);
  return project;
}

/** A project of one test file, and what its run came to. */
async function runOne(
  text: string,
  files: Readonly<Record<string, string>> = {},
  options: Partial<RunTestsOptions> = {},
) {
  const project = open({ 'package.json': '{}', 'test/one.test.js': text, ...files }, '');
  return project.run(jest, { files: ['test/one.test.js'], ...options });
}

/** The same with the planted tests in it. */
async function runWithSentinels(
  text: string,
  files: Readonly<Record<string, string>> = {},
  testCommand?: string,
  path = 'test/one.test.js',
) {
  const planted = text + jest.sentinel({ path, text }, names);
  const project = open({ 'package.json': '{}', [path]: planted, ...files }, '');
  return project.run(jest, { files: [path], sentinels: { ...names, files: [path] }, testCommand });
}

describe('jest', () => {
  it('tells every outcome of a suite apart, past bail, coverage and exit code of the configuration', async () => {
    const found = await detectRunner(fixtureFiles('jest-cjs'), {});
    if (!found.runner) throw new Error(found.looked.join('\n'));
    expect(found.why).toBe('the test script is `NODE_ENV=test jest --coverage --bail`');
    const project = open();
    const run = await project.run(found.runner, { testCommand: found.testCommand });
    expect(run.problem).toBeUndefined();
    expect(run.exit).toEqual({ kind: 'code', code: 1 });
    expect(run.command).toBe('NODE_ENV=test jest');
    expect(run.report?.fileErrors).toEqual([]);
    expect(outcomes(run)).toEqual({
      multiplies: 'passed',
      'area > passes': 'passed',
      'area > is wrong': 'assertion',
      'area > is wrong inside': 'assertion',
      'area > is wrong by node:assert': 'assertion',
      'is not there yet': 'not-implemented',
      'throws for text': 'not-implemented',
      'throws something that is not there': 'missing-symbol',
      'uses a function that does not exist': 'missing-symbol',
      'throws no error': 'error',
      'is skipped': 'skipped',
      'is planned': 'todo',
      'is slow': 'timeout',
      'has a new snapshot': 'assertion',
      'each 1': 'passed',
      'each 1 #2': 'passed',
      'hook > waits': 'not-implemented',
    });
    const named = (name: string) => run.report?.cases.find(test => test.name === name);
    expect(named('area > is wrong')).toMatchObject({
      id: 'test/outcomes.test.js::area > is wrong',
      line: 9,
      failure: { expected: '2', received: '1' },
    });
    expect(named('area > is wrong inside')?.failure).toMatchObject({
      expected: '{ size: 2 }',
      received: '{ size: 1 }',
    });
    expect(named('area > is wrong by node:assert')?.failure).toMatchObject({ expected: '2', received: '1' });
    expect(named('throws for text')?.failure?.message).not.toContain('geometry.volume');
    expect(named('area > passes')?.line).toBe(5);
    expect(named('area > is wrong')?.failure?.stack).not.toContain(project.workdir);
    expect(run.log).toContain('a test that talks');
    const { stdout } = await project.shell({
      script: 'ls; find . -name __snapshots__ -not -path "./node_modules/*"',
    });
    expect(stdout.toString()).toBe('node_modules\npackage.json\nsrc\ntest\n');
  });

  it('runs only the selected file, in place of the selection of the script', async () => {
    const run = await open({ 'test/my-area.test.js': 'not JavaScript' }).run(jest, {
      testCommand: 'npx jest --projects . --testPathPatterns outcomes',
      files: ['test/area.test.js'],
    });
    expect(run.problem).toBeUndefined();
    expect(run.exit).toEqual({ kind: 'code', code: 0 });
    expect(outcomes(run)).toEqual({ multiplies: 'passed' });
  });

  it('reports files that can not be loaded, hold no tests, or fail in a hook after their tests', async () => {
    const files = {
      'test/gone.test.js': "require('../src/gone.js');\ntest('a', () => {});\n",
      'test/syntax.test.js': "test('a', () => {;\n",
      'test/none.test.js': '',
      'test/hook.test.js': "afterAll(() => { throw new Error('no'); });\ntest('a', () => {});\n",
    };
    const run = await open(files).run(jest, { files: Object.keys(files) });
    expect(run.problem).toBeUndefined();
    expect(outcomes(run)).toEqual({ a: 'passed' });
    const errors = new Map(run.report?.fileErrors.map(error => [error.file, error.message]));
    expect(Object.fromEntries(errors)).toEqual({
      'test/gone.test.js': expect.stringContaining("Cannot find module '../src/gone.js'"),
      'test/syntax.test.js': expect.stringContaining('unexpected token'),
      'test/none.test.js': 'Your test suite must contain at least one test.',
      'test/hook.test.js': expect.stringMatching(/^Error: no\n\s+at .*test\/hook.test.js:1:/),
    });
  });

  const leaving = "test('a', () => {});\ntest('b', () => process.exit(0));\ntest('c', () => {});\n";

  it('reports a test that leaves the process', async () => {
    const run = await runOne(leaving);
    expect(run.exit).toEqual({ kind: 'code', code: 0 });
    expect(run.report).toEqual({
      cases: [],
      fileErrors: [
        { file: 'test/one.test.js', message: 'left before its tests had run' },
        { file: 'jest', message: 'the test process left before all test files had run' },
      ],
    });
  });

  it('reports a worker that dies, and the files of the others', async () => {
    const dying = leaving.replace('process.exit(0)', "process.kill(process.pid, 'SIGKILL')");
    const files = { 'test/other.test.js': "test('d', () => {});\n" };
    const run = await runOne(dying, files, { files: [], testCommand: 'jest --maxWorkers=2' });
    expect(outcomes(run)).toEqual({ d: 'passed' });
    expect(run.report?.fileErrors).toEqual([
      { file: 'test/one.test.js', message: expect.stringContaining('signal=SIGKILL') },
    ]);
  });

  it('reports an error that comes after the run, which the planted failure would hide', async () => {
    const run = await runWithSentinels(
      "test('a', () => { setTimeout(() => { throw new Error('late'); }, 30); });\n",
    );
    expect(run.sentinels).toEqual({ honest: true });
    expect(run.report?.fileErrors).toEqual([
      { file: 'jest', message: expect.stringMatching(/^outside of a test: Error: late\n/) },
    ]);
  });

  it('names the snapshots that no test uses any more, for which jest fails', async () => {
    const files = {
      'test/__snapshots__/one.test.js.snap':
        '// Jest Snapshot v1, https://jestjs.io/docs/snapshot-testing\n\nexports[`old 1`] = `1`;\n',
      'test/__snapshots__/gone.test.js.snap': '// Jest Snapshot v1\n',
    };
    const run = await runOne("test('a', () => {});\n", files, { files: [] });
    expect(run.exit).toEqual({ kind: 'code', code: 1 });
    expect(run.problem).toBeUndefined();
    expect(run.report?.fileErrors.map(error => error.file)).toEqual([
      'test/__snapshots__/one.test.js.snap',
      'test/__snapshots__/gone.test.js.snap',
    ]);
  });

  it('keeps the tests of several projects apart, whichever ends first', async () => {
    const project = (name: string) => `{ displayName: '${name}', testMatch: ['**/*.test.js'] }`;
    const files = {
      'jest.config.js': `module.exports = { projects: [${project('b')}, ${project('a')}] };\n`,
    };
    const run = await runOne("test('twin', () => {});\ntest('twin', () => {});\n", files);
    expect(Object.keys(outcomes(run))).toEqual([
      '[a] > twin',
      '[a] > twin #2',
      '[b] > twin',
      '[b] > twin #2',
    ]);
  });

  it('takes the last of several attempts, the words of custom matchers, and circular values', async () => {
    const text = `jest.retryTimes(2);
let attempts = 0;
test('third time lucky', () => expect(++attempts).toBe(3));
expect.extend({ toBeEven: () => ({ pass: false, message: () => 'not at all even' }) });
test('custom', () => expect(1).toBeEven());
test('circular', () => { const ring = {}; ring.self = ring; expect(ring).toEqual({ self: 10n }); });
test('rejected', () => expect(Promise.reject(new TypeError('x is not a function'))).resolves.toBe(1));
`;
    const run = await runOne(text);
    expect(outcomes(run)).toEqual({
      'third time lucky': 'passed',
      custom: 'assertion',
      circular: 'assertion',
      rejected: 'missing-symbol',
    });
  });

  it('has no report when jest finds no such test file, and shows why', async () => {
    const files = { 'jest.config.js': "module.exports = { testMatch: ['**/checks/*.js'] };\n" };
    const run = await runOne("test('a', () => {});\n", files);
    expect(run.problem).toBe('the test run wrote no report (exit code 1)');
    expect(run.log).toContain('No tests found');
  });

  it('stops a hanging test at the time-out', async () => {
    const run = await runOne("test('a', () => { for (;;); });\n", {}, { timeoutMs: 3_000 });
    expect(run).toMatchObject({ exit: { kind: 'timeout' }, problem: 'the test run was stopped after 3 s' });
  });

  const esm = { 'package.json': '{"type":"module"}', 'src/half.js': 'export const half = x => x / 2;\n' };
  const throughNode = 'node --experimental-vm-modules node_modules/jest/bin/jest.js';
  it.each([
    ['globals', "test('a', () => expect(1).toBe(1));\n", {}, undefined],
    [
      'globals that the configuration does not give',
      "const { test, expect } = require('@jest/globals');\ntest('a', () => expect(1).toBe(1));\n",
      { 'jest.config.js': 'module.exports = { injectGlobals: false };\n' },
      undefined,
    ],
    [
      'modules',
      "import { half } from '../src/half.js';\ntest('a', () => expect(half(2)).toBe(1));\n",
      { ...esm, 'jest.config.js': 'export default { transform: {} };\n' },
      'NODE_OPTIONS="$NODE_OPTIONS --experimental-vm-modules" npx jest',
    ],
    [
      'modules without globals',
      "import { test, expect } from '@jest/globals';\nimport { half } from '../src/half.js';\ntest('a', () => expect(half(2)).toBe(1));\n",
      { ...esm, 'jest.config.js': 'export default { transform: {}, injectGlobals: false };\n' },
      throughNode,
    ],
  ])('finds honest sentinels among tests with %s', async (_what, text, files, testCommand) => {
    const run = await runWithSentinels(text, files, testCommand);
    expect(run.sentinels).toEqual({ honest: true });
    expect(run.problem).toBeUndefined();
    expect(outcomes(run)).toEqual({ a: 'passed' });
  });

  it('finds honest sentinels in TypeScript, by the transformer of the repository', async () => {
    const files = {
      ...esm,
      'strip.cjs':
        "const { stripTypeScriptTypes } = require('node:module');\nmodule.exports = { process: code => ({ code: stripTypeScriptTypes(code) }) };\n",
      'jest.config.js':
        "export default { extensionsToTreatAsEsm: ['.ts'], transform: { '\\\\.ts$': './strip.cjs' } };\n",
    };
    const text =
      "import { half } from '../src/half.js';\nconst n: number = 2;\ntest('a', () => expect(half(n)).toBe(1));\n";
    const run = await runWithSentinels(text, files, throughNode, 'test/one.test.ts');
    expect(run.sentinels).toEqual({ honest: true });
    expect(outcomes(run)).toEqual({ a: 'passed' });
  });

  it.each([
    [
      'disarms expect',
      'const real = globalThis.expect;\nglobalThis.expect = value => ({ ...real(value), toBe() {} });\n',
      'not reported as passed',
    ],
    [
      'disarms a matcher that the sentinel itself does not need',
      'expect.extend({ toMatch: () => ({ pass: true, message: () => "" }) });\n',
      'not reported as passed',
    ],
    [
      'swallows tests',
      'const real = globalThis.test;\nglobalThis.test = (name, body) => real(name, () => {});\n',
      'reported as passed',
    ],
  ])('finds out when a set-up file %s', async (_what, setup, reason) => {
    const run = await runWithSentinels("test('a', () => {});\n", {
      'setup.js': setup,
      'jest.config.js': "module.exports = { setupFilesAfterEnv: ['./setup.js'] };\n",
    });
    expect(run.sentinels).toEqual({ honest: false, reason: expect.stringContaining(reason) });
  });

  it('runs Create React App’s and a command’s with {args}', async () => {
    const files = {
      'bin/react-scripts.cjs': "process.argv.splice(2, 1);\nrequire('../node_modules/jest/bin/jest.js');\n",
      'react-scripts': '#!/bin/sh\nexec node bin/react-scripts.cjs "$@"\n',
    };
    for (const testCommand of [
      './react-scripts test --watch',
      'sh ./react-scripts test {args}; true && exit 1',
    ]) {
      const project = open(
        { 'package.json': '{}', 'test/one.test.js': "test('a', () => expect(1).toBe(2));\n", ...files },
        '',
      );
      await project.shell({ script: 'chmod +x react-scripts' });
      const run = await project.run(jest, { testCommand, files: ['test/one.test.js'] });
      expect(outcomes(run)).toEqual({ a: 'assertion' });
    }
  });
});
