import { describe, expect, it } from 'vitest';
import { answeredBy, type WorkflowRunSource } from '../../src/events/trigger.ts';
import { decideRound, isSecondDelivery } from '../../src/events/unasked-round.ts';

const SHA = 'a'.repeat(40);
const open = { state: 'open', merged: false, isFork: false, headSha: SHA } as const;
const decide = (rounds: readonly string[] = [], change: Partial<typeof open> | object = {}) =>
  decideRound({ pullRequest: { ...open, ...change }, failedHeadSha: SHA, rounds });
const failure = (letter: string) => `failure-${letter.repeat(40)}`;

describe('a failed run starts a round', () => {
  it.each([
    ['when there was none', []],
    ['when there was one for another commit', [failure('b')]],
    ['when there was one that was told twice', [failure('b'), failure('b')]],
    ['whatever people asked for themselves', ['comment-1', 'comment-2', 'label-20261120100000', 'comment-3']],
  ])('%s', (_when, rounds) => {
    expect(decide(rounds)).toEqual({ go: true });
  });
});

describe('a failed run starts none', () => {
  it.each([
    ['for a fork', [], { isFork: true }, /fork/],
    ['when the pull request was merged', [], { state: 'closed', merged: true }, /merged/],
    ['when the pull request was closed', [], { state: 'closed' }, /closed/],
    ['when its head has moved on', [], { headSha: 'c'.repeat(40) }, /newer commits/],
    ['twice for one commit', [failure('a')], {}, /for this commit already/],
    ['a third time', [failure('b'), failure('c')], {}, /2 unasked rounds/],
    ['a fourth time', [failure('b'), failure('c'), failure('d'), 'comment-1'], {}, /3 unasked rounds/],
  ])('%s', (_when, rounds, change, reason) => {
    expect(decide(rounds, change)).toEqual({ go: false, reason: expect.stringMatching(reason) });
  });
});

it('a round is known by what the run’s own mark answers', () => {
  const source = { kind: 'workflow-run', pullRequest: 2, failed: { headSha: SHA } } as WorkflowRunSource;
  expect(decide([answeredBy(source) ?? ''])).toMatchObject({ go: false });
});

describe('the same event', () => {
  const mine = { run: '1002-1-0a1b2c3d', answers: 'comment-7' };

  it.each([
    [
      'came before, when another workflow run answers it',
      [{ run: '1001-1-ffffffff', answers: 'comment-7' }],
      true,
    ],
    [
      'came before, whatever else was answered',
      [
        { run: '9-1-0', answers: undefined },
        { run: '1001-2-ff', answers: 'comment-7' },
      ],
      true,
    ],
    ['did not come before, when nothing was answered', [], false],
    [
      'did not come before, when another was answered',
      [{ run: '1001-1-ffffffff', answers: 'comment-8' }],
      false,
    ],
    ['did not come before, when the mark is our own', [mine], false],
    [
      'is wanted again, when the same run is run again',
      [{ run: '1002-2-ffffffff', answers: 'comment-7' }],
      false,
    ],
    [
      'came before, when the other run’s number only begins alike',
      [{ run: '10021-1-ffffffff', answers: 'comment-7' }],
      true,
    ],
  ])('%s', (_what, marks, expected) => {
    expect(isSecondDelivery(mine, marks)).toBe(expected);
  });

  it('never came before when it can not come twice', () => {
    const marks = [{ run: '1001-1-ffffffff', answers: undefined }];
    expect(isSecondDelivery({ run: '1002-1-0a1b2c3d', answers: undefined }, marks)).toBe(false);
  });
});
