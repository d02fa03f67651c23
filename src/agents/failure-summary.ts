import { createHash } from 'node:crypto';
import type { Baseline } from '../evidence/baseline.ts';
import { withoutNoise } from '../evidence/failure-mark.ts';
import type { TestCase, TestRun } from '../types.ts';
import { cutMiddle, plain } from './cut-text.ts';
import { exitWords } from './tools/bash.ts';

export interface SummaryContext {
  readonly workdir: string;
  readonly baseline: Baseline;
  /** Ids that this step is to make pass; empty before there are any. */
  readonly newTests: readonly string[];
  /** What they are called. Default `new tests`. */
  readonly aim?: string | undefined;
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
  const passed = new Set(context.baseline.passed);
  const known = new Set([...passed, ...context.baseline.failed, ...context.baseline.flaky]);
  const broken = failed.filter(test => passed.has(test.id));
  const fresh = failed.filter(test => !known.has(test.id));
  const groups = alike([...broken, ...fresh]);
  const details = groups.slice(0, MAX_DETAILED).map((group, i) => detail(group, i, context));
  const rest = groups.slice(MAX_DETAILED).flat();
  const parts = [
    head,
    counts(cases, context),
    ...vacuous(cases, context),
    ...fileErrors
      .slice(0, 3)
      .map(error => `CANNOT RUN ${error.file}\n${indent(cutMiddle(plain(error.message), 1_200))}`),
    ...details,
    ...(rest.length > 0 ? [`and ${rest.length} more: ${quoted(rest, MAX_LISTED)}`] : []),
    ...(run.problem ? [`Note: ${run.problem}`] : []),
  ];
  return cutMiddle(parts.join('\n'), MAX_CHARS);
}

/** Failures of one kind and message in one file, the parameters of one test for example, are one thing to mend. */
const alike = (failed: readonly TestCase[]): (readonly TestCase[])[] => [
  ...Map.groupBy(
    failed,
    test =>
      `${test.file}\n${test.failure?.kind === 'not-implemented' ? '' : withoutParameters(test.name)}\n${messageSignature(test)}`,
  ).values(),
];

const withoutParameters = (name: string): string =>
  name.endsWith(']') ? (name.split('[', 1)[0] ?? '') : name;

/** While tests are written, what passes already is the news. */
function vacuous(cases: readonly TestCase[], context: SummaryContext): string[] {
  if (context.full || context.newTests.length > 0) return [];
  const known = new Set([...context.baseline.passed, ...context.baseline.flaky, ...context.baseline.failed]);
  const passing = cases.filter(test => test.status === 'passed' && !known.has(test.id));
  return passing.length > 0
    ? [`new tests that pass already, and so prove nothing: ${quoted(passing, MAX_LISTED)}`]
    : [];
}

const quoted = (tests: readonly TestCase[], max: number): string =>
  tests
    .slice(0, max)
    .map(test => `"${test.name}"`)
    .join(', ') + (tests.length > max ? ', …' : '');

/** Identity of a failure across runs: the test, the kind of error, and its message without numbers, addresses and paths. */
export const failureSignature = (test: TestCase): string =>
  createHash('sha256')
    .update(`${test.id}\n${messageSignature(test)}`)
    .digest('hex')
    .slice(0, 16);

const messageSignature = ({ failure }: TestCase): string =>
  `${failure?.kind}\n${withoutNoise((failure?.message ?? '').slice(0, 2_000)).slice(0, 500)}`;

function counts(cases: readonly TestCase[], context: SummaryContext): string {
  const count = (status: string) => cases.filter(test => test.status === status).length;
  const status = new Map(cases.map(test => [test.id, test.status]));
  const green = context.newTests.filter(id => status.get(id) === 'passed').length;
  const old = context.baseline.passed.filter(id => status.has(id));
  const kept = old.filter(id => status.get(id) === 'passed').length;
  const parts = [
    `${count('passed')} pass, ${count('failed')} fail, ${count('skipped') + count('todo')} skip`,
  ];
  if (context.newTests.length > 0)
    parts.push(`${context.aim ?? 'new tests'} ${green}/${context.newTests.length} pass`);
  if (old.length > 0) parts.push(`old tests ${kept}/${old.length} still pass`);
  const lost = context.full ? context.baseline.passed.length - old.length : 0;
  if (lost > 0) parts.push(`${lost} old tests did not run`);
  return parts.join(' | ');
}

function detail(group: readonly TestCase[], index: number, context: SummaryContext): string {
  const [test, ...others] = group;
  if (!test) return '';
  const times = (context.seen.get(failureSignature(test)) ?? 0) + 1;
  const tag = context.baseline.passed.includes(test.id) ? ' [passed before!]' : '';
  const again = times > 1 ? ` (same failure ×${times})` : '';
  const { failure } = test;
  const values =
    failure?.expected !== undefined && failure.received !== undefined
      ? [`expected: ${short(failure.expected)}`, `received: ${short(failure.received)}`]
      : [];
  const message = plain(failure?.message ?? '(no message)')
    .split('\n')
    .filter(line => line.trim() !== '')
    // Beside the values, an assertion library's own comparison says the same again.
    .slice(0, values.length > 0 ? 1 : 8)
    .join('\n');
  return [
    `F${index + 1}${tag} ${test.file}${test.line ? `:${test.line}` : ''} "${test.name}"${again}`,
    indent(cutMiddle(message, 900)),
    ...values.map(indent),
    ...frames(failure?.stack ?? '', context.workdir).map(indent),
    ...(others.length > 0 ? [indent(`the same in ${others.length} more: ${quoted(others, 5)}`)] : []),
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
        !/node_modules|node:internal|\(node:|site-packages|^at node:|<anonymous>\)?$|\(index \d+\)$/.test(
          line,
        ),
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
