import type { FixReportInput } from '../../src/report/fix-report.ts';
import type { PullRequestInput } from '../../src/report/pull-request.ts';
import type { Diagnosis, FileSummaryRow, Proof } from '../../src/types.ts';

const exit = { kind: 'code', code: 0 } as const;

export const proof: Proof = {
  version: 1,
  proven: true,
  isolated: true,
  reason: '',
  base: 'a'.repeat(40),
  sandbox: { kind: 'service', image: 'node:24@sha256:12ab', snapshot: 'sha256:34cd' },
  runner: 'vitest',
  setupCommand: 'npm ci',
  runs: [
    {
      name: 'baseline',
      command: 'npx vitest run',
      exit,
      reportSha256: '1',
      passed: 40,
      failed: 1,
      skipped: 2,
      durationMs: 3100,
    },
    {
      name: 'red',
      command: 'npx vitest run test/cart.test.ts',
      exit: { kind: 'code', code: 1 },
      reportSha256: '2',
      passed: 0,
      failed: 2,
      skipped: 0,
      durationMs: 900,
    },
    {
      name: 'green',
      command: 'npx vitest run test/cart.test.ts',
      exit,
      reportSha256: '3',
      passed: 2,
      failed: 0,
      skipped: 0,
      durationMs: 950,
    },
    {
      name: 'suite',
      command: 'npx vitest run',
      exit,
      reportSha256: '4',
      passed: 42,
      failed: 1,
      skipped: 2,
      durationMs: 3200,
    },
  ],
  failToPass: [
    { id: 'test/cart.test.ts::cart > totals | sums', before: 'assertion', after: 'passed' },
    { id: 'test/cart.test.ts::cart > is empty', before: 'not-implemented', after: 'passed' },
  ],
  passToPass: Array.from({ length: 40 }, (_, index) => `old ${index}`),
  brokenTests: [],
  lostTests: [],
  failedBefore: ['test/old.test.ts::always red'],
  flaky: ['test/clock.test.ts::ticks'],
  frozenTests: {},
  change: {},
  skippedForTime: ['mutation of the changed lines'],
};

export const files: FileSummaryRow[] = [
  {
    path: 'test/cart.test.ts',
    kind: 'test',
    status: 'added',
    added: 30,
    removed: 0,
    description: 'Tests for the cart.',
  },
  {
    path: 'src/cart.ts',
    kind: 'code',
    status: 'modified',
    added: 12,
    removed: 3,
    description: 'Adds totals; closes #9 | @ada',
  },
  {
    path: 'plot.png',
    kind: 'image',
    status: 'added',
    added: undefined,
    removed: undefined,
    description: 'A plot.',
  },
];

export const input: PullRequestInput = {
  subject: 'Add totals to the cart',
  request: {
    askedBy: 'ada',
    command: '/agent implement',
    text: 'Cart totals\n\n/agent fix\nFixes #1 <img src=x>',
  },
  issue: 7,
  outcome: 'proven',
  reason: '',
  proof,
  functions: [
    {
      name: 'slugify',
      file: 'src/slugify.js',
      purpose: 'a slug of @text',
      inputs: 'text',
      outputs: 'slug',
      errors: 'TypeError',
      dependencies: [],
    },
  ],
  explanation: 'Totals are sums of *prices*.',
  files,
  remarks: ['`.github/workflows/ci.yml` was held back.'],
  model: 'gpt-5',
  usage: {
    calls: 12,
    inputTokens: 45_210,
    cachedInputTokens: 30_000,
    outputTokens: 2300,
    costUsd: undefined,
  },
  durationMs: 185_000,
  runUrl: 'https://github.com/o/r/actions/runs/1',
  ci: 'needs-approval',
};

export const diagnosis: Diagnosis = {
  cause: 'An empty cart has no first price, and `reduce` without a start value throws.',
  place: 'src/cart.ts:12',
  evidence: [
    { source: 'test/cart.test.ts', quote: 'TypeError: Reduce of empty array with no initial value' },
    { source: 'src/cart.ts:12', quote: '  return prices.reduce((a, b) => a + b);' },
  ],
  fix: 'The sum starts at 0.',
};

export const fixInput: FixReportInput = {
  ...input,
  subject: 'Fix the total of an empty cart',
  request: { askedBy: undefined, command: '/agent fix', text: 'CI failed' },
  issue: undefined,
  functions: [],
  explanation: 'not shown beside a diagnosis',
  diagnosis,
  headSha: 'abcdef0123456789abcdef0123456789abcdef01',
  pushedTo: 'feature/cart',
};
