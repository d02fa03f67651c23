import { createHash } from 'node:crypto';
import type { Baseline } from '../evidence/baseline.ts';
import type { TestCase, TestRun } from '../types.ts';
import { cutMiddle, plain } from './cut-text.ts';
import { exitWords } from './tools/bash.ts';

export interface SummaryContext {
  readonly workdir: string;
  readonly baseline: Baseline;
  /** Ids that this step is to make pass; empty before there are any. */
  readonly newTests: readonly string[];
  /** How often each failure was seen in earlier runs, by signature. */
  readonly seen: ReadonlyMap<string, number>;
  readonly full: boolean;
}

const MAX_DETAILED = 5;
const MAX_LISTED = 20;
const MAX_CHARS = 6_000;

/** What a model reads of a test run: counts, then newly broken tests, unloadable files and failing new tests, a few lines each. From the report, never from the log. */
export function failureSummary(run: TestRun, context: SummaryContext): string {
  const head = `${run.command} · ${(run.durationMs / 1000).toFixed(1)} s · ${exitWords(run.exit)}`;
  if (!run.report)
    return cutMiddle(`${head}\nNo usable report: ${run.problem ?? 'unknown'}\n${tail(run.log)}`, MAX_CHARS);

  const { cases, fileErrors } = run.report;
  const failed = cases.filter(test => test.status === 'failed');
  const broken = failed.filter(test => context.baseline.passed.includes(test.id));
  const fresh = failed.filter(
    test =>
      !broken.includes(test) &&
      !context.baseline.failed.includes(test.id) &&
      !context.baseline.flaky.includes(test.id),
  );
  const ordered = [...broken, ...fresh];
  const details = ordered
    .slice(0, MAX_DETAILED)
    .map((test, i) => detail(test, i, broken.includes(test), context));
  const rest = ordered.slice(MAX_DETAILED);
  const parts = [
    head,
    counts(cases, context),
    ...fileErrors
      .slice(0, 3)
      .map(error => `CANNOT RUN ${error.file}\n${indent(cutMiddle(plain(error.message), 1_200))}`),
    ...details,
    ...(rest.length > 0
      ? [
          `and ${rest.length} more: ${rest
            .slice(0, MAX_LISTED)
            .map(test => `"${test.name}"`)
            .join(', ')}`,
        ]
      : []),
    ...(run.problem ? [`Note: ${run.problem}`] : []),
  ];
  return cutMiddle(parts.join('\n'), MAX_CHARS);
}

/** Identity of a failure across runs: the test, the kind of error, and its message without numbers, addresses and paths. */
export const failureSignature = (test: TestCase): string =>
  createHash('sha256')
    .update(
      `${test.id}\n${test.failure?.kind}\n${(test.failure?.message ?? '').replace(/0x[0-9a-f]+|\d+|\/[\w./-]+/gi, '#').slice(0, 500)}`,
    )
    .digest('hex')
    .slice(0, 16);

function counts(cases: readonly TestCase[], context: SummaryContext): string {
  const count = (status: string) => cases.filter(test => test.status === status).length;
  const status = new Map(cases.map(test => [test.id, test.status]));
  const green = context.newTests.filter(id => status.get(id) === 'passed').length;
  const old = context.baseline.passed.filter(id => status.has(id));
  const kept = old.filter(id => status.get(id) === 'passed').length;
  const parts = [
    `${count('passed')} pass, ${count('failed')} fail, ${count('skipped') + count('todo')} skip`,
  ];
  if (context.newTests.length > 0) parts.push(`new tests ${green}/${context.newTests.length} pass`);
  if (old.length > 0) parts.push(`old tests ${kept}/${old.length} still pass`);
  const lost = context.full ? context.baseline.passed.length - old.length : 0;
  if (lost > 0) parts.push(`${lost} old tests did not run`);
  return parts.join(' | ');
}

function detail(test: TestCase, index: number, broken: boolean, context: SummaryContext): string {
  const times = (context.seen.get(failureSignature(test)) ?? 0) + 1;
  const tag = broken ? ' [passed before!]' : '';
  const again = times > 1 ? ` (same failure ×${times})` : '';
  const { failure } = test;
  const values =
    failure?.expected !== undefined && failure.received !== undefined
      ? [`expected: ${short(failure.expected)}`, `received: ${short(failure.received)}`]
      : [];
  const message = plain(failure?.message ?? '(no message)')
    .split('\n')
    .filter(line => line.trim() !== '')
    .slice(0, values.length > 0 ? 3 : 8)
    .join('\n');
  const frame = frames(failure?.stack ?? '', context.workdir);
  return [
    `F${index + 1}${tag} ${test.file}${test.line ? `:${test.line}` : ''} "${test.name}"${again}`,
    indent(cutMiddle(message, 900)),
    ...values.map(indent),
    ...frame.map(indent),
  ].join('\n');
}

/** The first frames in the repository's own files. */
function frames(stack: string, workdir: string): string[] {
  const own = plain(stack)
    .split('\n')
    .map(line => line.replaceAll(`file://${workdir}/`, '').replaceAll(`${workdir}/`, '').trim())
    .filter(
      line =>
        /^at |^[\w./-]+:\d+: /.test(line) &&
        !/node_modules|node:internal|\(node:|site-packages|^at node:/.test(line),
    );
  return [...new Set(own)].slice(0, 3);
}

const short = (text: string): string => cutMiddle(text, 300);
const indent = (text: string): string =>
  text
    .split('\n')
    .map(line => `   ${line}`)
    .join('\n');
const tail = (log: string): string =>
  plain(log)
    .split('\n')
    .filter(line => line.trim() !== '')
    .slice(-30)
    .join('\n');
