import { describe, expect, it } from 'vitest';
import { commandPaths } from '../../src/commands/command-paths.ts';

const PATHS = ['lint.sh', 'tools/check.js', 'rules.json', 'src/a.js', 'check.py'];

describe('what decides what a command says', () => {
  it.each([
    ['./lint.sh src/a.js', ['lint.sh']],
    ['sh lint.sh && node tools/check.js src/a.js', ['lint.sh', 'tools/check.js']],
    ['CI=1 python3 -u check.py src/a.js', ['check.py']],
    ['eslint -c rules.json src/a.js', ['rules.json']],
    ['eslint --config=rules.json src/a.js', ['rules.json']],
    ['npx eslint src/a.js | cat', []],
  ])('%s', (command, expected) => {
    expect(commandPaths(command, [], PATHS)).toEqual(expected);
  });

  it('is also what a script of package.json runs', () => {
    expect(commandPaths('npm run lint', ['bash "lint.sh" --fix', 'tsc -p .'], PATHS)).toEqual(['lint.sh']);
  });
});
