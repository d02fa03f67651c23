import { describe, expect, it } from 'vitest';
import { runLines } from '../../src/report/run-lines.ts';
import type { ProofRun } from '../../src/types.ts';

const run = (name: ProofRun['name'], facts: Partial<ProofRun> = {}): ProofRun => ({
  name,
  command: 'npm test',
  exit: { kind: 'code', code: 0 },
  reportSha256: '1',
  passed: 3,
  failed: 0,
  skipped: 0,
  durationMs: 900,
  ...facts,
});
const red = { passed: 0, failed: 2, exit: { kind: 'code', code: 1 } } as const;

describe('runLines', () => {
  it('gives runs of a kind with equal counts one line', () => {
    const again = run('reproduction', { ...red, durationMs: 1000, reportSha256: '2' });
    expect(
      runLines([run('baseline'), run('reproduction', red), again, again, run('red', red)], true),
    ).toEqual([
      'Baseline (before any change): 3 passed, 0 failed, 0 skipped, 900 ms.',
      'Reproduction (the failing tests, before any change), 3 times: 0 passed, 2 failed, 0 skipped, 2.9 s together.',
      'Red (the failing tests without the change): 0 passed, 2 failed, 0 skipped, 900 ms.',
    ]);
  });

  it.each([
    ['counts', { failed: 1 }],
    ['ends', { exit: { kind: 'timeout', timeoutMs: 1000 } }],
    ['problems', { problem: 'no report' }],
  ] as const)('tells runs apart whose %s differ', (_what, facts) => {
    expect(
      runLines([run('reproduction', red), run('reproduction', { ...red, ...facts })], true),
    ).toHaveLength(2);
  });

  it('has what passes on the base below the runs before any change, and takes it for good', () => {
    const lines = runLines(
      [run('on-base'), run('baseline'), run('reproduction', red), run('red', red)],
      true,
    );
    expect(lines.map(line => line.split(' ')[0])).toEqual(['Baseline', 'Reproduction', 'The', 'Red']);
    expect(lines[2]).toBe(
      'The same test files on the commit that the pull request started from: 3 passed, 0 failed, 0 skipped, 900 ms: the failure came with the pull request.',
    );
  });

  it.each([
    ['tests that fail', { failed: 1, exit: { kind: 'code', code: 1 } }],
    ['no tests', { passed: 0 }],
    ['an exit that is an error', { exit: { kind: 'code', code: 2 } }],
    ['a problem', { problem: 'no report' }],
  ] as const)('concludes nothing from a base with %s', (_what, facts) => {
    expect(runLines([run('on-base', facts)], true)[0]).not.toContain('came with');
  });

  it('shows code in a problem as code, and lets nothing act in it', () => {
    expect(runLines([run('suite', { problem: '`a.xml` for @ada' })], false)[0]).toMatch(
      / 900 ms\. `a\.xml` for @\u200bada$/,
    );
  });
});
