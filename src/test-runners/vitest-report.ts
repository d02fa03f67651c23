import { z } from 'zod';
import type { FileError, TestCase, TestReport, TestStatus } from '../types.ts';
import { cleanText } from './clean-text.ts';
import { createFailure, type FailureFacts, lineInStack, MAX_ERROR_CHARS } from './test-failure.ts';
import { joinNames, relativePath, testId, withUniqueIds } from './test-ids.ts';

const testSchema = z.object({
  ancestorTitles: z.array(z.string()).default([]),
  title: z.string(),
  status: z.string(),
  duration: z.number().nullish(),
  failureMessages: z.array(z.string()).nullish(),
  location: z.object({ line: z.number().int().positive() }).nullish().catch(undefined),
});
const fileSchema = z.object({
  name: z.string(),
  status: z.string(),
  message: z.string().nullish(),
  assertionResults: z.array(testSchema),
});
const reportSchema = z.object({ testResults: z.array(fileSchema) });

type RawTest = z.infer<typeof testSchema>;
type RawFile = z.infer<typeof fileSchema>;

const straySchema = z.object({
  stray: z.object({ file: z.string(), type: z.string(), message: z.string() }),
});

/**
 * Reads vitest's JSON report, and behind it, a line each, the errors outside of tests that our own reporter saw. It has
 * no line numbers but in stacks, so only failed tests have one.
 */
export function parseVitestReport(report: Buffer, workdir: string): TestReport {
  const { testResults, strays } = readReport(report);
  const strayErrors = strays.map(({ stray }) => ({
    file: stray.file ? relativePath(stray.file, workdir) : 'vitest',
    message: `outside of a test: ${createFailure(stray, workdir).message}`,
  }));
  return {
    cases: withUniqueIds(
      testResults.flatMap(file => file.assertionResults.map(test => createCase(file, test, workdir))),
    ),
    fileErrors: [...testResults.flatMap(file => fileError(file, workdir)), ...strayErrors],
  };
}

function readReport(report: Buffer) {
  const [own = '', ...lines] = report.toString('utf8').split(/\n(?=\{"stray":)/);
  try {
    const { testResults } = reportSchema.parse(JSON.parse(own));
    return { testResults, strays: lines.map(line => straySchema.parse(JSON.parse(line))) };
  } catch (error) {
    throw new Error('the report is not the JSON that vitest writes', { cause: error });
  }
}

const STATUSES: Readonly<Record<string, TestStatus>> = {
  passed: 'passed',
  failed: 'failed',
  todo: 'todo',
  skipped: 'skipped',
  pending: 'skipped',
  disabled: 'skipped',
};

function createCase(raw: RawFile, test: RawTest, workdir: string): TestCase {
  const file = relativePath(raw.name, workdir);
  const names = [...test.ancestorTitles, test.title];
  const status = STATUSES[test.status];
  if (!status) throw new Error(`the report has a test of the unknown status "${test.status}"`);
  const failure = status === 'failed' ? readFailure(test.failureMessages?.[0] ?? '', workdir) : undefined;
  const line = lineInStack(failure?.stack, file) ?? test.location?.line;
  return {
    id: testId(file, names),
    file,
    name: joinNames(names),
    status,
    ...(line !== undefined && { line }),
    ...(typeof test.duration === 'number' && { durationMs: test.duration }),
    ...(failure && { failure }),
  };
}

/** Splits `Type: message\n    at frame…`, as vitest writes every error. */
function readFailure(text: string, workdir: string) {
  const plain = cleanText(text.slice(0, MAX_ERROR_CHARS));
  const frames = plain.search(/\n[ \t]+at /);
  const head = frames < 0 ? plain : plain.slice(0, frames).trimEnd();
  const type = /^([A-Z][\w.]*): /.exec(head)?.[1] ?? '';
  const message = type ? head.slice(type.length + 2) : head;
  const values = comparedValues(message);
  return createFailure({ type, message: head, ...values, stack: plain }, workdir);
}

const VERB = / to (?:be|equal|deeply equal|strictly equal) /;

/**
 * Of `expected RECEIVED to be EXPECTED // Object.is equality`, with or without the test's own words before it. The
 * received value may have several lines. In steps, because one pattern for all of it takes cubic time.
 */
function comparedValues(message: string): Pick<FailureFacts, 'received' | 'expected'> | undefined {
  const prefix = message.split('\n', 1)[0]?.lastIndexOf(': expected ') ?? -1;
  const text = prefix < 0 ? message : message.slice(prefix + 2);
  if (!text.startsWith('expected ')) return undefined;
  const lastLine = text.lastIndexOf('\n') + 1;
  const from = Math.max(lastLine, 'expected '.length);
  const verb = VERB.exec(text.slice(from));
  if (!verb) return undefined;
  const at = from + verb.index;
  const [expected] = text.slice(at + verb[0].length).split(' // ', 1);
  return { received: text.slice('expected '.length, at), expected };
}

function fileError(raw: RawFile, workdir: string): FileError[] {
  if (raw.status !== 'failed' || raw.assertionResults.some(test => test.status === 'failed')) return [];
  const message = raw.message || 'the file failed outside its tests: in a hook, or after they had ended';
  return [
    { file: relativePath(raw.name, workdir), message: createFailure({ type: '', message }, workdir).message },
  ];
}
