import { expect, it } from 'vitest';
import { isBranchName, issueBranch, runBranch } from '../../src/git/branch-name.ts';

it('names branches after the issue or the run', () => {
  expect(issueBranch(7)).toBe('agent/issue-7');
  expect(issueBranch(7, 2)).toBe('agent/issue-7-2');
  expect(runBranch('123456')).toBe('agent/run-123456');
  expect(runBranch('1/../x y')).toBe('agent/run-1-x-y');
});

it.each([
  'main',
  'agent/issue-7',
  'feature/a.b_c',
  'dependabot/npm_and_yarn/@scope/x-1.2.3',
  'fix#12',
  '1.x',
])('%s is a branch name', name => {
  expect(isBranchName(name)).toBe(true);
});

it.each([
  '',
  '-rf',
  '--all',
  'a..b',
  'a//b',
  'a/',
  '/a',
  'a.',
  'a.lock',
  'a.lock/b',
  'a/.b',
  '.a',
  'a@{1}',
  '@',
  'a b',
  'a\nb',
  'a:b',
  'a~1',
  'a^',
  'a?',
  'a*',
  'a[b',
  'a\\b',
  '+a',
  'ü',
  'x'.repeat(201),
])('%j is none', name => {
  expect(isBranchName(name)).toBe(false);
});
