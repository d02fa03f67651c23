import { z } from 'zod';
import type { FileError, TestCase, TestReport } from '../types.ts';
import { readRecordLines } from './record-lines.ts';
import { createFailure, lineInStack } from './test-failure.ts';
import { joinNames, relativePath, testId, withUniqueIds } from './test-ids.ts';

const failureSchema = z.object({
  type: z.string(),
  code: z.string().default(''),
  message: z.string(),
  stack: z.string().default(''),
  expected: z.string().optional(),
  received: z.string().optional(),
});
const recordSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('start'), version: z.literal(1) }),
  z.object({ kind: z.literal('end') }),
  z.object({
    kind: z.literal('case'),
    file: z.string(),
    names: z.array(z.string()).min(1),
    status: z.enum(['passed', 'failed', 'skipped']),
    ms: z.number().optional().catch(undefined),
    failure: failureSchema.optional(),
  }),
  z.object({ kind: z.literal('hook'), file: z.string(), names: z.array(z.string()), failure: failureSchema }),
  z.object({ kind: z.literal('load'), file: z.string(), failure: failureSchema }),
  z.object({ kind: z.literal('stray'), file: z.string(), failure: failureSchema }),
  z.object({ kind: z.literal('left'), file: z.string() }),
]);

type ReportRecord = z.infer<typeof recordSchema>;
type CaseRecord = Extract<ReportRecord, { kind: 'case' }>;
type RawFailure = z.infer<typeof failureSchema>;

/** Where an error stands that mocha can pin to no file. */
const NO_FILE = 'mocha';

/** Reads what our reporter wrote. Only failed tests have a line: where they failed, when that lies in their file. */
export function parseMochaReport(report: Buffer, workdir: string): TestReport {
  const records = readRecordLines(report, recordSchema, 'mocha');
  const cases = records.filter(record => record.kind === 'case');
  return {
    cases: withUniqueIds(cases.map(record => createCase(record, workdir))),
    fileErrors: records.flatMap(record => fileError(record, workdir)),
  };
}

function createCase(record: CaseRecord, workdir: string): TestCase {
  const file = relativePath(record.file || NO_FILE, workdir);
  const failure =
    record.status === 'failed'
      ? readFailure(record.failure ?? { type: '', message: '', code: '', stack: '' }, workdir)
      : undefined;
  const line = lineInStack(failure?.stack, file);
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

const readFailure = ({ code, type, ...raw }: RawFailure, workdir: string) =>
  createFailure({ ...raw, type: code === 'ERR_ASSERTION' ? 'AssertionError' : type }, workdir);

function fileError(record: ReportRecord, workdir: string): FileError[] {
  const error = (file: string, message: string): FileError => ({
    file: relativePath(file || NO_FILE, workdir),
    message,
  });
  switch (record.kind) {
    case 'hook':
      return [
        error(record.file, `${joinNames(record.names)}: ${readFailure(record.failure, workdir).message}`),
      ];
    case 'stray':
      return [error(record.file, `outside of a test: ${readFailure(record.failure, workdir).message}`)];
    case 'left':
      return [error(record.file, 'left before its tests had run')];
    case 'load': {
      const load = error(record.file, loadMessage(record.failure, workdir));
      return [load, error('', `no test ran, since ${load.file} could not be loaded`)];
    }
    default:
      return [];
  }
}

/** A syntax error's place stands in the first line of its stack and nowhere else. */
function loadMessage(failure: RawFailure, workdir: string): string {
  const [place = ''] = failure.stack.split('\n', 1);
  const at = /^\/[^\n]{1,1000}:\d+$/.test(place) ? `${place}: ` : '';
  const type = failure.type && !failure.message.startsWith(failure.type) ? `${failure.type}: ` : '';
  return createFailure({ type: '', message: `${at}${type}${failure.message}` }, workdir).message;
}
