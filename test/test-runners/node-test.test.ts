import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { detectRunner } from '../../src/test-runners/detect.ts';
import { nodeTest } from '../../src/test-runners/node-test.ts';
import { fixtureFiles, openProject, outcomes } from './local-project.ts';

// Every Node that this machine has: the one of this repository and, where there is one, the system's.
const nodes = new Map(
  [process.execPath, '/usr/bin/node', '/usr/local/bin/node']
    .filter(path => existsSync(path))
    .map(path => [execFileSync(path, ['--version'], { encoding: 'utf8' }).trim(), dirname(path)]),
);
const names = { passing: 'redgreen-pass-1f', failing: 'redgreen-fail-2e' };

describe.each([...nodes])('node:test on Node %s', (version, bin) => {
  const major = Number(/\d+/.exec(version)?.[0]);

  it('tells every outcome of a suite apart', async () => {
    const project = openProject('node-esm', { bin });
    const { testCommand } = await detected('node-esm');
    const run = await project.run(nodeTest, { testCommand });
    expect(run.problem).toBeUndefined();
    expect(run.report?.fileErrors).toEqual([]);
    expect(outcomes(run)).toEqual({
      adds: 'passed',
      'math > passes': 'passed',
      'math > is wrong': 'assertion',
      'math > triple > is not there yet': 'not-implemented',
      'math > triple > throws for text': 'not-implemented',
      'uses a function that does not exist': 'missing-symbol',
      'throws something else': 'error',
      'throws no error': 'error',
      'is skipped': 'skipped',
      'is planned': 'todo',
      'is slow': 'timeout',
      twin: 'passed',
      'twin #2': 'passed',
      'has parts > one part': 'assertion',
      'has parts': 'assertion',
    });
    const wrong = run.report?.cases.find(test => test.name === 'math > is wrong');
    expect(wrong).toMatchObject({
      id: 'test/outcomes.test.js::math > is wrong',
      file: 'test/outcomes.test.js',
      line: 9,
      failure: { expected: '3', received: '2' },
    });
    expect(wrong?.failure?.stack).toContain('test/outcomes.test.js:9:');
    expect(wrong?.failure?.stack).not.toContain(project.workdir);
    expect(run.command).toBe('node --test test/outcomes.test.js test/math.test.js');
    expect(run.reportSha256).toMatch(/^[0-9a-f]{64}$/);
    expect(run.log).toContain('is wrong');
  });

  it('runs only the selected file, in place of the paths of the script', async () => {
    const project = openProject('node-esm', { bin });
    const { testCommand } = await detected('node-esm');
    const run = await project.run(nodeTest, { testCommand, files: ['test/math.test.js'] });
    expect(run.exit).toEqual({ kind: 'code', code: 0 });
    expect(run.problem).toBeUndefined();
    expect(outcomes(run)).toEqual({ adds: 'passed' });
  });

  it('reports a file that can not be imported', async () => {
    const files = { 'test/broken.test.js': "import { sub } from '../src/math.js';\nsub();\n" };
    const run = await openProject('node-esm', { bin, files }).run(nodeTest, {
      files: ['test/broken.test.js'],
    });
    expect(run.problem).toBeUndefined();
    expect(run.report?.cases).toEqual([]);
    expect(run.report?.fileErrors).toEqual([
      {
        file: 'test/broken.test.js',
        message: expect.stringMatching(/^SyntaxError: .*does not provide an export/),
      },
    ]);
  });

  it.each([
    ['at once', "import test from 'node:test';\nprocess.exit(0);\ntest('never', () => {});\n"],
    [
      'in a test',
      "import test from 'node:test';\ntest('a', () => {});\ntest('b', () => process.exit(0));\ntest('c', () => {});\n",
    ],
    [
      'after some tests were reported',
      "import test from 'node:test';\ntest('a', () => {});\ntest('b', () => new Promise(done => setTimeout(() => process.exit(0), 100)));\ntest('c', () => {});\n",
    ],
  ])('reports a file that leaves %s', async (_when, text) => {
    const run = await openProject('node-esm', { bin, files: { 'test/exit.test.js': text } }).run(nodeTest, {
      files: ['test/exit.test.js'],
    });
    expect(run.report?.fileErrors).toEqual([
      { file: 'test/exit.test.js', message: expect.stringContaining('left before its tests had run') },
    ]);
  });

  it.runIf(major >= 22)('reports a file that leaves between two tests', async () => {
    const text =
      "import test from 'node:test';\nawait test('a', () => {});\nawait new Promise(done => setTimeout(done, 100));\nprocess.exit(0);\n";
    const run = await openProject('node-esm', { bin, files: { 'test/exit.test.js': text } }).run(nodeTest, {
      files: ['test/exit.test.js'],
    });
    expect(run.report?.fileErrors).toHaveLength(1);
  });

  it('gives the tests of a failed hook its error', async () => {
    const text = `import { before, describe, it } from 'node:test';
import { triple } from '../src/math.js';
describe('all', () => {
  before(() => triple());
  it('waits', () => {});
});
describe('body', () => {
  throw new Error('no group');
});
`;
    const run = await openProject('node-esm', { bin, files: { 'test/hook.test.js': text } }).run(nodeTest, {
      files: ['test/hook.test.js'],
    });
    expect(outcomes(run)).toEqual({ 'all > waits': 'not-implemented' });
    expect(run.report?.fileErrors).toEqual([{ file: 'test/hook.test.js', message: 'body: no group' }]);
  });

  it('reports an error that comes after its test had ended', async () => {
    const text =
      "import test from 'node:test';\ntest('a', () => { setTimeout(() => { throw new Error('late'); }, 5); });\n";
    const run = await openProject('node-esm', { bin, files: { 'test/late.test.js': text } }).run(nodeTest, {
      files: ['test/late.test.js'],
    });
    expect(run.report?.fileErrors).toContainEqual({
      // Node 20 does not say of which file it speaks.
      file: major >= 22 ? 'test/late.test.js' : 'node:test',
      message: expect.stringContaining('Error: late'),
    });
    expect(run.problem).toBeUndefined();
  });

  it('stops a hanging test at the time-out and has no report then', async () => {
    const files = {
      'test/hang.test.js': "import test from 'node:test';\ntest('hangs', () => { for (;;); });\n",
    };
    const run = await openProject('node-esm', { bin, files }).run(nodeTest, {
      files: ['test/hang.test.js'],
      timeoutMs: 1_000,
    });
    expect(run.exit).toEqual({ kind: 'timeout', timeoutMs: 1_000 });
    expect(run.report).toBeUndefined();
    expect(run.problem).toBe('the test run was stopped after 1 s');
  });

  it('says so when there are no tests', async () => {
    const run = await openProject('', { bin, files: { 'package.json': '{}' } }).run(nodeTest);
    expect(run.problem).toMatch(/no tests ran|wrote no report/);
  });

  it('finds honest sentinels in modules and in CommonJS files, and keeps them out of the report', async () => {
    for (const [fixture, file] of [
      ['node-esm', 'test/math.test.js'],
      ['node-cjs', 'test/upper.test.js'],
    ] as const) {
      const project = openProject(fixture, { bin });
      const text = project.text(file);
      project.write(file, text + nodeTest.sentinel({ path: file, text }, names));
      const run = await project.run(nodeTest, { files: [file], sentinels: { ...names, files: [file] } });
      expect(run.sentinels).toEqual({ honest: true });
      expect(run.problem).toBeUndefined();
      expect(run.report?.cases).toHaveLength(1);
    }
  });

  it('finds out when a test file disarms assertions or leaves before the sentinels', async () => {
    const disarmed =
      "import test from 'node:test';\nimport assert from 'node:assert';\nassert.strictEqual = () => {};\nassert.AssertionError = Error;\nimport { syncBuiltinESMExports } from 'node:module';\nsyncBuiltinESMExports();\ntest('a', () => {});\n";
    const leaving = "import test from 'node:test';\ntest('a', () => process.exit(0));\n";
    for (const [text, reason] of [
      [disarmed, 'the planted test that passes was not reported as passed'],
      [leaving, 'did not run: left before its tests had run, or has none'],
    ] as const) {
      const path = 'test/sly.test.js';
      const files = { [path]: text + nodeTest.sentinel({ path, text }, names) };
      const run = await openProject('node-esm', { bin, files }).run(nodeTest, {
        files: [path],
        sentinels: { ...names, files: [path] },
      });
      expect(run.sentinels).toEqual({ honest: false, reason: `${path}: ${reason}` });
    }
  });

  it('gives its reporter through the environment to a command that it can not read', async () => {
    const files = { 'check.sh': 'set -e\nnode --test test/math.test.js\n' };
    const run = await openProject('node-esm', { bin, files }).run(nodeTest, { testCommand: 'sh check.sh' });
    expect(run.problem).toBeUndefined();
    expect(outcomes(run)).toEqual({ adds: 'passed' });
    expect(run.command).toBe('sh check.sh');
  });

  it.runIf(major >= 22)('runs TypeScript with the flags of the script, its sentinels too', async () => {
    const project = openProject('node-ts', { bin });
    const { testCommand, why } = await detected('node-ts');
    expect(why).toContain('node --experimental-strip-types');
    const suite = await project.run(nodeTest, { testCommand });
    expect(outcomes(suite)).toEqual({ halves: 'passed', 'is wrong about odd numbers': 'assertion' });
    expect(suite.problem).toBeUndefined();
    const path = 'test/half.test.ts';
    const text = project.text(path);
    project.write(path, text + nodeTest.sentinel({ path, text }, names));
    const run = await project.run(nodeTest, {
      testCommand,
      files: [path],
      sentinels: { ...names, files: [path] },
    });
    expect(run.sentinels).toEqual({ honest: true });
    expect(outcomes(run)).toEqual({ halves: 'passed', 'is wrong about odd numbers': 'assertion' });
  });
});

async function detected(fixture: string) {
  const found = await detectRunner(fixtureFiles(fixture), {});
  if (!found.runner) throw new Error(found.looked.join('\n'));
  expect(found.runner.name).toBe('node:test');
  return found;
}
