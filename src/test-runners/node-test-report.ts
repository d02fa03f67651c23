import { z } from 'zod';
import type { FileError, TestCase, TestReport } from '../types.ts';
import { cleanLine } from './clean-text.ts';
import { readRecordLines } from './record-lines.ts';
import { createFailure, lineInStack } from './test-failure.ts';
import { joinNames, relativePath, testId, withUniqueIds } from './test-ids.ts';
import { createPlaces } from './test-places.ts';

const failureSchema = z.object({
  type: z.string(),
  code: z.string().default(''),
  reason: z.string().default(''),
  message: z.string(),
  stack: z.string().default(''),
  expected: z.string().optional(),
  actual: z.string().optional(),
});
const place = { file: z.string(), line: z.number().int().positive().optional().catch(undefined) };
const testFields = {
  ...place,
  names: z.array(z.string()).min(1),
  ms: z.number().optional().catch(undefined),
};
const recordSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('start'), version: z.literal(1) }),
  z.object({ kind: z.literal('end') }),
  z.object({ kind: z.literal('summaries') }),
  z.object({ kind: z.literal('summary'), file: z.string() }),
  z.object({ kind: z.literal('stray'), file: z.string(), message: z.string() }),
  z.object({ kind: z.literal('unfinished'), file: z.string(), name: z.string() }),
  z.object({
    kind: z.literal('file'),
    file: z.string(),
    failed: z.boolean(),
    reason: z.string(),
    stderr: z.string(),
  }),
  z.object({ kind: z.literal('suite'), ...testFields, failure: failureSchema }),
  z.object({
    kind: z.literal('case'),
    ...testFields,
    status: z.enum(['passed', 'failed', 'skipped', 'todo']),
    failure: failureSchema.optional(),
  }),
]);

type ReportRecord = z.infer<typeof recordSchema>;
type CaseRecord = Extract<ReportRecord, { kind: 'case' }>;
type SuiteRecord = Extract<ReportRecord, { kind: 'suite' }>;
type RawFailure = z.infer<typeof failureSchema>;

const LEFT_EARLY = 'left before its tests had run';

/** Reads what our reporter wrote. A failed test's `line` is where it failed, when that lies in its file; else where it begins. */
export function parseNodeReport(report: Buffer, workdir: string): TestReport {
  const records = readRecordLines(report, recordSchema, 'node:test');
  const cases = only(records, 'case');
  const suites = only(records, 'suite');
  const places = readPlaces(cases, suites);
  const toCase = (record: CaseRecord) => createCase(record, failureBehind(record, places), workdir);
  const hookErrors = suites
    .filter(suite => !places.at(suite).hasFailedTest)
    .map(suite => ({
      file: relativePath(suite.file, workdir),
      message: `${joinNames(suite.names)}: ${createFailure(suite.failure, workdir).message}`,
    }));
  return {
    cases: withUniqueIds(cases.map(toCase)),
    fileErrors: [...hookErrors, ...fileErrors(records, workdir)],
  };
}

const only = <K extends ReportRecord['kind']>(records: readonly ReportRecord[], kind: K) =>
  records.filter((record): record is Extract<ReportRecord, { kind: K }> => record.kind === kind);

/** What a report says about one place; what is inside of it does not count itself. */
interface Notes {
  hasFailedTest: boolean;
  /** The first group that failed by itself here, and its number in the report. */
  suite?: { readonly index: number; readonly failure: RawFailure };
  /** The first failure inside that is a test's own. */
  innerFailure?: RawFailure;
}

type Places = ReturnType<typeof createPlaces<Notes>>;

function readPlaces(cases: readonly CaseRecord[], suites: readonly SuiteRecord[]): Places {
  const places = createPlaces<Notes>(() => ({ hasFailedTest: false }));
  for (const [index, suite] of suites.entries()) {
    places.at(suite).suite ??= { index, failure: suite.failure };
  }
  for (const test of cases.filter(({ status, failure }) => status === 'failed' || failure)) {
    for (const notes of places.around(test)) {
      if (test.status === 'failed') notes.hasFailedTest = true;
      if (test.failure?.reason === 'testCodeFailure') notes.innerFailure ??= test.failure;
    }
  }
  return places;
}

/** A test that was cancelled has its group's failure; one that failed because of its subtests has the first of theirs. */
function failureBehind(test: CaseRecord, places: Places): RawFailure | undefined {
  const reason = test.failure?.reason;
  if (reason === 'cancelledByParent') {
    const suites = places.around(test).flatMap(({ suite }) => suite ?? []);
    return suites.sort((a, b) => a.index - b.index)[0]?.failure ?? test.failure;
  }
  if (reason === 'subtestsFailed') return places.at(test).innerFailure ?? test.failure;
  return test.failure;
}

function createCase(record: CaseRecord, raw: RawFailure | undefined, workdir: string): TestCase {
  const file = relativePath(record.file, workdir);
  const failure =
    raw && record.status === 'failed'
      ? createFailure(
          { ...raw, type: raw.code === 'ERR_ASSERTION' ? 'AssertionError' : raw.type, received: raw.actual },
          workdir,
        )
      : undefined;
  const line = lineInStack(failure?.stack, file) ?? record.line;
  return {
    id: testId(file, record.names),
    file,
    name: joinNames(record.names),
    status: record.status,
    ...(line !== undefined && { line }),
    ...(record.ms !== undefined && { durationMs: record.ms }),
    ...(failure && { failure }),
  };
}

/** Files that failed by themselves, reported nothing, or ended while tests were still waiting; one error a file. */
function fileErrors(records: readonly ReportRecord[], workdir: string): FileError[] {
  const found = new Map<string, string>();
  const note = (file: string, message: string) => {
    if (!found.has(file)) found.set(file, message);
  };
  const cases = only(records, 'case');
  const withCases = new Set(cases.map(test => test.file));
  const explained = new Set(
    [...cases.filter(test => test.status === 'failed'), ...only(records, 'suite')].map(record => record.file),
  );
  const summaries = new Set(only(records, 'summary').map(record => record.file));
  const hasSummaries = only(records, 'summaries').length > 0;
  const unfinished = Map.groupBy(only(records, 'unfinished'), record => record.file);

  for (const { file, message } of only(records, 'stray')) note(file || 'node:test', message);
  for (const [file, tests] of unfinished) {
    note(file, `${LEFT_EARLY}: ${tests.map(test => cleanLine(test.name)).join(', ')}`);
  }
  for (const { file, failed, stderr } of only(records, 'file')) {
    if (failed && !explained.has(file))
      note(file, createFailure({ type: '', message: whyFailed(stderr) }, workdir).message);
    else if (!failed && !withCases.has(file)) note(file, `${LEFT_EARLY}, or has none`);
    else if (hasSummaries && !failed && !summaries.has(file)) note(file, LEFT_EARLY);
  }
  return [...found].map(([file, message]) => ({ file: relativePath(file, workdir), message }));
}

/** The part of a crash's output that names the error; Node prints the source line before it and its version after it. */
function whyFailed(stderr: string): string {
  const lines = stderr.split('\n');
  const error = lines.findIndex(line => /^(Uncaught )?\w*(Error|Exception)\b.*:/.test(line));
  const text = (error < 0 ? lines : lines.slice(error)).join('\n').replace(/\nNode\.js v\S+\s*$/, '');
  return text.trim() || 'the file failed outside its tests';
}
