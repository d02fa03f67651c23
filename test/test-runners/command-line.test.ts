import { describe, expect, it } from 'vitest';
import { appendArguments, findCommand, quote } from '../../src/test-runners/command-line.ts';
import { jest } from '../../src/test-runners/jest.ts';
import { mocha } from '../../src/test-runners/mocha.ts';
import { nodeTest } from '../../src/test-runners/node-test.ts';
import { resolveScripts } from '../../src/test-runners/package-json.ts';
import { pytest } from '../../src/test-runners/pytest.ts';
import type { TestRunner } from '../../src/test-runners/test-runner.ts';
import { vitest } from '../../src/test-runners/vitest.ts';

const hasRun = (words: readonly string[]) => words.includes('run');

describe('findCommand', () => {
  it.each([
    ['run a', '', ['run', 'a']],
    ['npm ci && X=1 run "a b" \'c\'', 'npm ci && ', ['X=1', 'run', '"a b"', "'c'"]],
    ['run a; run b && lint', 'run a ; ', ['run', 'b']],
    ['"run" x', '', ['"run"', 'x']],
  ])('finds the last wanted command in %j', (line, before, words) => {
    expect(findCommand(line, hasRun)).toEqual({ before, words });
  });

  it.each([
    'walk',
    'run | tee log',
    'cat x | run',
    'run > log',
    'run $(ls)',
    'run `ls`',
    'run &',
    'run || true',
    'run "open',
    'sh -c "run a"',
  ])('leaves %j alone', line => {
    expect(findCommand(line, hasRun)).toBeUndefined();
  });
});

describe('arguments', () => {
  it.each([
    ['npm test', 'npm test -- -x'],
    ['npm run unit', 'npm run unit -- -x'],
    ['npm test -- -v', 'npm test -- -v -x'],
    ['yarn test', 'yarn test -x'],
    ['make test ARGS="{args}" q', 'make test ARGS="-x" q'],
  ])('are added to %j', (command, whole) => {
    expect(appendArguments(command, ['-x'])).toBe(whole);
  });

  it('are quoted only where needed', () => {
    expect(['a/b.test.js', 'a b', "it's", '$(x)', '[a]'].map(quote)).toEqual([
      'a/b.test.js',
      "'a b'",
      "'it'\\''s'",
      "'$(x)'",
      "'[a]'",
    ]);
  });
});

describe('the shown command', () => {
  const shown = (runner: TestRunner, testCommand: string | undefined, files: readonly string[] = []) =>
    runner.command({ testCommand, files, reportPath: '/s/r', scratch: '/s', workdir: '/w' }).shown;

  it.each([
    [nodeTest, undefined, ['-a.test.js', 'b c.js'], "node --test ./-a.test.js 'b c.js'"],
    [
      nodeTest,
      'NODE_ENV=test node --import tsx --test --test-reporter dot test/*.ts',
      ['a.ts'],
      'NODE_ENV=test node --import tsx --test a.ts',
    ],
    [
      nodeTest,
      'tsx --test --test-timeout 9 --watch --experimental-test-coverage x/',
      [],
      'tsx --test --test-timeout 9 x/',
    ],
    [nodeTest, 'npm run build && node --test dist', [], 'npm run build && node --test dist'],
    [vitest, undefined, ['a.test.ts'], 'vitest run a.test.ts'],
    [vitest, 'npx vitest --config x.ts unit', ['a.test.ts'], 'npx vitest run --config x.ts a.test.ts'],
    [vitest, 'cross-env A=1 vitest run unit --coverage.reporter text', [], 'cross-env A=1 vitest run unit'],
    [jest, undefined, ['a.test.ts'], 'jest --runTestsByPath a.test.ts'],
    [jest, 'jest src --projects a b --coverage -u', [], 'jest src --projects a b'],
    [
      jest,
      'cross-env A=1 jest --watch --coverageReporters text lcov --config x.js --testPathPattern a -w 2',
      ['b.test.ts'],
      'cross-env A=1 jest --config x.js -w 2 --runTestsByPath b.test.ts',
    ],
    [jest, 'react-scripts test --env jsdom --watchAll', [], 'react-scripts test --env jsdom'],
    [mocha, undefined, [], 'mocha'],
    [mocha, 'mocha -r a -R dot --bail --spec x --timeout 5 y', ['b.js'], 'mocha -r a --timeout 5 b.js'],
    [mocha, 'mocha --spec x', [], 'mocha --spec x'],
    [mocha, 'A=1 c8 -r text --100 npx mocha test', [], 'A=1 npx mocha test'],
    [mocha, 'c8 --check-coverage mocha test', [], 'mocha test'],
    [
      mocha,
      'nyc --check-coverage -r text mocha test',
      [],
      'nyc --silent --check-coverage=false -r text mocha test',
    ],
    [mocha, 'ts-mocha -p tsconfig.json -w x', ['-b.ts'], 'ts-mocha -p tsconfig.json ./-b.ts'],
    [pytest, 'poetry run pytest -x -n 4 tests', ['t.py'], 'poetry run pytest -n 4 t.py'],
    [pytest, 'python -m pytest --maxfail=1 -k "a or b"', [], 'python -m pytest -k "a or b"'],
  ])('of %o and %j', (runner, command, files, whole) => {
    expect(shown(runner, command, files)).toBe(whole);
  });
});

describe('resolveScripts', () => {
  const scripts = {
    test: 'npm run unit && npm run lint',
    unit: 'node --test',
    preunit: 'build',
    lint: 'x',
    loop: 'npm run loop',
  };
  it.each([
    ['npm test', 'build && node --test && x'],
    ['npm t', 'build && node --test && x'],
    ['yarn unit a.js', 'build && node --test a.js'],
    ['pnpm run unit -- a.js', 'build && node --test a.js'],
    ['make test', 'make test'],
    ['npm run toString', 'npm run toString'],
    ['npm run loop', 'npm run loop'],
  ])('%s runs %j', (command, resolved) => {
    expect(resolveScripts(command, scripts)).toBe(resolved);
  });
});
