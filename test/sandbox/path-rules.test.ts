import { describe, expect, it } from 'vitest';
import { secretNames } from '../../src/sandbox/environment.ts';
import { linkProblem, pathProblem } from '../../src/sandbox/path-rules.ts';

describe('a path', () => {
  it.each([
    ...[
      'a',
      'a/b',
      '.gitignore',
      '.github/x',
      'a.git',
      'git',
      'git~',
      '.gitmodules',
      '-rf',
      'a b',
      '日本',
      '...',
      'a\\b',
    ],
  ])('may be %j', path => {
    expect(pathProblem(path)).toBeUndefined();
  });

  it.each([
    ...[
      '',
      '/a',
      'a//b',
      'a/',
      '.',
      '..',
      'a/../b',
      './a',
      'a\nb',
      'a\u0000',
      'a\u001bb',
      'a\u007f',
      'a\u009bb',
    ],
    ...[
      '.git',
      'a/.git/config',
      '.GIT',
      '.gIt/x',
      '.git.',
      '.git ',
      '.git. .',
      'git~1',
      'GIT~12',
      '.git::$INDEX',
      '.git\\x',
    ],
    ...['.g\u200cit', '\ufeff.git', '.git\u200d', 'x'.repeat(4097)],
  ])('may not be %j', path => {
    expect(pathProblem(path)).toBeDefined();
  });
});

describe('a link', () => {
  it.each([
    ['a', 'b'],
    ['a/b', '../c'],
    ['a/b/c', '../../d'],
    ['a', '.'],
    ['a', '..b'],
    ['a', 'b/../c'],
  ])('at %j may lead to %j', (path, target) => {
    expect(linkProblem(path, target)).toBeUndefined();
  });

  it.each([
    ['a', '/etc/passwd'],
    ['a', '..'],
    ['a', '../x'],
    ['a/b', '../../x'],
    ['a/b', 'c/../../../x'],
    ['a', 'C:\\x'],
    ['a', ''],
    ['a', 'x\ny'],
    ['a', '.git/config'],
    ['a/b', '../.GIT'],
  ])('at %j may not lead to %j', (path, target) => {
    expect(linkProblem(path, target)).toBeDefined();
  });
});

describe('a name in the environment', () => {
  it.each([
    'MY_TOKEN',
    'npm_config__authToken',
    'OPENAI_API_KEY',
    'AWS_SECRET_ACCESS_KEY',
    'DB_PASSWORD',
    'GH_PAT',
    'KEY',
  ])('%s looks like a secret', name => {
    expect(secretNames([`${name}=x`], new Set())).toEqual([name]);
    expect(secretNames([`${name}=`], new Set())).toEqual([]);
  });

  it.each(['PATH', 'MONKEY', 'PWD', 'KEYBOARD', 'AUTHOR', 'PATTERN'])('%s does not', name => {
    expect(secretNames([`${name}=x`], new Set())).toEqual([]);
  });

  it('is no secret when the image brings it, value and all', () => {
    expect(secretNames(['GPG_KEY=A'], new Set(['GPG_KEY=A']))).toEqual([]);
    expect(secretNames(['GPG_KEY=B'], new Set(['GPG_KEY=A']))).toEqual(['GPG_KEY']);
  });
});
