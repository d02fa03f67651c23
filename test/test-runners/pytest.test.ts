import { beforeAll, describe, expect, it } from 'vitest';
import { exec } from '../../src/lib/exec.ts';
import { detectRunner } from '../../src/test-runners/detect.ts';
import { pytest } from '../../src/test-runners/pytest.ts';
import { fixtureFiles, openProject, outcomes } from './local-project.ts';

const names = { passing: 'redgreen-pass-1f', failing: 'redgreen-fail-2e' };

beforeAll(async () => {
  const { exit } = await exec({
    file: 'python3',
    args: ['-m', 'pytest', '--version'],
    env: { PATH: process.env.PATH ?? '' },
  });
  if (exit.kind !== 'code' || exit.code !== 0) throw new Error('these tests need `python3 -m pytest`');
});

describe('pytest', () => {
  it('tells every outcome of a suite apart', async () => {
    const project = openProject('pytest-classes');
    const run = await project.run(pytest, { files: ['tests/test_outcomes.py'] });
    expect(run.problem).toBeUndefined();
    expect(run.report?.fileErrors).toEqual([]);
    expect(outcomes(run)).toEqual({
      'TestTotal > test_adds': 'passed',
      'TestTotal > TestDeep > test_is_wrong': 'assertion',
      'test_param[1]': 'passed',
      'test_param[a b::c/d]': 'assertion',
      test_not_there_yet: 'not-implemented',
      test_raises: 'assertion',
      test_no_such_function: 'missing-symbol',
      test_other_error: 'error',
      test_skipped: 'skipped',
      test_expected_failure: 'todo',
      test_fixture: 'error',
      test_twice_wrong: 'assertion',
      test_control_characters: 'assertion',
      'Old > test_equal': 'assertion',
    });
    const wrong = run.report?.cases.find(test => test.name === 'TestTotal > TestDeep > test_is_wrong');
    expect(wrong).toMatchObject({
      id: 'tests/test_outcomes.py::TestTotal > TestDeep > test_is_wrong',
      file: 'tests/test_outcomes.py',
      line: 14,
      failure: { message: 'assert 1 == 2', received: '1', expected: '2' },
    });
    expect(wrong?.failure?.stack).toContain('sum_of == 2');
    expect(run.report?.cases[0]?.line).toBe(8);
    expect(run.command).toBe('python -m pytest tests/test_outcomes.py');
  });

  it('runs the whole suite, and leaves no files behind', async () => {
    const project = openProject('pytest-classes');
    const run = await project.run(pytest);
    expect(new Set(run.report?.cases.map(test => test.file))).toEqual(
      new Set(['tests/test_outcomes.py', 'tests/test_price.py']),
    );
    const { stdout } = await project.shell({
      script: 'find . -name __pycache__ -o -name .pytest_cache; ls ../scratch',
    });
    expect(stdout.toString()).toBe('');
  });

  it('reports files that can not be collected, and runs the others', async () => {
    const files = {
      'tests/test_gone.py': 'from shop.gone import nothing\n',
      'tests/test_syntax.py': 'def test_a(:\n',
    };
    const run = await openProject('pytest-classes', { files }).run(pytest, {
      files: ['tests/test_gone.py', 'tests/test_price.py', 'tests/test_syntax.py'],
    });
    expect(run.problem).toBeUndefined();
    expect(outcomes(run)).toEqual({ test_total: 'passed' });
    expect(run.report?.fileErrors).toEqual([
      { file: 'tests/test_gone.py', message: "ModuleNotFoundError: No module named 'shop.gone'" },
      { file: 'tests/test_syntax.py', message: expect.stringContaining('SyntaxError') },
    ]);
  });

  it('has no report when a test leaves the process, and blames the file that leaves at import', async () => {
    const files = {
      'tests/test_leaves.py': 'import os\ndef test_a(): pass\ndef test_b(): os._exit(0)\n',
      'tests/test_quits.py': 'import sys\nsys.exit(0)\n',
    };
    const project = openProject('pytest-classes', { files });
    const left = await project.run(pytest, { files: ['tests/test_leaves.py'] });
    expect(left.exit).toEqual({ kind: 'code', code: 0 });
    expect(left.report).toBeUndefined();
    expect(left.problem).toBe('the test run wrote no report (exit code 0)');
    const quit = await project.run(pytest, { files: ['tests/test_quits.py'] });
    expect(quit.report?.fileErrors).toEqual([
      { file: 'tests/test_quits.py', message: expect.stringContaining('SystemExit') },
    ]);
  });

  it('stops a hanging test at the time-out', async () => {
    const files = { 'tests/test_hangs.py': 'def test_a():\n    while True: pass\n' };
    const run = await openProject('pytest-classes', { files }).run(pytest, {
      files: ['tests/test_hangs.py'],
      timeoutMs: 1_500,
    });
    expect(run).toMatchObject({ exit: { kind: 'timeout' }, problem: expect.stringContaining('stopped') });
  });

  it('says so when no tests were collected, or a file is not there', async () => {
    const project = openProject('pytest-classes', { files: { 'tests/test_empty.py': '' } });
    const empty = await project.run(pytest, { files: ['tests/test_empty.py'] });
    expect(empty.problem).toBe('no tests ran (exit code 5)');
    const absent = await project.run(pytest, { files: ['tests/test_absent.py'] });
    expect(absent.problem).toMatch(/^(no tests ran|the test run wrote no report) \(exit code 4\)$/);
  });

  it('finds honest sentinels and keeps them out of the report', async () => {
    const file = 'tests/test_price.py';
    const project = openProject('pytest-classes');
    const text = project.text(file);
    project.write(file, text.trimEnd() + pytest.sentinel({ path: file, text }, names));
    const run = await project.run(pytest, { files: [file], sentinels: { ...names, files: [file] } });
    expect(run.sentinels).toEqual({ honest: true });
    expect(run.problem).toBeUndefined();
    expect(outcomes(run)).toEqual({ test_total: 'passed' });
  });

  it.each([
    [
      'turns failures into passes',
      'import pytest\n@pytest.hookimpl(hookwrapper=True)\ndef pytest_runtest_makereport(item, call):\n    outcome = yield\n    outcome.get_result().outcome = "passed"\n',
      'the planted test that fails was reported as passed',
    ],
    [
      'collects its own tests only',
      'def pytest_collection_modifyitems(items):\n    items[:] = [item for item in items if "redgreen" not in item.name]\n',
      'the planted test that passes was not reported',
    ],
    [
      'marks the rest as expected failures',
      'import pytest\ndef pytest_collection_modifyitems(items):\n    for item in items: item.add_marker(pytest.mark.xfail)\n',
      'the planted test that passes was not reported as passed|was reported as todo',
    ],
  ])('finds out when a conftest %s', async (_what, conftest, reason) => {
    const path = 'tests/test_new.py';
    const text = 'def test_new():\n    assert 1 == 2\n';
    const files = { 'tests/conftest.py': conftest, [path]: text + pytest.sentinel({ path, text }, names) };
    const run = await openProject('pytest-classes', { files }).run(pytest, {
      files: [path],
      sentinels: { ...names, files: [path] },
    });
    expect(run.sentinels).toEqual({ honest: false, reason: expect.stringMatching(reason) });
  });

  it('finds out when asserts are switched off', async () => {
    const path = 'tests/test_price.py';
    const project = openProject('pytest-classes');
    const text = project.text(path);
    project.write(path, text + pytest.sentinel({ path, text }, names));
    const run = await project.run(pytest, {
      files: [path],
      sentinels: { ...names, files: [path] },
      extraEnv: { PYTHONOPTIMIZE: '1', PYTEST_ADDOPTS: '--assert=plain' },
    });
    expect(run.sentinels).toMatchObject({ honest: false });
  });

  it('contradicts an exit code that hides failures', async () => {
    const hook = 'def pytest_sessionfinish(session):\n    session.exitstatus = 0\n';
    const run = await openProject('pytest-classes', { files: { 'conftest.py': hook } }).run(pytest, {
      files: ['tests/test_outcomes.py'],
    });
    expect(run.problem).toMatch(/^exit code 0, yet the report has \d+ failed tests$/);
  });

  it('adds its options to the given command, in place of its paths when files are selected', async () => {
    const project = openProject('pytest-classes');
    const run = await project.run(pytest, {
      testCommand: 'cd . && python3 -m pytest -x tests',
      files: ['tests/test_price.py'],
    });
    expect(run.problem).toBeUndefined();
    expect(run.command).toBe('cd . && python3 -m pytest tests/test_price.py');
    expect(outcomes(run)).toEqual({ test_total: 'passed' });
    const script = await project.run(pytest, {
      testCommand: 'make=1; sh -c "python3 -m pytest"',
      files: ['tests/test_price.py'],
    });
    expect(script.problem).toBeUndefined();
    expect(outcomes(script)).toEqual({ test_total: 'passed' });
    const placed = await project.run(pytest, {
      testCommand: 'python3 -m pytest {args} -q',
      files: ['tests/test_price.py'],
    });
    expect(placed.command).toBe('python3 -m pytest tests/test_price.py -q');
    expect(outcomes(placed)).toEqual({ test_total: 'passed' });
  });

  it('is recognised by its configuration', async () => {
    const found = await detectRunner(fixtureFiles('pytest-classes'), {});
    expect(found).toMatchObject({ runner: { name: 'pytest' }, why: 'pyproject.toml configures pytest' });
  });
});
