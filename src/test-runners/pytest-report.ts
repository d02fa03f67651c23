import type { FileError, TestCase, TestReport } from '../types.ts';
import { type JunitCase, type JunitOutcome, parseJunit } from './junit.ts';
import { createFailure, type FailureFacts, MAX_ERROR_CHARS } from './test-failure.ts';
import { joinNames, relativePath, testId, withUniqueIds } from './test-ids.ts';

/**
 * Reads pytest's xunit1 report. A test that fails and whose teardown fails too has two entries there and is one test
 * here. An expected failure (`xfail`) is `todo`. A failed test's `line` is where it failed, when that lies in its file; else where it begins.
 */
export function parsePytestReport(report: Buffer, workdir: string): TestReport {
  const raw = parseJunit(report);
  const cases = new Map<string, TestCase>();
  for (const entry of raw.filter(test => !isFileError(test))) {
    // By the names as they are: ids are tidied, and two tests may differ by a space.
    const key = JSON.stringify([entry.file, entry.classname, entry.name]);
    const [test, known] = [createCase(entry, workdir), cases.get(key)];
    if (!known || (known.status !== 'failed' && test.status === 'failed')) cases.set(key, test);
  }
  return {
    cases: withUniqueIds([...cases.values()]),
    fileErrors: raw.filter(isFileError).map(test => createFileError(test, workdir)),
  };
}

const isFileError = (test: JunitCase): boolean =>
  test.outcomes.some(
    outcome => outcome.kind === 'error' && /^(collection failure|internal error)$/.test(outcome.message),
  );

function createFileError(test: JunitCase, workdir: string): FileError {
  const text = test.outcomes[0]?.text ?? '';
  const inner = text
    .split('\n')
    .flatMap(line => /^\s*File "([^"]+)", line \d+/.exec(line)?.[1] ?? [])
    .map(path => relativePath(path, workdir));
  const file = test.file ?? inner.findLast(path => !path.startsWith('/') && !path.startsWith('<'));
  const { message } = createFailure({ type: '', message: pythonError(text) || text }, workdir);
  return { file: file ? relativePath(file, workdir) : 'pytest', message };
}

/** The error itself: pytest's lines that begin with `E`, else what a traceback ends with. */
function pythonError(text: string): string {
  const marked = text.split('\n').filter(line => /^E(\s|$)/.test(line));
  if (marked.length > 0) return marked.map(line => line.replace(/^E {0,7}/, '')).join('\n');
  return text.trim().split('\n').slice(-5).join('\n');
}

function createCase(test: JunitCase, workdir: string): TestCase {
  const file = relativePath(test.file ?? `${test.classname.replaceAll('.', '/')}.py`, workdir);
  const names = [...classesOf(test.classname, file), test.name || '(module)'];
  const outcome = test.outcomes[0];
  const status = statusOf(outcome);
  const place = placeOf(outcome?.text ?? '', file);
  const line = status === 'failed' ? (place.line ?? beginOf(test)) : beginOf(test);
  return {
    id: testId(file, names),
    file,
    name: joinNames(names),
    status,
    ...(line !== undefined && { line }),
    ...(test.seconds !== undefined && { durationMs: test.seconds * 1000 }),
    ...(outcome && status === 'failed' && { failure: readFailure(outcome, place.type, workdir) }),
  };
}

/** Lines in xunit1 count from 0. */
const beginOf = (test: JunitCase): number | undefined =>
  test.line === undefined ? undefined : test.line + 1;

/** `t.test_a.TestG.TestN` in `t/test_a.py` → `TestG`, `TestN`: what follows the module's own name. */
function classesOf(classname: string, file: string): string[] {
  const parts = classname.split('.').filter(Boolean);
  const module = file.slice(file.lastIndexOf('/') + 1).replace(/\.py$/, '');
  const index = parts.lastIndexOf(module);
  return index < 0 ? [] : parts.slice(index + 1);
}

function statusOf(outcome: JunitOutcome | undefined): TestCase['status'] {
  if (!outcome) return 'passed';
  if (outcome.kind !== 'skipped') return 'failed';
  return outcome.type === 'pytest.xfail' ? 'todo' : 'skipped';
}

/** pytest ends each part of a traceback with `path:line: Type`; the last one names the error, the last in the test's file its line. */
function placeOf(text: string, file: string): { type: string; line: number | undefined } {
  const places = text.split('\n').flatMap(line => {
    const place = /^(\S[^:]*):(\d+): ?([\w.]*)$/.exec(line);
    return place ? [place] : [];
  });
  const own = places.findLast(place => place[1] === file);
  return { type: places.at(-1)?.[3] ?? '', line: own ? Number(own[2]) : undefined };
}

function readFailure(outcome: JunitOutcome, type: string, workdir: string) {
  const message = outcome.message.slice(0, MAX_ERROR_CHARS);
  const inFixture = /^failed on (?:setup|teardown) with "([\s\S]*)"$/.exec(message)?.[1];
  const [first = ''] = (inFixture ?? message).split('\n');
  const values = comparedValues(first);
  return createFailure(
    {
      type: type || (/^([\w.]+): /.exec(first)?.[1] ?? ''),
      message,
      ...values,
      stack: outcome.text.slice(0, MAX_ERROR_CHARS),
    },
    workdir,
  );
}

/** Of pytest's `assert RECEIVED == EXPECTED` and unittest's `AssertionError: RECEIVED != EXPECTED`. */
function comparedValues(line: string): Pick<FailureFacts, 'received' | 'expected'> | undefined {
  const isComparison = /^(?:AssertionError: )?assert .* == /.test(line) || isUnequal(line);
  const words = line.replace(/^(?:AssertionError: )?(?:assert )?/, '');
  const operator = / (?:==|!=) /.exec(words);
  // pytest shortens long values, perhaps just where they differ; what it says below then says more.
  if (!isComparison || !operator || words.includes('...')) return undefined;
  return {
    received: words.slice(0, operator.index),
    expected: words.slice(operator.index + operator[0].length),
  };
}

/** In steps: one pattern for it takes quadratic time. */
function isUnequal(line: string): boolean {
  const error = line.indexOf('Error: ');
  return error >= 0 && line.includes(' != ', error + 'Error: '.length);
}
