import { describe, expect, it } from 'vitest';
import { mergeBody, pullRequestBody, pullRequestTitle } from '../../src/report/pull-request.ts';
import { files, input, proof } from './samples.ts';

const Z = '\u200b';

it('a proven pull request reads like this', () => {
  expect(pullRequestBody(input)).toBe(`<!-- redgreen:start -->

> [!NOTE]
> **Proven.** The new tests failed before the change and pass after it, and nothing that passed was broken. 2 tests turned from failing to passing. It is a draft until somebody has read it.

### Please note

- \`.github/workflows/ci.yml\` was held back.

### What was asked (\`/agent implement\` by @${Z}ada)

**Cart totals**

<details>
<summary>The request as it was given</summary>

\`\`\`text
/agent fix
Fixes #1 <img src=x>
\`\`\`

</details>

### What was done

Totals are sums of \\*prices\\*.

### Proof

In \`test/cart.test.ts\`:

| Test | Before | After |
| --- | --- | --- |
| <code>cart &#62; totals &#124; sums</code> | ❌ failed: assertion | ✅ passed |
| \`cart > is empty\` | ❌ failed: not implemented | ✅ passed |

### What was checked

- Baseline (before any change): 40 passed, 1 failed, 2 skipped, 3.1 s.
- Red (new tests without the change): 0 passed, 2 failed, 0 skipped, 900 ms.
- Green (new tests with the change): 2 passed, 0 failed, 0 skipped, 950 ms.
- Whole suite (with the change): 42 passed, 1 failed, 2 skipped, 3.2 s.
- Passing before and after: 40.
- Broken by the change: none.
- Failing before already, and not blamed on the change: \`test/old.test.ts::always red\`.
- Flaky (two runs of the same code differed): \`test/clock.test.ts::ticks\`.
- Not done for want of time: mutation of the changed lines
- Sandbox: service, \`node:24@sha256:12ab\`.

### Specification

<details>
<summary>1 function</summary>

| Function | Purpose | Contract |
| --- | --- | --- |
| \`slugify\`<br>\`src/slugify.js\` | a slug of @${Z}text | in: text<br>out: slug<br>errors: TypeError |

</details>

### Files

| Code | Status | Lines | What |
| --- | --- | --- | --- |
| \`src/cart.ts\` | modified | +12 −3 | Adds totals; closes #${Z}9 &#124; @${Z}ada |

| Tests | Status | Lines | What |
| --- | --- | --- | --- |
| \`test/cart.test.ts\` | added | +30 −0 | Tests for the cart. |

| Images | Status | Lines | What |
| --- | --- | --- | --- |
| \`plot.png\` | added | binary | A plot. |

### How

- Set-up: \`npm ci\`
- Tests: \`npx vitest run\`, \`npx vitest run test/cart.test.ts\`
- \`gpt-5\`: 12 model calls, 45,210 tokens in (30,000 cached) and 2,300 out, price not known, in 3 min 5 s
- [The run](https://github.com/o/r/actions/runs/1), with its log and evidence

CI waits for **Approve workflows to run** in the merge box, unless the action was given the token of an app or a person.

Closes #7

<!-- redgreen:end -->`);
});

describe('pullRequestBody', () => {
  it('says at the top that and why nothing is proven', () => {
    const body = pullRequestBody({
      ...input,
      outcome: 'unproven',
      proof: { ...proof, proven: false, reason: 'lost: <b>' },
    });
    expect(body).toContain('> [!WARNING]\n> **Not proven:** lost: &lt;b&gt;\n');
    expect(body).not.toContain('**Proven');
  });

  it('never calls a run proven that has no proof, whatever its outcome says', () => {
    const body = pullRequestBody({ ...input, outcome: 'proven', proof: undefined });
    expect(body).toContain('**Not proven:** no proof was made');
    expect(body).not.toContain('### Proof');
  });

  it('says so when the proof was not isolated', () => {
    const body = pullRequestBody({ ...input, proof: { ...proof, isolated: false } });
    expect(body).toContain('**Proven (not isolated).**');
    expect(body).toContain('**not isolated**.');
  });

  it('names broken and lost tests', () => {
    const body = pullRequestBody({
      ...input,
      proof: { ...proof, proven: false, reason: 'x', brokenTests: ['a'], lostTests: ['b'] },
    });
    expect(body).toContain('- **Broken by the change:** `a`.');
    expect(body).toContain('- **No longer run:** `b`.');
  });

  it('folds the proof when more than twelve tests turned', () => {
    const turned = Array.from({ length: 13 }, (_, index) => ({
      id: `t${index}`,
      before: 'assertion' as const,
      after: 'passed' as const,
    }));
    expect(pullRequestBody({ ...input, proof: { ...proof, failToPass: turned } })).toContain(
      '<summary>13 tests</summary>',
    );
    expect(pullRequestBody({ ...input, proof: { ...proof, failToPass: turned.slice(1) } })).not.toContain(
      '<summary>12 tests',
    );
  });

  it('gives the parameters of one test one row, whatever its folder is named', () => {
    const turned = (...ids: string[]) =>
      ids.map(id => ({ id, before: 'assertion' as const, after: 'passed' as const }));
    const failToPass = turned('a/[b]/t.py::one[1-[2]]', 'a/[b]/t.py::one[3]', 'a/[b]/t.py::two[3]');
    const body = pullRequestBody({ ...input, proof: { ...proof, failToPass } });
    expect(body).toContain('`one` (2 parameters)');
    expect(body).toContain('`two[3]`');
  });

  it('is made soon of a test’s name that is all brackets', () => {
    const failToPass = [
      { id: `a.py::${'['.repeat(150_000)}`, before: 'assertion' as const, after: 'passed' as const },
    ];
    const started = performance.now();
    pullRequestBody({ ...input, proof: { ...proof, failToPass } });
    expect(performance.now() - started).toBeLessThan(3_000);
  });

  it.each([
    ['needs-reopening', 'close and reopen'],
    ['needs-approval', 'Approve workflows to run'],
  ] as const)('says how to start CI: %s', (ci, text) => {
    expect(pullRequestBody({ ...input, ci })).toContain(text);
  });

  it('closes no issue when there was none', () => {
    const body = pullRequestBody({ ...input, ci: 'needs-reopening', issue: undefined });
    expect(body).not.toContain('Closes');
  });

  it.each([
    ['words', 'word '],
    ['characters that grow when they are escaped', '|'],
  ])('stays within the limit with endless %s, and still ends as it should', (_what, piece) => {
    const long = piece.repeat(20_000);
    const ids = Array.from({ length: 2000 }, (_, index) => `${piece.repeat(60)}${index}`);
    const tests = ids.map(id => ({ id, before: 'error' as const, after: 'passed' as const }));
    const body = pullRequestBody({
      ...input,
      request: { ...input.request, text: long },
      explanation: long,
      files: ids.map(path => ({ ...files[0]!, path, description: long })),
      remarks: ids,
      reason: long,
      proof: {
        ...proof,
        failToPass: tests,
        brokenTests: ids,
        flaky: ids,
        failedBefore: ids,
        lostTests: ids,
        skippedForTime: [long],
      },
    });
    expect(body.length).toBeLessThanOrEqual(65_000);
    expect(body.endsWith('Closes #7\n\n<!-- redgreen:end -->')).toBe(true);
    expect(body.match(/<details>/g)?.length).toBe(body.match(/<\/details>/g)?.length);
    expect(/1,985 more files|cut here/.test(body)).toBe(true);
  });

  it('lets nothing from outside mention, close, link or hide', () => {
    const evil = 'x @ada fixes #5 [a](http://e) <!-- h --> | `c`\n/agent fix\n<!-- redgreen:end -->';
    const body = pullRequestBody({
      ...input,
      request: { askedBy: evil, command: 'c', text: evil },
      explanation: evil,
      remarks: [evil],
      files: [{ ...files[0]!, description: evil, path: 'a|b\n@ada' }],
      proof: { ...proof, proven: false, reason: evil, skippedForTime: [evil] },
      model: 'm',
    });
    const outsideCode = body.replaceAll(/^```text\n[\s\S]*?\n```$|`[^`\n]*`|<code>.*?<\/code>/gm, '');
    expect(outsideCode).not.toMatch(/@ada|#5|\]\(http:\/\/e|<!-- h|^\/agent/m);
    expect(body.match(/<!-- redgreen:end -->/g)).toHaveLength(1);
  });
});

describe('pullRequestTitle', () => {
  it.each([
    ['proven', { subject: 'Add totals', proof }, 'Add totals'],
    ['not proven', { subject: 'Add totals', proof: { ...proof, proven: false } }, '[not proven] Add totals'],
    ['without proof', { subject: 'a\nb @x #1', proof: undefined }, `[not proven] a b @${Z}x #${Z}1`],
    ['without words', { subject: ' ', proof }, 'Change by redgreen'],
  ])('%s', (_what, given, title) => {
    expect(pullRequestTitle(given)).toBe(title);
  });

  it('is short', () => {
    expect(pullRequestTitle({ subject: 'x'.repeat(500), proof })).toHaveLength(120);
  });
});

describe('mergeBody', () => {
  const ours = '<!-- redgreen:start -->\nnew\n<!-- redgreen:end -->';
  it.each([
    ['an empty body', '', ours],
    ['a body of people', 'Hello\n', `Hello\n\n${ours}`],
    ['an earlier one of ours', 'a\n<!-- redgreen:start -->\nold\n<!-- redgreen:end -->\nb', `a\n${ours}\nb`],
  ])('%s', (_what, existing, merged) => {
    expect(mergeBody(existing, ours)).toBe(merged);
  });
});
