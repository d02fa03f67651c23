import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { detectRunner } from '../../src/test-runners/detect.ts';
import { mocha } from '../../src/test-runners/mocha.ts';
import type { RunTestsOptions } from '../../src/test-runners/run-tests.ts';
import { fixtureFiles, type LocalProject, linkPackages, openProject, outcomes } from './local-project.ts';

const names = { passing: 'redgreen-pass-1f', failing: 'redgreen-fail-2e' };
const bin = dirname(process.execPath);

function open(files: Readonly<Record<string, string>> = {}, fixture = 'mocha-cjs'): LocalProject {
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
  const project = open({ 'package.json': '{}', 'test/one.js': text, ...files }, '');
  return project.run(mocha, { files: ['test/one.js'], ...options });
}

/** The same with the planted tests in it. */
async function runWithSentinels(
  path: string,
  text: string,
  testCommand?: string,
  files: Readonly<Record<string, string>> = {},
) {
  const planted = text + mocha.sentinel({ path, text }, names);
  const project = open({ 'package.json': '{}', [path]: planted, ...files }, '');
  return project.run(mocha, { files: [path], sentinels: { ...names, files: [path] }, testCommand });
}

describe('mocha', () => {
  it('tells every outcome of a suite apart, past the reporter of the script and bail of the configuration', async () => {
    const found = await detectRunner(fixtureFiles('mocha-cjs'), {});
    if (!found.runner) throw new Error(found.looked.join('\n'));
    expect(found.why).toBe('the test script is `mocha --reporter dot`');
    const project = open();
    const run = await project.run(found.runner, { testCommand: found.testCommand });
    expect(run.problem).toBeUndefined();
    expect(run.command).toBe('mocha');
    expect(outcomes(run)).toEqual({
      multiplies: 'passed',
      'area > passes': 'passed',
      'area > is wrong': 'assertion',
      'is not there yet': 'not-implemented',
      'throws for text': 'not-implemented',
      'uses a function that does not exist': 'missing-symbol',
      'throws no error': 'error',
      'is skipped': 'skipped',
      'is planned': 'skipped',
      'skips itself': 'skipped',
      'is slow': 'timeout',
      twin: 'passed',
      'twin #2': 'passed',
      'passes at the second attempt': 'passed',
      'before > waits': 'not-implemented',
      'before > waits not': 'skipped',
      'before > inner > waits too': 'not-implemented',
      'beforeEach > comes before': 'passed',
      'beforeEach > is hit': 'not-implemented',
      'beforeEach > comes after': 'not-implemented',
      'after > is done': 'passed',
    });
    expect(run.report?.fileErrors).toEqual([
      {
        file: 'test/outcomes.test.js',
        message: 'after > "after all" hook for "is done": not implemented: perimeter',
      },
    ]);
    const wrong = run.report?.cases.find(test => test.name === 'area > is wrong');
    expect(wrong).toMatchObject({
      id: 'test/outcomes.test.js::area > is wrong',
      line: 9,
      failure: { expected: '2', received: '1' },
    });
    expect(wrong?.failure?.stack).not.toContain(project.workdir);
    expect(run.log).toContain('a test that talks');
    expect(run.log).toContain('is not there yet');
  });

  it('runs only the selected file, although the configuration adds others, and what `file` names', async () => {
    const files = {
      'package.json': '{"mocha":{"spec":"test/**/*.js","file":["init.js"]}}',
      'init.js': 'globalThis.ready = true;\n',
      'test/broken.js': 'not JavaScript',
    };
    const run = await runOne("it('a', () => { if (!globalThis.ready) throw new Error('no'); });\n", files, {
      testCommand: 'mocha --spec test/broken.js',
    });
    expect(run.command).toBe('mocha test/one.js');
    expect(run.exit).toEqual({ kind: 'code', code: 0 });
    expect(outcomes(run)).toEqual({ a: 'passed' });
  });

  it.each([
    [
      'a syntax error',
      'test/one.js',
      "it('a', () => {;\n",
      'test/one.js:2: SyntaxError: Unexpected end of input',
    ],
    [
      'a missing module',
      'test/one.js',
      "require('../gone.js');\n",
      expect.stringMatching(/^Error: Cannot find module/),
    ],
    [
      'a missing export',
      'test/one.mjs',
      "import { gone } from '../there.mjs';\nit('a', gone);\n",
      "SyntaxError: The requested module '../there.mjs' does not provide an export named 'gone'",
    ],
  ])('reports a file with %s, for which nothing runs', async (_what, path, text, message) => {
    const files = { [path]: text, 'there.mjs': 'export {};\n', 'test/ok.js': "it('b', () => {});\n" };
    const project = open({ 'package.json': '{}', ...files }, '');
    const run = await project.run(mocha, { testCommand: "mocha 'test/*'" });
    expect(run.problem).toBeUndefined();
    expect(run.report).toEqual({
      cases: [],
      fileErrors: [
        { file: path, message },
        { file: 'mocha', message: `no test ran, since ${path} could not be loaded` },
      ],
    });
    const alone = await project.run(mocha, { files: ['test/ok.js'] });
    expect(outcomes(alone)).toEqual({ b: 'passed' });
  });

  it('gives every test the error of a root hook', async () => {
    const files = {
      'test/other.js': "describe('g', () => it('b', () => {}));\n",
      'hooks.js': "exports.mochaHooks = { beforeAll() { throw new Error('no database'); } };\n",
    };
    for (const testCommand of ['mocha --require ./hooks.js', 'mocha -r ./hooks.js -g a']) {
      const run = await runOne("it('a', () => {});\n", files, { files: [], testCommand });
      const failed = run.report?.cases.map(test => [test.file, test.name, test.failure?.message]);
      expect(failed).toEqual([
        ['test/one.js', 'a', 'no database'],
        ...(testCommand.includes('-g') ? [] : [['test/other.js', 'g > b', 'no database']]),
      ]);
    }
  });

  it('reports a test that leaves the process, with those that ran before it', async () => {
    const run = await runOne("it('a', () => {});\nit('b', () => process.exit(0));\nit('c', () => {});\n");
    expect(outcomes(run)).toEqual({ a: 'passed' });
    expect(run.report?.fileErrors).toEqual([
      { file: 'test/one.js', message: 'left before its tests had run' },
    ]);
  });

  it('counts a test once that passed first and failed later', async () => {
    const run = await runOne("it('a', done => { done(); done(); });\n");
    expect(outcomes(run)).toEqual({ a: 'error' });
    expect(run.problem).toBeUndefined();
  });

  it('reports an error that comes after the run, which the planted failure would hide', async () => {
    const text = "it('a', () => { setTimeout(() => { throw new Error('late'); }, 30); });\n";
    const run = await runWithSentinels('test/one.js', text);
    expect(run.sentinels).toEqual({ honest: true });
    expect(run.report?.fileErrors).toEqual([{ file: 'mocha', message: 'outside of a test: late' }]);
  });

  it('runs in parallel as the repository does, and reports broken files and dying workers', async () => {
    const files = {
      'test/hook.js':
        "describe('g', () => { before(() => { throw new Error('no'); }); it('b', () => {}); });\n",
      'test/syntax.js': 'not JavaScript',
    };
    const run = await runOne("it('a', () => {});\nit.skip('s', () => {});\n", files, {
      files: [],
      testCommand: 'mocha --parallel',
    });
    expect(run.problem).toBeUndefined();
    expect(outcomes(run)).toEqual({ a: 'passed', s: 'skipped' });
    expect(run.report?.fileErrors.map(error => error.file).sort()).toEqual([
      'test/hook.js',
      'test/syntax.js',
    ]);
    const dying = await runOne(
      "it('a', () => process.kill(process.pid, 'SIGKILL'));\n",
      {},
      { testCommand: 'mocha --parallel' },
    );
    expect(dying.report?.fileErrors).toHaveLength(1);
    expect(dying.report?.cases).toEqual([]);
  });

  it('stops a hanging test at the time-out, and says so when nothing was found', async () => {
    const hanging = await runOne("it('a', () => { for (;;); });\n", {}, { timeoutMs: 2_000 });
    expect(hanging.problem).toBe('the test run was stopped after 2 s');
    const nothing = await runOne('', {}, { files: ['test/absent.js'] });
    expect(nothing.problem).toBe('the test run wrote no report (exit code 1)');
  });

  it('keeps its report from a mocha that a test starts', async () => {
    const files = {
      'other/two.js': "it('two', () => {});\n",
      'check.sh': 'mocha test/one.js\n',
    };
    const text =
      "const { execFileSync } = require('node:child_process');\nit('a', () => { execFileSync(process.execPath, [process.argv[1], 'other/two.js']); });\n";
    const run = await runOne(text, files, { testCommand: 'sh check.sh', files: [] });
    expect(run.problem).toBeUndefined();
    expect(outcomes(run)).toEqual({ a: 'passed' });
  });

  it('gives its reporter through the environment to a command that it can not read', async () => {
    const run = await runOne(
      "it('a', () => {});\n",
      { 'check.sh': 'mocha test/one.js\n' },
      { testCommand: 'sh check.sh', files: [] },
    );
    expect(run.problem).toBeUndefined();
    expect(outcomes(run)).toEqual({ a: 'passed' });
    expect(run.command).toBe('sh check.sh');
  });

  const chai = "import { expect } from 'chai';\nit('a', () => { expect(1).to.equal(1); });\n";
  it.each([
    ['bdd', 'test/one.js', "it('a', () => {});\n", undefined],
    ['tdd', 'test/one.js', "test('a', () => {});\n", 'npx mocha --ui tdd'],
    ['exports', 'test/one.js', 'exports.a = () => {};\n', 'mocha -u exports'],
    ['the module mocha', 'test/one.js', "const { it } = require('mocha');\nit('a', () => {});\n", undefined],
    ['chai in a module', 'test/one.mjs', chai, undefined],
    ['TypeScript', 'test/one.ts', "const n: number = 1;\nit('a', () => { n.toFixed(); });\n", undefined],
    [
      'a module',
      'test/one.js',
      "import 'node:path';\nit('a', () => {});\n",
      'mocha --parallel',
      '{"type":"module"}',
    ],
  ])('finds honest sentinels among tests of %s', async (_what, path, text, testCommand, manifest = '{}') => {
    const run = await runWithSentinels(path, text, testCommand, { 'package.json': manifest });
    expect(run.sentinels).toEqual({ honest: true });
    expect(run.problem).toBeUndefined();
    expect(outcomes(run)).toEqual({ a: 'passed' });
  });

  it.each([
    [
      'disarms node:assert',
      "const assert = require('node:assert');\nassert.throws = () => {};\nit('a', () => {});\n",
      'not reported as passed',
    ],
    [
      'disarms chai, which it loads',
      "const chai = require('chai');\nchai.Assertion.overwriteMethod('match', () => function () {});\nit('a', () => {});\n",
      'not reported as passed',
    ],
    ['runs nothing but its own', "it.only('a', () => {});\n", 'was not reported'],
    ['leaves', "it('a', () => process.exit(0));\n", 'did not run: left before'],
  ])('finds out when a test file %s', async (_what, text, reason) => {
    const run = await runWithSentinels('test/one.js', text);
    expect(run.sentinels).toEqual({ honest: false, reason: expect.stringContaining(reason) });
  });
});
