import { describe, expect, it } from 'vitest';
import { detectRunner } from '../../src/test-runners/detect.ts';
import { jest } from '../../src/test-runners/jest.ts';
import { mocha } from '../../src/test-runners/mocha.ts';
import { nodeTest } from '../../src/test-runners/node-test.ts';
import { pytest } from '../../src/test-runners/pytest.ts';
import { typicalTests } from '../../src/test-runners/suite-facts.ts';
import { vitest } from '../../src/test-runners/vitest.ts';
import { fixtureFiles, memoryFiles, openProject, outcomes } from './local-project.ts';

const json = JSON.stringify;
const scripts = (test: string) => ({ 'package.json': json({ scripts: { test } }) });

describe('detectRunner', () => {
  it.each([
    ['a script with vitest', scripts('vitest'), 'vitest', 'vitest'],
    [
      'a script with node --test behind another',
      { 'package.json': json({ scripts: { test: 'npm run u', u: 'node --test' } }) },
      'node:test',
      'node --test',
    ],
    [
      'a script before a configuration',
      { ...scripts('node --test'), 'pytest.ini': '' },
      'node:test',
      'node --test',
    ],
    ['a dependency', { 'package.json': json({ devDependencies: { vitest: '5' } }) }, 'vitest', undefined],
    ['a configuration', { 'vitest.config.ts': '' }, 'vitest', undefined],
    ['a script with jest', scripts('NODE_ENV=test npx jest -i'), 'jest', 'NODE_ENV=test npx jest -i'],
    ['Create React App', scripts('react-scripts test'), 'jest', 'react-scripts test'],
    [
      'jest with flags of Node',
      scripts('node --experimental-vm-modules node_modules/jest/bin/jest.js'),
      'jest',
      'node --experimental-vm-modules node_modules/jest/bin/jest.js',
    ],
    ['jest’s own file', { 'jest.config.mjs': '' }, 'jest', undefined],
    ['jest in package.json', { 'package.json': '{"jest":{}}' }, 'jest', undefined],
    [
      'a dependency on jest',
      { 'package.json': json({ devDependencies: { jest: '30' } }) },
      'jest',
      undefined,
    ],
    [
      'a script with mocha',
      scripts('nyc --reporter text mocha -r x'),
      'mocha',
      'nyc --reporter text mocha -r x',
    ],
    [
      'ts-mocha',
      scripts('ts-mocha -p tsconfig.json test/*.ts'),
      'mocha',
      'ts-mocha -p tsconfig.json test/*.ts',
    ],
    ['mocha’s own file', { '.mocharc.yml': '' }, 'mocha', undefined],
    ['mocha in package.json', { 'package.json': '{"mocha":{"spec":"x"}}' }, 'mocha', undefined],
    [
      'a dependency on mocha',
      { 'package.json': json({ devDependencies: { mocha: '12' } }) },
      'mocha',
      undefined,
    ],
    [
      'node:test, where another program is only told about jest',
      scripts('eslint --env jest . && node --test'),
      'node:test',
      'eslint --env jest . && node --test',
    ],
    [
      'an import',
      { 'package.json': '{}', 'a.test.mjs': "import t from 'node:test'" },
      'node:test',
      undefined,
    ],
    ['pytest.ini', { 'pytest.ini': '' }, 'pytest', undefined],
    ['a conftest', { 'tests/conftest.py': '' }, 'pytest', undefined],
    ['a requirement', { 'requirements-dev.txt': 'pytest>=8' }, 'pytest', undefined],
    ['a Python test file', { 'tests/test_a.py': '' }, 'pytest', undefined],
    [
      'a broken package.json beside a conftest',
      { 'package.json': '{', 'conftest.py': '' },
      'pytest',
      undefined,
    ],
  ])('recognises %s', async (_what, files, name, testCommand) => {
    const found = await detectRunner(memoryFiles(files), {});
    expect(found).toMatchObject({ runner: { name }, why: expect.stringMatching(/./) });
    expect(found.runner && found.testCommand).toBe(testCommand);
  });

  it.each([
    ['npx vitest run', 'vitest', 'npx vitest run'],
    ['npm test', 'node:test', 'node --test'],
    ['uv run pytest -q', 'pytest', 'uv run pytest -q'],
    ['make check', 'node:test', 'make check'],
    ['yarn jest --ci', 'jest', 'yarn jest --ci'],
    ['c8 mocha', 'mocha', 'c8 mocha'],
  ])('lets the command %j decide', async (testCommand, name, resolved) => {
    const found = await detectRunner(memoryFiles(scripts('node --test')), { testCommand });
    expect(found).toMatchObject({ runner: { name }, testCommand: resolved });
  });

  it('says what it looked for when there is nothing, or another runner', async () => {
    const nothing = await detectRunner(memoryFiles({ 'README.md': '' }), {});
    expect(nothing).toEqual({
      runner: undefined,
      looked: expect.arrayContaining([expect.stringContaining('pytest')]),
    });
    const ava = await detectRunner(memoryFiles(scripts('ava --tap')), {});
    expect(ava.runner === undefined && ava.looked).toEqual([
      'package.json: the test script runs ava, which is not supported yet',
      ...['vitest', 'jest', 'mocha', 'node:test', 'pytest'].map(name => expect.stringMatching(`^${name}: `)),
    ]);
    const given = await detectRunner(memoryFiles({ 'pytest.ini': '' }), { testCommand: 'go test ./...' });
    expect(given).toEqual({
      runner: undefined,
      looked: ['the test command runs go test, which is not supported yet'],
    });
  });
});

describe('set-up', () => {
  const dependencies = json({ dependencies: { a: '1' } });
  it.each([
    ['npm ci', { 'package.json': dependencies, 'package-lock.json': '' }, 'npm ci --no-audit --no-fund'],
    ['npm install', { 'package.json': dependencies }, 'npm install --no-audit --no-fund'],
    ['nothing without dependencies', { 'package.json': '{}', 'package-lock.json': '' }, ''],
    ['nothing without a package.json', {}, ''],
  ])('is %s', async (_what, files, script) => {
    expect(await vitest.setupScript(memoryFiles(files))).toBe(script);
  });

  it.each([
    ['pnpm', { 'pnpm-lock.yaml': '' }, /pnpm install --frozen-lockfile; else npx --yes pnpm install/],
    ['yarn 1', { 'yarn.lock': '' }, /yarn install --frozen-lockfile/],
    ['yarn berry', { 'yarn.lock': '', '.yarnrc.yml': '' }, /yarn install --immutable/],
    ['bun', { 'bun.lock': '' }, /bun install --frozen-lockfile/],
  ])('uses %s where its lock file lies', async (_what, files, script) => {
    expect(await nodeTest.setupScript(memoryFiles({ 'package.json': dependencies, ...files }))).toMatch(
      script,
    );
  });

  it('uses the package manager that package.json names, and no shell code from there', async () => {
    const named = (packageManager: string) =>
      memoryFiles({ 'package.json': json({ dependencies: { a: '1' }, packageManager }) });
    expect(await vitest.setupScript(named('pnpm@9.1.0+sha512.abc'))).toContain(
      'npx --yes pnpm@9.1.0 install',
    );
    expect(await vitest.setupScript(named('pnpm@9;rm -rf /'))).not.toContain('rm -rf');
  });

  it.each([
    ['uv', { 'uv.lock': '' }, 'uv sync --frozen'],
    ['poetry', { 'poetry.lock': '' }, 'poetry install'],
    ['pipenv', { 'Pipfile.lock': '' }, 'pipenv sync --dev'],
    [
      'requirements',
      { 'requirements.txt': '', 'requirements-dev.txt': '' },
      '-r requirements-dev.txt -r requirements.txt',
    ],
    [
      'the project',
      { 'pyproject.toml': '[project]\nname = "a"\n[project.optional-dependencies]\ntest = ["x"]\n' },
      "-e '.[test]'",
    ],
    ['an old project', { 'setup.py': '' }, '$redgreen_pip -e .'],
  ])('installs a Python project by %s', async (_what, files, step) => {
    expect(await pytest.setupScript(memoryFiles(files))).toContain(step);
  });

  it('installs nothing where pytest is there and nothing is declared', async () => {
    const project = openProject('pytest-classes');
    const script = await pytest.setupScript(fixtureFiles('pytest-classes'));
    expect((await project.shell({ script })).exit).toEqual({ kind: 'code', code: 0 });
    expect((await project.shell({ script: 'ls "$HOME"' })).stdout.toString()).toBe('');
  });

  it('makes an environment outside of the work folder, which test runs then use', async () => {
    const files = { 'requirements.txt': '# nothing\n' };
    const project = openProject('pytest-classes', { files });
    const script = await pytest.setupScript(memoryFiles(files));
    const { exit, stderr } = await project.shell({ script });
    expect(stderr.toString()).toBe('');
    expect(exit).toEqual({ kind: 'code', code: 0 });
    project.write(
      'tests/test_where.py',
      'import sys\ndef test_where():\n    assert "/home/venv" in sys.prefix\n',
    );
    const run = await project.run(pytest, { files: ['tests/test_where.py'] });
    expect(outcomes(run)).toEqual({ test_where: 'passed' });
  });
});

describe('paths', () => {
  it.each([
    [vitest, 'src/a.test.ts', 'file'],
    [vitest, 'test/fixtures/a.test.ts', 'path'],
    [vitest, 'src/__snapshots__/a.snap', 'path'],
    [vitest, 'src/helpers/a.spec.tsx', 'file'],
    [vitest, 'test/setup.ts', 'path'],
    [vitest, 'src/contest.ts', ''],
    [vitest, 'src/latest/a.ts', ''],
    [vitest, 'src/test-runners/test-runner.ts', ''],
    [vitest, 'vite.config.ts', 'config'],
    [vitest, 'packages/a/package.json', 'config'],
    [vitest, 'vitest.setup.ts', 'config'],
    [vitest, 'src/setupTests.ts', 'config'],
    [vitest, 'packages/a/vitest-global-setup.mjs', 'config'],
    [vitest, 'jest.setup.js', 'config'],
    [vitest, 'test/vitest.setup.ts', 'path config'],
    [vitest, 'src/test-setup.test.ts', 'file'],
    [vitest, 'src/setup.ts', ''],
    [nodeTest, 'test.setup.cjs', 'config'],
    [nodeTest, 'test/a.js', 'file'],
    [nodeTest, 'test/fixtures/a.js', 'path'],
    [nodeTest, 'test-a.mjs', 'file'],
    [nodeTest, 'src/test-bench.js', ''],
    [nodeTest, 'tsconfig.json', 'config'],
    [jest, 'src/__tests__/a.js', 'file'],
    [jest, 'src/__tests__/__snapshots__/a.js.snap', 'path'],
    [jest, 'src/__mocks__/a.js', 'path'],
    [jest, 'jest.config.ts', 'config'],
    [jest, 'jest.config.unit.js', 'config'],
    [jest, 'test/jest-e2e.json', 'path config'],
    [jest, 'babel.config.js', 'config'],
    [jest, 'packages/a/.babelrc', 'config'],
    [jest, 'global-teardown.ts', 'config'],
    [jest, 'src/jest.ts', ''],
    [mocha, 'test/unit/deep/a.js', 'file'],
    [mocha, 'test/support/a.js', 'path'],
    [mocha, 'test/helper.js', 'path'],
    [mocha, 'test/indexer.js', 'file'],
    [mocha, 'test/mocha-setup.js', 'path config'],
    [mocha, '.mocharc.cjs', 'config'],
    [mocha, 'test/mocha.opts', 'path config'],
    [mocha, 'lib/mocha.js', ''],
    [pytest, 'tests/test_a.py', 'file'],
    [pytest, 'pkg/a_test.py', 'file'],
    [pytest, 'tests/data/a.json', 'path'],
    [pytest, 'tests/conftest.py', 'config'],
    [pytest, 'pyproject.toml', 'config'],
    [pytest, 'src/attest.py', ''],
  ])('%o: %s is %j', (runner, path, kind) => {
    const kinds = [
      runner.isTestFile(path) && 'file',
      runner.isTestPath(path) && !runner.isTestFile(path) && 'path',
      runner.isConfigPath(path) && 'config',
    ];
    expect(kinds.filter(Boolean).join(' ')).toBe(kind);
  });

  it('names up to three typical test files', () => {
    const paths = [
      'a.test.ts',
      ...['a', 'b', 'c', 'd', 'e'].map(name => `test/${name}.test.ts`),
      'test/fixtures/x.test.ts',
      'test/setup.ts',
    ];
    expect(typicalTests({ paths, text: async () => undefined }, vitest)).toEqual([
      'test/a.test.ts',
      'test/c.test.ts',
      'test/e.test.ts',
    ]);
    expect(typicalTests({ paths: [], text: async () => undefined }, vitest)).toEqual([]);
  });
});
