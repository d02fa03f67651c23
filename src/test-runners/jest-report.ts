import { z } from 'zod';
import type { FileError, TestCase, TestReport, TestStatus } from '../types.ts';
import { cleanText } from './clean-text.ts';
import { readRecordLines } from './record-lines.ts';
import { createFailure, lineInStack, MAX_ERROR_CHARS } from './test-failure.ts';
import { joinNames, relativePath, testId, withUniqueIds } from './test-ids.ts';

const failureSchema = z.object({
  text: z.string(),
  matcher: z.boolean(),
  code: z.string(),
  expected: z.string().optional(),
  received: z.string().optional(),
});
const testSchema = z.object({
  names: z.array(z.string()).min(1),
  status: z.enum(['passed', 'failed', 'skipped', 'pending', 'todo', 'disabled', 'focused']),
  ms: z.number().optional().catch(undefined),
  line: z.number().int().positive().optional().catch(undefined),
  failure: failureSchema.optional(),
});
const recordSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('start'), version: z.literal(1) }),
  z.object({ kind: z.literal('end') }),
  z.object({
    kind: z.literal('file'),
    file: z.string().min(1),
    project: z.string(),
    projectId: z.string(),
    tests: z.array(testSchema),
    error: z.string().optional(),
  }),
  z.object({ kind: z.literal('snapshot'), file: z.string() }),
  z.object({ kind: z.literal('stray'), message: z.string() }),
  z.object({ kind: z.literal('left'), files: z.array(z.string()) }),
]);

type ReportRecord = z.infer<typeof recordSchema>;
type FileRecord = Extract<ReportRecord, { kind: 'file' }>;
type RawTest = z.infer<typeof testSchema>;
type RawFailure = z.infer<typeof failureSchema>;

/** Reads what our reporter wrote. A failed test's `line` is where it failed, when that lies in its file; else where it begins. */
export function parseJestReport(report: Buffer, workdir: string): TestReport {
  const records = readRecordLines(report, recordSchema, 'jest');
  const files = inStableOrder(records.filter(record => record.kind === 'file'));
  const cases = files.flatMap(({ file, tests, group }) =>
    tests.map(test => createCase(relativePath(file, workdir), group, test, workdir)),
  );
  return { cases: withUniqueIds(cases), fileErrors: fileErrors(records, workdir) };
}

/**
 * A file that several of jest's `projects` run is reported once for each, in the order in which they end: such tests
 * get the project's name as their outermost group, or at least a fixed order.
 */
function inStableOrder(files: readonly FileRecord[]): (FileRecord & { readonly group: readonly string[] })[] {
  const byFile = Map.groupBy(files, record => record.file);
  return [...byFile.values()].flatMap(same => {
    const key = ({ project, projectId }: FileRecord) => `${project}\n${projectId}`;
    const sorted = [...same].sort((a, b) => (key(a) < key(b) ? -1 : 1));
    return sorted.map(record => ({
      ...record,
      group: same.length > 1 && record.project ? [`[${record.project}]`] : [],
    }));
  });
}

const STATUSES: Readonly<Record<RawTest['status'], TestStatus>> = {
  passed: 'passed',
  failed: 'failed',
  todo: 'todo',
  skipped: 'skipped',
  pending: 'skipped',
  disabled: 'skipped',
  focused: 'skipped',
};

function createCase(file: string, group: readonly string[], test: RawTest, workdir: string): TestCase {
  const names = [...group, ...test.names];
  const status = STATUSES[test.status];
  const failure = status === 'failed' ? readFailure(test.failure, workdir) : undefined;
  const line = lineInStack(failure?.stack, file) ?? test.line;
  return {
    id: testId(file, names),
    file,
    name: joinNames(names),
    status,
    ...(line !== undefined && { line }),
    ...(test.ms !== undefined && { durationMs: test.ms }),
    ...(failure && { failure }),
  };
}

/** Splits `Type: message\n    at frame…`. What comes from `expect` is an `Error` by name, so its type is ours to say. */
function readFailure(raw: RawFailure | undefined, workdir: string) {
  const plain = cleanText((raw?.text ?? '').slice(0, MAX_ERROR_CHARS));
  const frames = plain.search(/\n[ \t]+at /);
  const head = frames < 0 ? plain : plain.slice(0, frames).trimEnd();
  const prefix = /^([A-Z][\w.]*): /.exec(head)?.[1] ?? '';
  const isAssertion = raw?.matcher || raw?.code === 'ERR_ASSERTION' || /^assert\b/.test(head);
  if (!raw || !isAssertion) {
    const { expected, received } = raw ?? {};
    return createFailure({ type: prefix, message: head, expected, received, stack: plain }, workdir);
  }
  const message = withoutCode(prefix ? head.slice(prefix.length + 2) : head);
  return createFailure(
    {
      type: raw.matcher ? 'JestAssertionError' : 'AssertionError',
      message,
      expected: valueIn(message, 'Expected') ?? raw.expected,
      received: valueIn(message, 'Received') ?? raw.received,
      stack: plain,
    },
    workdir,
  );
}

/** `toThrow` quotes the source around the error that it caught: neighbouring tests, whose words say nothing about this one. */
function withoutCode(message: string): string {
  const lines = message.split('\n');
  const code = lines.findIndex(line => /^(> *)?\d{1,6} \|/.test(line.trimStart()));
  return code < 0 ? message : lines.slice(0, code).join('\n').trimEnd();
}

/** Of `Expected: 2`, `Received length: 3`, `Expected substring: "a"`; node:assert's values stand on the next line. */
function valueIn(message: string, what: 'Expected' | 'Received'): string | undefined {
  const lines = message.split('\n');
  const at = lines.findIndex(line => line.startsWith(what));
  const match = /^(?:Expected|Received)([a-z ]{0,60}):[ \t]*(.*)$/.exec(lines[at] ?? '');
  if (!match || match[1]?.includes('number of calls')) return undefined;
  return match[2] || lines[at + 1]?.trim() || undefined;
}

function fileErrors(records: readonly ReportRecord[], workdir: string): FileError[] {
  const error = (file: string, text: string): FileError => ({
    file: relativePath(file, workdir),
    message: createFailure({ type: '', message: withoutHeading(text) }, workdir).message,
  });
  return records.flatMap(record => {
    switch (record.kind) {
      case 'file':
        return record.error === undefined ? [] : [error(record.file, record.error)];
      case 'snapshot':
        return [error(record.file, 'no test uses this snapshot, or part of it, any more (obsolete)')];
      case 'stray':
        return [error('jest', `outside of a test: ${record.message}`)];
      case 'left': {
        const left = record.files.map(file => error(file, 'left before its tests had run'));
        return [...left, error('jest', 'the test process left before all test files had run')];
      }
      default:
        return [];
    }
  });
}

/** Without jest's own heading, and without the frames of its insides. */
function withoutHeading(text: string): string {
  const lines = cleanText(text.slice(0, MAX_ERROR_CHARS)).trim().split('\n');
  const own = lines.filter(
    line => !/^at .*(\/node_modules\/|\(node:|<anonymous>\)?$)/.test(line.trimStart()),
  );
  return own.join('\n').replace(/^● Test suite failed to run\s{0,8}/, '');
}
