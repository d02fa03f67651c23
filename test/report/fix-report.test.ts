import { describe, expect, it } from 'vitest';
import { type FixReportInput, fixReport } from '../../src/report/fix-report.ts';
import { pullRequestBody, pullRequestTitle } from '../../src/report/pull-request.ts';
import { fixInput, proof } from './samples.ts';
import { EVIL, openFolds, whatActs } from './what-acts.ts';

const commandGreen = { command: 'npm run lint', before: 'exit code 1', after: 'exit code 0' };
const noTests = { ...proof, proven: false, reason: 'no test failed before the change', failToPass: [] };

it('the report of a fix that was pushed to a pull request reads like this', () => {
  expect(
    fixReport(fixInput),
  ).toBe(`The change is commit \`abcdef0123\` on \`feature/cart\`. CI for it waits for **Approve workflows to run** in the merge box, unless the action was given the token of an app or a person.

2 tests turned from failing to passing.

### Please note

- \`.github/workflows/ci.yml\` was held back.

### What was wrong

<sub>Cause and fix are told in the model’s words; the quotations (not where they are said to stand) and everything about test runs were checked.</sub>

An empty cart has no first price, and \\\`reduce\\\` without a start value throws.

Root cause: \`src/cart.ts:12\`

### Evidence

From test/cart.test.ts:

\`\`\`text
TypeError: Reduce of empty array with no initial value
\`\`\`

From src/cart.ts:12:

\`\`\`text
  return prices.reduce((a, b) => a + b);
\`\`\`

### How it was fixed

The sum starts at 0.

### How it was shown

In \`test/cart.test.ts\`:

| Test | Before | After |
| --- | --- | --- |
| <code>cart &#62; totals &#124; sums</code> | ❌ failed: assertion | ✅ passed |
| \`cart > is empty\` | ❌ failed: not implemented | ✅ passed |

<details>
<summary>What was checked</summary>

- Baseline (before any change): 40 passed, 1 failed, 2 skipped, 3.1 s.
- Red (the failing tests without the change): 0 passed, 2 failed, 0 skipped, 900 ms.
- Green (the same tests with the change): 2 passed, 0 failed, 0 skipped, 950 ms.
- Whole suite (with the change): 42 passed, 1 failed, 2 skipped, 3.2 s.
- Passing before and after: 40.
- Broken by the change: none.
- Failing before already, and not blamed on the change: \`test/old.test.ts::always red\`.
- Flaky (two runs of the same code differed): \`test/clock.test.ts::ticks\`.
- Not done for want of time: mutation of the changed lines
- Sandbox: service, \`node:24@sha256:12ab\`.

</details>

<details>
<summary>Files</summary>

| Code | Status | Lines | What |
| --- | --- | --- | --- |
| \`src/cart.ts\` | modified | +12 −3 | Adds totals; closes #\u200b9 &#124; @\u200bada |

| Tests | Status | Lines | What |
| --- | --- | --- | --- |
| \`test/cart.test.ts\` | added | +30 −0 | Tests for the cart. |

| Images | Status | Lines | What |
| --- | --- | --- | --- |
| \`plot.png\` | added | binary | A plot. |

</details>

<details>
<summary>How</summary>

- Set-up: \`npm ci\`
- Tests: \`npx vitest run\`, \`npx vitest run test/cart.test.ts\`
- \`gpt-5\`: 12 model calls, 45,210 tokens in (30,000 cached) and 2,300 out, price not known, in 3 min 5 s
- [The run](https://github.com/o/r/actions/runs/1), with its log and evidence

</details>`);
});

describe('fixReport', () => {
  it('has what must be read above the diagnosis, and no heading where there is nothing', () => {
    const remark = 'the change compares with a literal of the tests';
    const headings = (text: string) => text.match(/^### .*/gm);
    expect(headings(fixReport({ ...fixInput, remarks: [remark] }))?.slice(0, 2)).toEqual([
      '### Please note',
      '### What was wrong',
    ]);
    expect(headings(fixReport({ ...fixInput, remarks: [] }))?.[0]).toBe('### What was wrong');
  });

  it('has what must be read also where there is not room for all', () => {
    const cause = '|'.repeat(100_000);
    const report = fixReport({ ...hostile(cause), remarks: ['the pull request changes nothing any more'] });
    expect(report).toContain('### Please note\n\n- the pull request changes nothing any more\n');
  });

  it('counts the remarks that it does not list', () => {
    const remarks = Array.from({ length: 2000 }, (_, index) => `remark ${index}: ${'x'.repeat(300)}`);
    expect(fixReport({ ...fixInput, remarks })).toMatch(/\n- and 1,9\d\d more remarks, not listed\n/);
  });

  it('shows the test command of the workflow as code, among how it was made', () => {
    const how = fixReport({ ...fixInput, remarks: [], testCommand: 'npm run "test:ci"\n' });
    expect(how).toMatch(
      /<summary>How<\/summary>[\s\S]*- The workflow’s own `test-command`: `npm run "test:ci"`\n/,
    );
    expect(how).not.toContain('Please note');
    expect(fixReport({ ...fixInput, testCommand: ' ' })).not.toContain('test-command');
  });

  it('closes nothing, quotes no request, calls nothing a draft, and holds none of our marks', () => {
    const report = fixReport({
      ...fixInput,
      issue: 7,
      request: { ...fixInput.request, text: 'the request' },
    });
    expect(report).not.toMatch(/Closes|the request|draft|<!--/);
  });

  it.each([
    ['no commit', { headSha: undefined }],
    ['no branch', { pushedTo: undefined }],
  ])('says that nothing was pushed when there is %s, and then nothing of CI', (_what, missing) => {
    const report = fixReport({ ...fixInput, ...missing });
    expect(report).toMatch(/^The change was not pushed\.\n/);
    expect(report).not.toContain('CI');
  });

  it('says how to start CI where it does not wait', () => {
    expect(fixReport({ ...fixInput, ci: 'needs-reopening' })).toContain('close and reopen the pull request');
  });

  it('warns when the runs shared a machine with the agent', () => {
    expect(fixReport({ ...fixInput, proof: { ...proof, isolated: false } })).toContain(
      'could have forged them',
    );
  });

  it('claims no proof where there is none', () => {
    const report = fixReport({ ...fixInput, proof: { ...proof, proven: false, reason: 'broken' } });
    expect(report).not.toMatch(/turned from failing|How it was shown/);
    expect(report).toContain('### What was done to show it');
  });

  it('shows a command that is green as no more than that', () => {
    const report = fixReport({ ...fixInput, proof: noTests, commandGreen });
    expect(report).toContain(
      '**Command green, not proven.** `npm run lint`: exit code 1 before the change, exit code 0 after it.',
    );
    expect(report).toContain('| `npm run lint` | ❌ exit code 1 | ✅ exit code 0 |');
    expect(report).not.toContain('No test turned');
  });

  it('lets nothing from outside act, in whatever field it stands', () => {
    const report = fixReport(hostile(EVIL));
    expect(whatActs(report)).toEqual([]);
    expect(report).not.toContain('<!-- redgreen');
    expect(openFolds(report)).toBe(0);
  });

  it.each(['word ', '|', '`', '😀', '\n', '<!-- redgreen:end -->'])(
    'stays within its limit with 100 KB of %j everywhere',
    piece => {
      const report = fixReport(hostile(piece.repeat(Math.ceil(100_000 / piece.length))));
      expect(report.length).toBeLessThanOrEqual(45_000);
      expect(report.isWellFormed()).toBe(true);
      expect(whatActs(report)).toEqual([]);
      expect(openFolds(report)).toBe(0);
    },
  );
});

describe('the pull request of a fix', () => {
  it('tells what was wrong in place of what was done, and closes its issue', () => {
    const body = pullRequestBody({ ...fixInput, issue: 7 });
    expect(body).toContain(
      '> **Proven.** The tests failed the same way three times before the change and pass after it, and nothing that passed was broken. 2 tests turned',
    );
    expect(body.match(/^### .*/gm)).toEqual([
      '### Please note',
      '### Why there is this change (unasked, because CI failed)',
      '### What was wrong',
      '### Evidence',
      '### How it was fixed',
      '### How it was shown',
      '### What was checked',
      '### Files',
      '### How',
    ]);
    expect(body).toMatch(/Closes #7\n\n<!-- redgreen:end -->$/);
  });

  it('tells the model’s account as the fix where the diagnosis has none', () => {
    const body = pullRequestBody({ ...fixInput, diagnosis: { ...fixInput.diagnosis!, fix: ' ' } });
    expect(body).toContain('### How it was fixed\n\nnot shown beside a diagnosis');
  });

  it('leaves out what a diagnosis does not say', () => {
    const body = pullRequestBody({
      ...fixInput,
      explanation: '',
      diagnosis: { cause: 'a', place: '', evidence: [], fix: '' },
    });
    expect(body).not.toMatch(/Root cause|Evidence|How it was fixed/);
  });

  it('says “command green” in the box and in the title, and proof wins over it', () => {
    const given = { ...fixInput, proof: noTests, outcome: 'unproven', commandGreen } as const;
    const body = pullRequestBody(given);
    expect(body).toContain(
      '> [!WARNING]\n> **Command green, not proven.** `npm run lint`: exit code 1 before',
    );
    expect(body).toContain('\n> no test failed before the change\n>\n> Read it as a draft.');
    expect(body).not.toContain('**Proven');
    expect(pullRequestTitle(given)).toBe('[command green] Fix the total of an empty cart');
    expect(pullRequestTitle({ ...given, proof })).toBe('Fix the total of an empty cart');
    expect(pullRequestBody({ ...given, proof })).not.toContain('Command green');
  });

  it('shows a green command without a diagnosis under a heading that is not “Proof”', () => {
    const body = pullRequestBody({ ...fixInput, diagnosis: undefined, proof: undefined, commandGreen });
    expect(body).toContain('### What was shown\n\n| Command |');
    expect(body).not.toContain('### Proof');
  });

  it('counts no tests of a command that is judged by its exit', () => {
    const run = { ...proof.runs[0]!, passed: 0, failed: 0, skipped: 0, durationMs: 1000 };
    const body = pullRequestBody({
      ...fixInput,
      commandGreen,
      proof: {
        ...noTests,
        runs: [
          { ...run, name: 'command-before', exit: { kind: 'code', code: 2 } },
          { ...run, name: 'command-after' },
        ],
      },
    });
    expect(body).toContain('- The command before the change: exit code 2, 1.0 s.\n');
    expect(body).toContain('- The command with the change: exit code 0, 1.0 s.\n');
  });

  it('lets nothing from outside act, and has its end where nobody forges it', () => {
    const body = pullRequestBody({ ...hostile(EVIL), issue: undefined });
    expect(whatActs(body)).toEqual([]);
    expect(body.match(/<!-- redgreen/g)).toHaveLength(2);
  });

  it.each(['|', '`', '😀'])('stays within the limit with 100 KB of %j everywhere', piece => {
    const body = pullRequestBody({ ...hostile(piece.repeat(100_000)), issue: 7 });
    expect(body.length).toBeLessThanOrEqual(65_000);
    expect(body.endsWith('For #7\n\n<!-- redgreen:end -->')).toBe(true);
  });
});

/** The text in every field that can come from outside. */
const hostile = (text: string): FixReportInput => ({
  ...fixInput,
  subject: text,
  request: { askedBy: text, command: '/agent fix', text },
  reason: text,
  explanation: text,
  diagnosis: {
    cause: text,
    place: text,
    evidence: Array.from({ length: 30 }, () => ({ source: text, quote: text })),
    fix: text,
    reproduced: text,
  },
  commandGreen: { command: text, before: text, after: text },
  functions: [
    { name: text, file: text, purpose: text, inputs: text, outputs: text, errors: text, dependencies: [] },
  ],
  files: [{ ...fixInput.files[0]!, path: text, description: text }],
  remarks: [text],
  testCommand: text,
  model: text,
  pushedTo: text,
  proof: {
    ...noTests,
    reason: text,
    runs: proof.runs.map(run => ({ ...run, command: text, problem: text })),
    setupCommand: text,
    failToPass: [{ id: text, before: 'error', said: text, after: 'passed' }],
    flaky: [text],
    brokenTests: [text],
    lostTests: [text],
    failedBefore: [text],
    skippedForTime: [text],
    sandbox: { kind: text, image: text, snapshot: text },
  },
});
