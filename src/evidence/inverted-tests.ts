import type { TestCase, TestReport } from '../types.ts';
import type { Baseline } from './baseline.ts';
import type { FailureMark } from './failure-mark.ts';
import { judgeReproduction } from './reproduction.ts';
import { isGoodRed } from './verdict.ts';

export type PinnedTests =
  | { readonly ids: readonly string[] }
  /** Sentences. */
  | { readonly problems: readonly string[] };

/** The first move of a reproduction: the new tests in these files pass on the code as it is. */
export function judgePinned(report: TestReport, baseline: Baseline): PinnedTests {
  const fresh = newCases(report, baseline);
  const problems = [
    ...report.fileErrors.map(error => `${error.file} could not be run: ${short(error.message)}`),
    ...fresh
      .filter(test => test.status !== 'passed')
      .map(
        test =>
          `"${test.name}" is ${test.status}${test.failure ? `: ${short(test.failure.message)}` : ''}; in the first move it expects what the code does now`,
      ),
  ];
  if (problems.length > 0) return { problems };
  return fresh.length === 0
    ? { problems: ['No new test was found in the changed test files.'] }
    : { ids: fresh.map(test => test.id) };
}

export type InvertedTests =
  | { readonly marks: ReadonlyMap<string, FailureMark> }
  | { readonly problems: readonly string[] };

export interface InvertedOptions {
  /** Runs of the same files, one after the other. */
  readonly reports: readonly TestReport[];
  readonly baseline: Baseline;
  /** The ids that passed in the first move. */
  readonly pinned: readonly string[];
  /** True for a path of the repository's own code: not of its tests, and not of what it depends on. */
  readonly isOwnCode: (path: string) => boolean;
}

/** The second move: the same tests, turned around, fail each time and the same way, and for a reason that says something about behaviour. */
export function judgeInverted({ reports, baseline, pinned, isOwnCode }: InvertedOptions): InvertedTests {
  const [first] = reports;
  if (!first) throw new Error('there is no run to judge');
  const fresh = newCases(first, baseline);
  const ids = new Set(fresh.map(test => test.id));
  const { steady } = judgeReproduction(reports);
  const problems = [
    ...first.fileErrors.map(error => `${error.file} could not be run: ${short(error.message)}`),
    ...pinned
      .filter(id => !ids.has(id))
      .map(id => `${id} is gone: keep the tests of the first move, with their names`),
    ...fresh
      .filter(test => !pinned.includes(test.id))
      .map(test => `"${test.name}" was not there in the first move: what it shows was never pinned down`),
    ...fresh.flatMap(test => complaint(test, steady, isOwnCode)),
    ...first.cases
      .filter(test => baseline.passed.includes(test.id) && test.status !== 'passed')
      .map(
        test => `"${test.name}" passed before and is ${test.status} now; leave existing tests as they are`,
      ),
  ];
  return problems.length > 0
    ? { problems }
    : { marks: new Map([...steady].filter(([id]) => pinned.includes(id))) };
}

function complaint(
  test: TestCase,
  steady: ReadonlyMap<string, FailureMark>,
  isOwnCode: (path: string) => boolean,
): string[] {
  if (test.status === 'passed')
    return [`"${test.name}" still passes: it has to expect what is right, which the code does not do yet`];
  if (test.status !== 'failed')
    return [`"${test.name}" is ${test.status}; a test that does not run shows nothing`];
  if (!steady.has(test.id))
    return [`"${test.name}" does not fail each time in the same way: make it deterministic`];
  const kind = test.failure?.kind ?? 'error';
  if (isGoodRed(kind) || (kind === 'error' && comesFrom(test.failure?.stack, isOwnCode))) return [];
  return [
    `"${test.name}" fails by ${kind === 'error' ? 'an error that does not come from the repository’s own code' : kind}, not by an assertion: ${short(test.failure?.message ?? 'no message')}`,
  ];
}

/**
 * Whether the innermost frame that is no dependency's lies in the repository's own code. JavaScript's stacks (`at f (path:1:2)`) begin with
 * it, Python's (`path:12: Error`) end with it.
 */
function comesFrom(stack: string | undefined, isOwnCode: (path: string) => boolean): boolean {
  const lines = (stack ?? '').slice(0, 20_000).split('\n');
  const paths = lines
    .flatMap(line => line.split(/[\s()"',]+/))
    .flatMap(word => /^(?:file:\/\/)?(?:\.?\/)?([^:\s]+):\d+/.exec(word)?.[1] ?? [])
    .filter(path => !/(^|\/)(node_modules|site-packages)\/|^\//.test(path));
  const innermost = lines.some(line => /^\s*at /.test(line)) ? paths[0] : paths.at(-1);
  return innermost !== undefined && isOwnCode(innermost);
}

function newCases(report: TestReport, { passed, failed, skipped, flaky }: Baseline): readonly TestCase[] {
  const known = new Set([...passed, ...failed, ...skipped, ...flaky]);
  return report.cases.filter(test => !known.has(test.id));
}

const short = (text: string): string => text.split('\n').slice(0, 4).join('\n').slice(0, 500);
