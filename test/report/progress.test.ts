import { describe, expect, it } from 'vitest';
import { diagnosisSections } from '../../src/report/diagnosis-section.ts';
import { codeFence, fold } from '../../src/report/markdown.ts';
import { outcomeText } from '../../src/report/outcome-text.ts';
import { foldProgress, type Progress, startProgress } from '../../src/report/progress.ts';
import { progressComment } from '../../src/report/progress-comment.ts';
import { stepSummary } from '../../src/report/summary.ts';
import type { RunEvent } from '../../src/run-events.ts';
import type { Outcome } from '../../src/types.ts';
import { diagnosis, files, proof } from './samples.ts';
import { EVIL, whatActs } from './what-acts.ts';

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

  it('says of a run that nobody asked for why it runs', () => {
    const unasked = startProgress({ ...start, askedBy: undefined, command: '/agent fix', phases: [] });
    expect(progressComment(unasked)).toContain('\n\nunasked, because CI failed · [run](');
    expect(progressComment(unasked)).not.toContain('/agent');
    expect(progressComment(start)).not.toContain('CI failed');
    const summary = (progress: Progress) => stepSummary({ progress, proof: undefined, files: [] });
    expect(summary(unasked)).toContain('\n\nunasked, because CI failed · no model calls');
    expect(summary(start)).toContain('\n\n`/agent implement` · no model calls');
  });

  it('shows code in warnings, reasons and notes as code', () => {
    const comment = progressComment(
      progressAfter(
        { kind: 'phase-ended', phase: 'gate', ok: false, note: 'not `write`' },
        { kind: 'gate-decided', gate: 'cause', passed: false, reason: 'call `name_cause` first' },
        { kind: 'note', level: 'warning', text: 'left in the sandbox: `a.txt`' },
        { kind: 'run-ended', outcome: 'blocked', reason: '`npm test`: no report', usage },
      ),
    );
    for (const shown of [
      '- ❌ Permission: not `write`\n',
      '**not passed**: call `name_cause` first |',
      '> left in the sandbox: `a.txt`\n',
      'Reason: `npm test`: no report.\n',
    ])
      expect(comment).toContain(shown);
  });

  describe('on the pull request that it published to', () => {
    const published = (...whats: string[]): RunEvent[] => [
      ...whats.map((what): RunEvent => ({ kind: 'published', what, url: 'https://github.com/o/r' })),
      { kind: 'run-ended', outcome: 'partial', reason: '', usage },
    ];
    const linksOf = (thread: number | undefined, ...whats: string[]) =>
      progressComment(published(...whats).reduce(foldProgress, { ...start, thread }))
        .replaceAll(Z, '')
        .match(/(?<=^- \[).*(?=\]\()/gm) ?? [];

    it('does not link to itself and its branch, and still knows that there is something', () => {
      expect(linksOf(1, 'branch topic', 'pull request #1')).toEqual([]);
      const ended = published('branch topic', 'pull request #1').reduce(foldProgress, {
        ...start,
        thread: 1,
      });
      expect(progressComment(ended)).toContain('what there is was kept');
    });

    it('links to what went elsewhere', () => {
      const elsewhere = ['branch agent/fix', 'pull request #11'];
      expect(linksOf(1, ...elsewhere)).toEqual(elsewhere);
      expect(linksOf(undefined, ...elsewhere)).toEqual(elsewhere);
      expect(linksOf(1, 'branch topic')).toEqual(['branch topic']);
    });

    it('links in the step summary, which stands elsewhere', () => {
      const progress = published('branch topic', 'pull request #1').reduce(foldProgress, {
        ...start,
        thread: 1,
      });
      expect(stepSummary({ progress, proof: undefined, files: [] })).toContain(`[pull request #${Z}1](`);
    });
  });

  it('puts a phase that was not foreseen where the run is, before what still waits', () => {
    const comment = progressComment(
      progressAfter(
        { kind: 'phase-started', phase: 'gate' },
        { kind: 'phase-ended', phase: 'gate', ok: true, note: '' },
        { kind: 'phase-started', phase: 'reproduction' },
      ),
    );
    expect(comment.match(/(?<=^- \S+ ).*/gm)).toEqual([
      'Permission',
      '**Reproduction**',
      'Baseline',
      'Proof',
    ]);
  });

  it('names the command that was given in what to do next, and tells a fix as one', () => {
    const fix = { ...start, command: '/agent fix' };
    const fixed = [
      { kind: 'phase-started', phase: 'fix' },
      { kind: 'run-ended', outcome: 'proven', reason: '', usage },
    ] satisfies RunEvent[];
    expect(progressComment(fixed.reduce(foldProgress, fix))).toContain('failed the same way three times');
    const partial = foldProgress(
      { ...fix, published: [{ what: 'x', url: 'https://x' }] },
      { kind: 'run-ended', outcome: 'partial', reason: '', usage },
    );
    expect(progressComment(partial)).toContain('**Next:** `/agent fix` goes on from here.');
  });

  describe('with a report', () => {
    const ended = progressAfter(...underway, { kind: 'run-ended', outcome: 'proven', reason: '', usage });
    const report = ['A sentence.', '### Patch', fold('patch', codeFence('+x\n\n'.repeat(3000)))].join('\n\n');

    it('has it below the ending, and only then', () => {
      expect(progressComment(ended, report)).toMatch(
        /asks? for the right thing\.\n\nA sentence\.\n\n### Patch/,
      );
      expect(progressComment(progressAfter(...underway), report)).not.toContain('A sentence');
    });

    it('cuts the report first, by whole blocks, and keeps ending, phases and runs', () => {
      const many = Array.from({ length: 8 }, () => report).join('\n\n');
      const comment = progressComment(ended, many);
      expect(comment.length).toBeLessThanOrEqual(65_000);
      expect(comment.length).toBeGreaterThan(45_000);
      expect(comment.match(/<details>/g)?.length).toBe(comment.match(/<\/details>/g)?.length);
      expect(comment.match(/### Patch/g)?.length).toBe(comment.match(/<summary>patch/g)?.length);
      expect(comment).toContain('*… more did not fit here: it is in the summary of the run.*');
      for (const kept of [
        '### ✅ Proven',
        '**Next:**',
        '- ✅ Permission',
        '2 steps: test runs',
        '<sub>`gpt-5`',
      ])
        expect(comment).toContain(kept);
    });

    it('leaves the report out when warnings fill the comment, and keeps ending and phases', () => {
      const warnings = Array.from(
        { length: 100 },
        (): RunEvent => ({ kind: 'note', level: 'warning', text: 'word '.repeat(300) }),
      );
      const comment = progressComment(warnings.reduce(foldProgress, ended), report);
      expect(comment.length).toBeLessThanOrEqual(65_000);
      expect(comment).not.toContain('A sentence');
      for (const kept of ['### ✅ Proven', '**Next:**', '- ✅ Permission']) expect(comment).toContain(kept);
    });

    it('lets nothing from outside act in a run’s own fields', () => {
      const evil = [
        { kind: 'phase-ended', phase: 'fix', ok: false, note: EVIL },
        { kind: 'note', level: 'warning', text: EVIL },
        { kind: 'gate-decided', gate: EVIL, passed: false, reason: EVIL },
        { kind: 'published', what: EVIL, url: EVIL },
        { kind: 'run-ended', outcome: 'not-reproduced', reason: EVIL, usage },
      ] satisfies RunEvent[];
      const comment = progressComment(evil.reduce(foldProgress, { ...start, askedBy: EVIL, command: EVIL }));
      expect(whatActs(comment)).toEqual([]);
      expect(comment).not.toContain('<!-- redgreen');
    });
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

  it.each(outcomes)('%s names the command that was given and no other', outcome => {
    for (const published of [true, false]) {
      const { nextStep } = outcomeText(outcome, '', { command: '/bot fix', published });
      expect(nextStep).not.toContain('/agent');
      expect(nextStep.includes('`/bot fix`')).toBe(
        outcomeText(outcome, '', { published }).nextStep.includes('`/agent implement`'),
      );
    }
  });

  it.each([
    'job “lint”, step “Run eslint” failed',
    'the base branch fails in the same way',
    'only flaky tests fail: a',
    'no test failed',
  ])('does not say of “%s” that a failure showed itself nowhere', reason => {
    const { sentence, nextStep } = outcomeText('not-reproduced', reason, { command: '/agent fix' });
    expect(sentence).toBe(
      `The run found no failure that it could reproduce and mend here, so nothing was changed. Reason: ${reason}.`,
    );
    expect(nextStep).toContain('Otherwise give `/agent fix` with the steps');
    expect(outcomeText('not-reproduced', reason, { cure: 'Mend the base.' }).nextStep).toBe('Mend the base.');
  });

  it('fits failures in words and failing tests when nothing was reproduced', () => {
    expect(outcomeText('not-reproduced', '').nextStep).not.toMatch(/test-command|this change/);
  });

  it.each([
    [true, 'The run ended before the work was done; what there is was kept.'],
    [false, 'The run ended before the work was done.'],
  ])('claims that what there is was kept only where something was published: %s', (published, sentence) => {
    expect(outcomeText('partial', '', { published }).sentence).toBe(sentence);
  });

  it.each(['partial', 'blocked', 'unproven'] as const)(
    'does not ask nobody for other words when an unasked run ends %s',
    outcome => {
      const unasked = { asked: false, command: '/bot fix' };
      const { nextStep } = outcomeText(outcome, '', unasked);
      expect(nextStep).not.toMatch(/more exactly|smaller step|more detail/);
      expect(nextStep).toContain('by hand');
      expect(nextStep).toContain('`/bot fix`');
      expect(
        outcomeText(outcome, '', { ...unasked, cure: 'Say more exactly what is wanted.' }).nextStep,
      ).toBe(
        'Say more exactly what is wanted. Nobody had asked for this run: `/bot fix` in a comment starts one, and takes words on what is wanted.',
      );
      const asked = { ...unasked, asked: true };
      expect(outcomeText(outcome, '', asked)).toEqual(outcomeText(outcome, '', { command: '/bot fix' }));
      expect(outcomeText(outcome, '', { ...asked, cure: 'Mend it.' }).nextStep).toBe('Mend it.');
    },
  );

  it('goes on from what an unasked run published', () => {
    expect(outcomeText('partial', '', { asked: false, published: true }).nextStep).toMatch(
      /goes on from here\.$/,
    );
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

  it('has a section of the command’s own below the outcome', () => {
    const extra = diagnosisSections(diagnosis);
    const summary = stepSummary({ progress: start, proof, files, extra });
    expect(summary.indexOf('### What was wrong')).toBeGreaterThan(0);
    expect(summary.indexOf('### What was wrong')).toBeLessThan(summary.indexOf('### Phases'));
    expect(stepSummary({ progress: start, proof, files })).not.toMatch(/\n{3}/);
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
