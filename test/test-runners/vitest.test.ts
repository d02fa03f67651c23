import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { detectRunner } from '../../src/test-runners/detect.ts';
import { vitest } from '../../src/test-runners/vitest.ts';
import { fixtureFiles, type LocalProject, linkPackages, openProject, outcomes } from './local-project.ts';

const names = { passing: 'redgreen-pass-1f', failing: 'redgreen-fail-2e' };
const bin = dirname(process.execPath);

function open(files: Readonly<Record<string, string>> = {}): LocalProject {
  const project = openProject('vitest-ts', { bin, files });
  linkPackages(project);
  return project;
}

describe('vitest', () => {
  it('tells every outcome of a suite apart, by the script of the repository', async () => {
    const found = await detectRunner(fixtureFiles('vitest-ts'), {});
    if (!found.runner) throw new Error(found.looked.join('\n'));
    expect(found.why).toBe('the test script is `vitest --coverage`');
    const project = open();
    const run = await project.run(found.runner, { testCommand: found.testCommand });
    expect(run.problem).toBeUndefined();
    expect(run.command).toBe('vitest run');
    expect(run.report?.fileErrors).toEqual([]);
    expect(outcomes(run)).toEqual({
      multiplies: 'passed',
      'area > passes': 'passed',
      'area > is wrong': 'assertion',
      'is not there yet': 'not-implemented',
      'throws for text': 'assertion',
      'uses a function that does not exist': 'missing-symbol',
      'throws no error': 'error',
      'is skipped': 'skipped',
      'is planned': 'todo',
      'is slow': 'timeout',
      twin: 'passed',
      'twin #2': 'passed',
    });
    const wrong = run.report?.cases.find(test => test.name === 'area > is wrong');
    expect(wrong).toMatchObject({
      id: 'test/outcomes.test.ts::area > is wrong',
      line: 7,
      failure: { expected: '2', received: '1' },
    });
    expect(wrong?.failure?.stack).toContain('at test/outcomes.test.ts:7:');
  });

  it('runs only the selected file, although vitest selects by substring', async () => {
    const text = "import { test } from 'vitest';\ntest('other', () => { throw new Error('x'); });\n";
    const run = await open({ 'sub/test/area.test.ts': text }).run(vitest, { files: ['test/area.test.ts'] });
    expect(outcomes(run)).toEqual({ multiplies: 'passed' });
  });

  it('reports files that can not be loaded, hold no tests, or fail in a hook', async () => {
    const files = {
      'test/gone.test.ts':
        "import { test } from 'vitest';\nimport { x } from '../src/gone.ts';\ntest('a', () => x());\n",
      'test/none.test.ts': 'export {};\n',
      'test/hook.test.ts':
        "import { beforeAll, test } from 'vitest';\nbeforeAll(() => { throw new Error('no'); });\ntest('a', () => {});\n",
    };
    const run = await open(files).run(vitest, { files: Object.keys(files) });
    expect(run.problem).toBeUndefined();
    expect(outcomes(run)).toEqual({ a: 'skipped' });
    expect(
      Object.fromEntries((run.report?.fileErrors ?? []).map(error => [error.file, error.message])),
    ).toEqual({
      'test/gone.test.ts': expect.stringContaining('../src/gone.ts'),
      'test/none.test.ts': expect.stringContaining('No test suite found'),
      'test/hook.test.ts': 'no',
    });
  });

  it('reports a test that leaves the process', async () => {
    const text = "import { test } from 'vitest';\ntest('a', () => process.exit(0));\ntest('b', () => {});\n";
    const run = await open({ 'test/exit.test.ts': text }).run(vitest, { files: ['test/exit.test.ts'] });
    expect(outcomes(run)).toEqual({ a: 'error', b: 'passed' });
    expect(run.problem).toBeUndefined();
  });

  it('reports an error outside of tests, which the planted failure would hide', async () => {
    const path = 'test/late.test.ts';
    const text =
      "import { test } from 'vitest';\ntest('a', () => { setTimeout(() => { throw new Error('late'); }, 1); });\ntest('b', () => new Promise(done => setTimeout(done, 30)));\n";
    const project = open({ [path]: text + vitest.sentinel({ path, text }, names) });
    const run = await project.run(vitest, { files: [path], sentinels: { ...names, files: [path] } });
    expect(outcomes(run)).toEqual({ a: 'passed', b: 'passed' });
    expect(run.report?.fileErrors).toEqual([{ file: path, message: 'outside of a test: late' }]);
    expect(run.sentinels).toEqual({ honest: true });
  });

  it('stops a hanging test at the time-out', async () => {
    const text = "import { test } from 'vitest';\ntest('a', () => { for (;;); });\n";
    const run = await open({ 'test/hang.test.ts': text }).run(vitest, {
      files: ['test/hang.test.ts'],
      timeoutMs: 2_000,
    });
    expect(run).toMatchObject({ exit: { kind: 'timeout' }, problem: 'the test run was stopped after 2 s' });
    expect(run.report).toBeUndefined();
  });

  it('says so when no tests were found', async () => {
    const run = await open().run(vitest, { files: ['test/absent.test.ts'] });
    expect(run.problem).toBe('no tests ran (exit code 1)');
  });

  it('finds honest sentinels and keeps them out of the report', async () => {
    const path = 'test/area.test.ts';
    const project = open();
    const text = project.text(path);
    project.write(path, text.trimEnd() + vitest.sentinel({ path, text }, names));
    const run = await project.run(vitest, { files: [path], sentinels: { ...names, files: [path] } });
    expect(run.sentinels).toEqual({ honest: true });
    expect(run.problem).toBeUndefined();
    expect(outcomes(run)).toEqual({ multiplies: 'passed' });
  });

  it('finds out when a set-up file disarms expect or skips tests', async () => {
    const path = 'test/area.test.ts';
    const tricks = {
      'reported as passed':
        "import { chai } from 'vitest';\nchai.Assertion.overwriteMethod('toBe', () => function () { return this; });\n",
      'not reported as passed|reported as skipped':
        "import { beforeEach } from 'vitest';\nbeforeEach(context => context.skip());\n",
    };
    for (const [reason, setup] of Object.entries(tricks)) {
      const project = open({
        'setup.ts': setup,
        'vitest.config.ts': "export default { test: { setupFiles: ['./setup.ts'] } };\n",
      });
      const text = project.text(path);
      project.write(path, text + vitest.sentinel({ path, text }, names));
      const run = await project.run(vitest, { files: [path], sentinels: { ...names, files: [path] } });
      expect(run.sentinels).toEqual({ honest: false, reason: expect.stringMatching(reason) });
    }
  });

  it('keeps the options of the script, and uses a configuration that it names', async () => {
    const project = open({
      'unit.config.ts':
        "export default { test: { include: ['test/area.*.ts'], coverage: { enabled: true } } };\n",
    });
    const run = await project.run(vitest, {
      testCommand: 'vitest watch --config unit.config.ts --coverage --reporter dot',
    });
    expect(run.command).toBe('vitest run --config unit.config.ts');
    expect(run.problem).toBeUndefined();
    expect(outcomes(run)).toEqual({ multiplies: 'passed' });
  });
});
