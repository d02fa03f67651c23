import { describe, expect, it } from 'vitest';
import { outcomeText } from '../../src/report/outcome-text.ts';
import { foldProgress, type Progress, startProgress } from '../../src/report/progress.ts';
import { progressComment } from '../../src/report/progress-comment.ts';
import { stepSummary } from '../../src/report/summary.ts';
import type { RunEvent } from '../../src/run-events.ts';
import type { Outcome } from '../../src/types.ts';
import { files, proof } from './samples.ts';

const Z = '\u200b';
const usage = { calls: 1, inputTokens: 100, cachedInputTokens: 0, outputTokens: 10, costUsd: 0.5 };
const answered: RunEvent = {
  kind: 'model-answered',
  role: 'r',
  turn: 1,
  message: { role: 'assistant', content: '', toolCalls: [] },
  finishReason: 'stop',
  usage,
  durationMs: 1,
};
const tests = (purpose: string, failed: number): RunEvent => ({
  kind: 'tests-ran',
  purpose,
  run: {
    command: 'npm test',
    exit: { kind: 'code', code: failed ? 1 : 0 },
    reportSha256: undefined,
    passed: 3,
    failed,
    skipped: 0,
    durationMs: 1500,
  },
});

const start = startProgress({
  runId: '42-1',
  runUrl: 'https://github.com/o/r/actions/runs/42',
  askedBy: 'ada',
  command: '/agent implement',
  phases: ['gate', 'baseline', 'proof'],
});
const progressAfter = (...events: RunEvent[]): Progress => events.reduce(foldProgress, start);

const underway: RunEvent[] = [
  { kind: 'run-started', version: '1', command: 'implement', repository: 'o/r', issue: 7, model: 'gpt-5' },
  { kind: 'phase-started', phase: 'gate' },
  { kind: 'phase-ended', phase: 'gate', ok: true, note: 'write' },
  { kind: 'phase-started', phase: 'baseline' },
  tests('baseline', 1),
  answered,
  answered,
  { kind: 'gate-decided', gate: 'red', passed: false, reason: 'passes | already' },
  { kind: 'note', level: 'warning', text: 'slow <b>' },
  { kind: 'note', level: 'info', text: 'not shown' },
];

describe('progressComment', () => {
  it('shows a run at work', () => {
    expect(progressComment(progressAfter(...underway))).toBe(`### redgreen is at work

\`/agent implement\` for @${Z}ada · [run](https://github.com/o/r/actions/runs/42)

- ✅ Permission: write
- ⏳ **Baseline**
- ⬜ Proof

| # | What | Passed | Failed | Skipped | Time | Result |
| --- | --- | --- | --- | --- | --- | --- |
| 1 | baseline \`npm test\` | 3 | 1 | 0 | 1.5 s | exit code 1 |
| 2 | gate red |  |  |  |  | **not passed**: passes &#124; already |

> [!WARNING]
> slow &lt;b&gt;

<sub>\`gpt-5\` · 2 model calls, 200 tokens in and 20 out, $1.00</sub>`);
  });

  it('shows how it ended, where the result is and what to do', () => {
    const ended = progressAfter(
      ...underway,
      { kind: 'phase-ended', phase: 'baseline', ok: false, note: '' },
      { kind: 'published', what: 'pull request #9', url: 'https://github.com/o/r/pull/9' },
      {
        kind: 'run-ended',
        outcome: 'partial',
        reason: 'time is up',
        usage: { ...usage, costUsd: undefined },
      },
    );
    const comment = progressComment(ended);
    expect(comment).toContain('### ⚠️ Partial\n');
    expect(comment).toContain('Reason: time is up.');
    expect(comment).toContain(`- [pull request #${Z}9](https://github.com/o/r/pull/9)`);
    expect(comment).toContain('**Next:** `/agent implement` goes on from here');
    expect(comment).toContain('- ❌ Baseline\n');
    expect(comment).toContain('price not known');
    expect(comment).not.toContain('at work');
  });

  it('shows the last test runs only, and phases that were not foreseen', () => {
    const comment = progressComment(
      progressAfter(
        { kind: 'phase-started', phase: 'publish' },
        ...Array.from({ length: 10 }, (_, index) => tests(`run-${index}`, 0)),
      ),
    );
    expect(comment).not.toContain('run-3');
    expect(comment).toContain('| 10 | run-9');
    expect(comment).toContain('*4 earlier in the step summary.*');
    expect(comment).toContain('- ⏳ **Publication**');
  });

  it('fits into a comment', () => {
    const warnings = Array.from(
      { length: 500 },
      (): RunEvent => ({ kind: 'note', level: 'warning', text: '😀 word '.repeat(200) }),
    );
    expect(progressComment(progressAfter(...warnings)).length).toBeLessThanOrEqual(65_000);
  });
});

describe('foldProgress', () => {
  it('does not change what it is given', () => {
    const frozen = JSON.stringify(start);
    progressAfter(...underway);
    expect(JSON.stringify(start)).toBe(frozen);
  });

  it('knows no price once a part has none', () => {
    expect(
      progressAfter(answered, { ...answered, usage: { ...usage, costUsd: undefined } }).usage,
    ).toMatchObject({
      calls: 2,
      costUsd: undefined,
    });
  });
});

describe('outcomeText', () => {
  const outcomes: Outcome[] = [
    'proven',
    'unproven',
    'blocked',
    'partial',
    'not-reproduced',
    'answered',
    'refused',
    'failed',
    'cancelled',
    'crashed',
    'ignored',
  ];
  it.each(outcomes)('%s says what happened, why, and what to do', outcome => {
    const { heading, sentence, nextStep } = outcomeText(outcome, 'because\nof that.');
    expect(heading).toMatch(/^[A-Z]/);
    expect(sentence).toMatch(/\. Reason: because of that\.$/);
    expect(nextStep).toMatch(/[.]$/);
  });

  it('gives every outcome words of its own', () => {
    expect(new Set(outcomes.map(outcome => outcomeText(outcome, '').sentence)).size).toBe(outcomes.length);
  });

  it('says when a proof was not isolated', () => {
    expect(outcomeText('proven', '', { isolated: false }).heading).toBe('Proven (not isolated)');
    expect(outcomeText('failed', '', { isolated: false }).heading).toBe('Failed');
  });
});

describe('stepSummary', () => {
  it('tells the whole run', () => {
    const progress = progressAfter(...underway, { kind: 'run-ended', outcome: 'proven', reason: '', usage });
    const summary = stepSummary({ progress, proof, files });
    expect(summary).toMatch(/^## redgreen: Proven\n/);
    for (const part of [
      '### Phases',
      '| Baseline | running |',
      '| 1 | baseline `npm test` | 3 | 1 |',
      '### Proof',
      '❌ failed: not implemented',
      '### Files',
      '`src/cart.ts`',
      '### Warnings',
    ])
      expect(summary).toContain(part);
  });

  it('says that a run did not finish', () => {
    expect(stepSummary({ progress: start, proof: undefined, files: [] })).toMatch(
      /^## redgreen: not finished\n/,
    );
  });

  it('stays within what the runner takes', () => {
    const warnings = Array.from(
      { length: 3000 },
      (): RunEvent => ({ kind: 'note', level: 'warning', text: '語'.repeat(900) }),
    );
    expect(
      Buffer.byteLength(stepSummary({ progress: progressAfter(...warnings), proof, files })),
    ).toBeLessThanOrEqual(1024 * 1024);
  });
});
