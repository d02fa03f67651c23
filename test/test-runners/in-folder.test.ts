import { symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { UserError } from '../../src/errors.ts';
import { detectRunner } from '../../src/test-runners/detect.ts';
import { filesIn, inFolder, inFolderScript } from '../../src/test-runners/in-folder.ts';
import { jest } from '../../src/test-runners/jest.ts';
import { mocha } from '../../src/test-runners/mocha.ts';
import { nodeTest } from '../../src/test-runners/node-test.ts';
import { pytest } from '../../src/test-runners/pytest.ts';
import type { TestRunner } from '../../src/test-runners/test-runner.ts';
import { vitest } from '../../src/test-runners/vitest.ts';
import { fixtureFiles, linkPackages, memoryFiles, openProject, outcomes } from './local-project.ts';

const names = { passing: 'redgreen-pass-1f', failing: 'redgreen-fail-2e' };
const bin = dirname(process.execPath);
const json = JSON.stringify;

async function detected(folder: string, testCommand?: string) {
  const found = await detectRunner(fixtureFiles('monorepo'), {
    folder,
    ...(testCommand !== undefined && { testCommand }),
  });
  if (!found.runner) throw new Error(found.looked.join('\n'));
  return found;
}

/** What a run says of one test, by its file and id from the root. */
const wrong = (file: string, name: string, line: number) =>
  expect.objectContaining({ id: `${file}::${name}`, file, name, line, status: 'failed' });

describe('a runner in a folder', () => {
  it('installs at the root of a workspace, runs in the package, and speaks from the root', async () => {
    const { runner, testCommand, why } = await detected('./packages/calc/');
    expect([runner.name, why]).toEqual(['node:test', 'the test script is `node --test test/*.test.js`']);
    const project = openProject('monorepo', { bin });
    const script = await runner.setupScript(fixtureFiles('monorepo'));
    expect(script).toBe('npm ci --no-audit --no-fund');
    expect((await project.shell({ script })).exit).toEqual({ kind: 'code', code: 0 });

    const suite = await project.run(runner, { testCommand });
    const file = 'packages/calc/test/calc.test.js';
    expect(suite.problem).toBeUndefined();
    expect(suite.command).toBe('cd packages/calc && node --test test/*.test.js');
    expect(outcomes(suite)).toEqual({ quarters: 'passed', 'is wrong': 'assertion' });
    expect(suite.report?.cases[1]).toEqual(wrong(file, 'is wrong', 10));
    expect(suite.report?.cases[1]?.failure?.stack).toContain(`${file}:10:`);

    project.write(
      file,
      project.text(file) + runner.sentinel({ path: file, text: project.text(file) }, names),
    );
    const proof = await project.run(runner, {
      testCommand,
      files: [file],
      sentinels: { ...names, files: [file] },
    });
    expect(proof.command).toBe('cd packages/calc && node --test test/calc.test.js');
    expect(proof.sentinels).toEqual({ honest: true });
    expect(outcomes(proof)).toEqual({ quarters: 'passed', 'is wrong': 'assertion' });
  });

  it('uses jest from the root, and reports a file that can not be loaded by its whole path', async () => {
    const { runner, testCommand } = await detected('packages/ui');
    expect(runner.name).toBe('jest');
    const project = openProject('monorepo', {
      bin,
      files: { 'packages/ui/test/gone.test.js': "require('gone');\n" },
    });
    linkPackages(project);
    const file = 'packages/ui/test/label.test.js';
    const run = await project.run(runner, { testCommand, files: [file, 'packages/ui/test/gone.test.js'] });
    expect(run.problem).toBeUndefined();
    expect(run.report?.cases).toEqual([
      expect.objectContaining({ id: `${file}::labels`, status: 'passed' }),
      wrong(file, 'is wrong', 8),
    ]);
    expect(run.report?.fileErrors.map(error => error.file)).toEqual(['packages/ui/test/gone.test.js']);
  });

  it.each([
    [vitest, "import { expect, test } from 'vitest';\ntest('a', () => expect(1).toBe(2));\n", 'a.test.mjs'],
    [mocha, "import assert from 'node:assert';\nit('a', () => assert.equal(1, 2));\n", 'a.test.mjs'],
  ])('%o too', async (runner, text, name) => {
    const project = openProject('monorepo', { bin, files: { [`packages/ui/test/${name}`]: text } });
    linkPackages(project);
    const file = `packages/ui/test/${name}`;
    const run = await project.run(inFolder(runner, 'packages/ui'), { files: [file] });
    expect(run.report?.cases).toEqual([wrong(file, 'a', 2)]);
  });

  it('runs a Python project in its own folder, whatever the root configures', async () => {
    const file = 'services/price/tests/test_price.py';
    for (const root of [{}, { 'pyproject.toml': '[tool.pytest.ini_options]\n' }, { 'setup.py': '' }]) {
      const { runner, testCommand } = await detected('services/price');
      const project = openProject('monorepo', { files: root });
      const suite = await project.run(runner, { testCommand });
      expect(suite.problem).toBeUndefined();
      expect(suite.command).toBe('cd services/price && python -m pytest');
      expect(suite.report?.cases.map(test => test.id)).toEqual([
        `${file}::test_total`,
        `${file}::TestTotal > test_is_wrong`,
      ]);
      const one = await project.run(runner, { testCommand, files: [file] });
      expect(outcomes(one)).toEqual({ test_total: 'passed', 'TestTotal > test_is_wrong': 'assertion' });
    }
  });

  it('reports a Python file that can not be collected by its whole path', async () => {
    const { runner } = await detected('services/price');
    const file = 'services/price/tests/test_gone.py';
    const run = await openProject('monorepo', { files: { [file]: 'import gone\n' } }).run(runner, {
      files: [file],
    });
    expect(run.report?.fileErrors).toEqual([
      { file, message: expect.stringContaining("No module named 'gone'") },
    ]);
  });

  it('runs a given test command in the folder, by the scripts of its package', async () => {
    const { runner, testCommand, why } = await detected('packages/ui', 'npm test');
    expect([runner.name, testCommand, why]).toEqual([
      'jest',
      'jest',
      'the test command `npm test` runs `jest`',
    ]);
    const { runner: python } = await detected('services/price', 'pytest -q tests');
    const { shown } = python.command({
      testCommand: 'pytest -q tests',
      files: [],
      reportPath: '/r',
      scratch: '/s',
      workdir: '/w',
    });
    expect(shown).toBe('cd services/price && pytest -q tests');
  });

  it('does not run elsewhere when the folder is gone', async () => {
    const project = openProject('monorepo', { bin });
    const run = await project.run(inFolder(nodeTest, 'packages/gone'), { testCommand: 'echo ran; exit 0' });
    expect(run.log).not.toContain('ran');
    expect(run.problem).toBe('the test run wrote no report (exit code 1)');
  });

  it('follows no link out of a folder when it names files', () => {
    const project = openProject('monorepo');
    symlinkSync('/etc', join(project.workdir, 'packages/etc'));
    const { script } = inFolder(jest, 'packages/ui').command({
      testCommand: 'jest',
      files: ['packages/ui/a b.test.js', 'other/c.test.js'],
      reportPath: '/r',
      scratch: '/s',
      workdir: '/w',
    });
    expect(script).toMatch(/--runTestsByPath 'a b\.test\.js' \.\.\/\.\.\/other\/c\.test\.js$/);
  });

  it.each([
    [jest, 'packages/ui/test/label.test.js', 'file'],
    [jest, 'packages/ui/label.js', ''],
    [jest, 'packages/ui/jest.config.js', 'config'],
    [jest, 'packages/calc/test/calc.test.js', 'path'],
    [jest, 'packages/calc/package.json', 'config'],
    [jest, 'package.json', 'config'],
    [jest, 'packages/ui-kit/a.test.js', 'path'],
    [pytest, 'packages/ui/tests/test_a.py', 'file'],
    [pytest, 'packages/ui/conftest.py', 'config'],
    [pytest, 'other/tests/test_a.py', 'path'],
    [pytest, 'pyproject.toml', 'config'],
  ])('%o: %s is %j', (plain, path, kind) => {
    const runner = inFolder(plain, 'packages/ui');
    const kinds = [
      runner.isTestFile(path) && 'file',
      runner.isTestPath(path) && !runner.isTestFile(path) && 'path',
      runner.isConfigPath(path) && 'config',
    ];
    expect(kinds.filter(Boolean).join(' ')).toBe(kind);
  });

  it('does not take all of a folder for tests because of its name', () => {
    const runner = inFolder(vitest, 'e2e/test/app');
    expect(runner.isTestPath('e2e/test/app/src/a.ts')).toBe(false);
    expect(runner.isTestFile('e2e/test/app/src/a.test.ts')).toBe(true);
  });
});

describe('set-up in a folder', () => {
  const dependencies = json({ dependencies: { a: '1' } });
  const workspace = (workspaces: unknown) => json({ workspaces });
  const script = (runner: TestRunner, files: Readonly<Record<string, string>>) =>
    inFolder(runner, 'packages/app').setupScript(memoryFiles(files));
  const ROOT = 'npm ci --no-audit --no-fund';
  const FOLDER =
    '# cd packages/app && npm ci --no-audit --no-fund\ncd packages/app || exit 1\nnpm ci --no-audit --no-fund';

  it.each([
    [
      'a member',
      {
        'package.json': workspace(['packages/*']),
        'packages/app/package.json': dependencies,
        'package-lock.json': '',
      },
      ROOT,
    ],
    [
      'a member by name',
      {
        'package.json': workspace({ packages: ['./packages/app/'] }),
        'packages/app/package.json': dependencies,
        'package-lock.json': '',
      },
      ROOT,
    ],
    [
      'a member at any depth',
      {
        'package.json': workspace(['packages/**']),
        'packages/app/package.json': dependencies,
        'package-lock.json': '',
      },
      ROOT,
    ],
    [
      'a folder without a manifest',
      { 'package.json': dependencies, 'package-lock.json': '', 'packages/app/a.js': '' },
      ROOT,
    ],
    [
      'a folder with its own lock file',
      {
        'package.json': workspace(['packages/*']),
        'package-lock.json': '',
        'packages/app/package.json': dependencies,
        'packages/app/package-lock.json': '',
      },
      FOLDER,
    ],
    [
      'a folder below no manifest',
      { 'packages/app/package.json': dependencies, 'packages/app/package-lock.json': '' },
      FOLDER,
    ],
    ['nothing to install', { 'packages/app/package.json': '{}' }, ''],
  ])('of %s', async (_what, files, expected) => {
    expect(await script(jest, files)).toBe(expected);
  });

  it.each([
    ['packages:\n  - "packages/*"\n', true],
    ['packages:\n- packages/*\n- "!**/app"\n', false],
    ['packages:\n  - tools/*\nonlyBuiltDependencies:\n  - packages/app\n', false],
  ])('knows the members in pnpm-workspace.yaml: %j', async (yaml, isMember) => {
    const files = {
      'package.json': '{}',
      'pnpm-workspace.yaml': yaml,
      'pnpm-lock.yaml': '',
      'packages/app/package.json': dependencies,
    };
    const found = await script(vitest, files);
    expect(found).toContain('pnpm install --frozen-lockfile');
    expect(found.includes('cd packages/app')).toBe(!isMember);
  });

  it('goes first to the root, then to a folder that is no member, and stops at the first failure', async () => {
    const files = {
      'package.json': dependencies,
      'package-lock.json': '',
      'packages/app/package.json': dependencies,
    };
    const both = await script(nodeTest, files);
    expect(both.split('\n')[0]).toBe(
      '# npm ci --no-audit --no-fund && cd packages/app && npm install --no-audit --no-fund',
    );
    const project = openProject('', {
      files: { ...files, 'bin/npm': '#!/bin/sh\npwd >> "$HOME/log"\n[ "$1" != ci ] || [ ! -e fail ]\n' },
    });
    const run = () => project.shell({ script: `chmod +x bin/npm; PATH="$PWD/bin:$PATH"; ${'\n'}${both}` });
    expect((await run()).exit).toEqual({ kind: 'code', code: 0 });
    const log = async () =>
      (await project.shell({ script: 'cat "$HOME/log"' })).stdout.toString().split('\n');
    expect(await log()).toEqual([project.workdir, `${project.workdir}/packages/app`, '']);
    project.write('fail', '');
    expect((await run()).exit).toEqual({ kind: 'code', code: 1 });
    expect(await log()).toHaveLength(4);
  });

  it.each([
    [
      'its own requirements',
      { 'requirements.txt': 'a', 'packages/app/requirements.txt': 'b' },
      '# cd packages/app && pip install -r requirements.txt',
    ],
    [
      'the root’s requirements',
      { 'requirements.txt': 'a', 'packages/app/a.py': '' },
      '# pip install -r requirements.txt',
    ],
    [
      'its own lock file',
      { 'uv.lock': '', 'packages/app/pyproject.toml': '', 'packages/app/poetry.lock': '' },
      '# cd packages/app && poetry install --no-interaction --all-extras',
    ],
    [
      'the lock file of uv’s workspace',
      {
        'uv.lock': '',
        'pyproject.toml': '[tool.uv.workspace]\n',
        'packages/app/pyproject.toml': '[project]\n',
      },
      '# cd packages/app && uv sync --frozen --all-extras --all-groups',
    ],
  ])('of a Python project uses %s', async (_what, files, first) => {
    expect((await script(pytest, files)).split('\n')[0]).toBe(first);
  });

  it('of the user’s own says where it runs, and can not break out of the comment', async () => {
    const project = openProject('monorepo', { files: { "it's/a.txt": '' } });
    const { stdout } = await project.shell({ script: inFolderScript('pwd\nls', "it's") });
    expect(stdout.toString()).toBe(`${project.workdir}/it's\na.txt\n`);
    expect(inFolderScript('pwd', 'a\nrm -rf x').split('\n')[0]).toBe("# cd 'a rm -rf x' && pwd");
  });
});

describe('the folder to work in', () => {
  const files = memoryFiles({
    'packages/app/package.json': json({ scripts: { test: 'jest' } }),
    'packages/server/package.json': '{}',
    'services/price/pyproject.toml': '',
    'services/price/test_a.py': '',
    'examples/node_modules/x/package.json': '{}',
    'test/fixtures/y/package.json': '{}',
    'README.md': '',
  });

  it.each([
    ['/packages/app', /absolute/],
    ['packages/../../etc', /`\.\.` in it/],
    ['packages/gone', /not in the commit/],
    ['README.md', /is a file/],
    ['packages//app', /empty part/],
    ['packages\\app', /backslash/],
    ['packages/app\nx', /control character/],
  ])('%j is refused', async (folder, reason) => {
    const refusal = await detectRunner(files, { folder }).catch(error => error);
    expect(refusal).toBeInstanceOf(UserError);
    expect(refusal.message).toMatch(reason);
    expect(refusal.cure).toContain('Set `working-directory` to a folder of the repository');
  });

  it('is named when one is close, and all are when none is', async () => {
    const cure = async (folder: string) => (await detectRunner(files, { folder }).catch(error => error)).cure;
    expect(await cure('app')).toContain('Did you mean `packages/app`?');
    expect(await cure('packages/servre')).toContain('Did you mean `packages/server`?');
    expect(await cure('quux')).toContain('`packages/app`, `packages/server`, `services/price`.');
  });

  it.each(['', '.', './', undefined])('%j is the root', async folder => {
    const found = await detectRunner(
      memoryFiles({ 'package.json': json({ scripts: { test: 'mocha' } }) }),
      folder === undefined ? {} : { folder },
    );
    expect(found.runner).toBe(mocha);
  });

  it('is asked for when only folders have projects', async () => {
    const found = await detectRunner(
      memoryFiles({ 'a/package.json': '{}', 'b/c/package.json': '{}', 'README.md': '' }),
      {},
    );
    expect(found.runner === undefined && found.looked.at(-1)).toBe(
      'there are projects in `a`, `b/c`: set `working-directory` to one of them',
    );
  });

  it('may leave the runner to the root', async () => {
    const found = await detectRunner(
      memoryFiles({
        'package.json': json({ scripts: { test: 'turbo test' }, devDependencies: { vitest: '5' } }),
        'packages/app/src/a.test.ts': '',
        'packages/docs/a.md': '',
      }),
      { folder: 'packages/app' },
    );
    expect(found).toMatchObject({
      runner: { name: 'vitest' },
      why: 'package.json depends on vitest, at the root',
      testCommand: undefined,
    });
    const docs = await detectRunner(
      memoryFiles({ 'package.json': json({ devDependencies: { vitest: '5' } }), 'packages/docs/a.md': '' }),
      { folder: 'packages/docs' },
    );
    expect(docs.runner === undefined && docs.looked[0]).toMatch(/^in packages\/docs: vitest: /);
  });

  it('sees only its own files', async () => {
    const inside = filesIn(files, 'packages/app');
    expect(inside.paths).toEqual(['package.json']);
    expect(await inside.text('package.json')).toContain('jest');
    expect(await inside.text('../server/package.json')).toBeUndefined();
  });
});
