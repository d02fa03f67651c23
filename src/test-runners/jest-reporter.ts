/** Name of our reporter for jest inside the scratch folder. */
export const JEST_REPORTER = 'redgreen-jest-reporter.cjs';
/** The environment variable that tells it where to write. */
export const JEST_REPORT_PATH = 'REDGREEN_JEST_REPORT';

/**
 * A reporter for jest 27 and newer that writes one JSON object a line. Jest's own JSON report is silent about hooks that
 * fail after the last test, about errors behind the end of a file and about a process that left early; it does not say
 * which errors came from `expect`, and can not be written at all when a compared value is circular.
 *
 * Records: `start` and `end` frame the report (no `end` means that it is cut); `file` is a test file with its tests,
 * `snapshot` a snapshot that no test uses any more (jest fails for it), `stray` an error outside of every file, `left`
 * the files that were running when the process left before the run was complete.
 */
export const jestReporterSource = String.raw`
const { appendFileSync } = require('node:fs');
const { basename, dirname, join } = require('node:path');
const { env } = require('node:process');
const { inspect } = require('node:util');

const cut = (text, max) => (text.length > max ? text.slice(0, max) + '…' : text);
const show = value => cut(typeof value === 'string' ? value : inspect(value, { depth: 4, breakLength: 100 }), 1000);
const isObject = value => typeof value === 'object' && value !== null;

function failureOf(text, details) {
  const error = isObject(details) ? details : {};
  const matcher = isObject(error.matcherResult) ? error.matcherResult : undefined;
  const compared = matcher ?? error;
  const value = (name, key) => (compared[key] === undefined ? {} : { [name]: show(compared[key]) });
  return {
    text: cut(String(text), 8000),
    matcher: matcher !== undefined,
    code: String(error.code ?? ''),
    ...value('expected', 'expected'),
    ...value('received', 'actual'),
  };
}

const testOf = test => ({
  names: [...test.ancestorTitles, test.title].map(String),
  status: test.status,
  ...(typeof test.duration === 'number' ? { ms: test.duration } : {}),
  ...(test.location ? { line: test.location.line } : {}),
  ...(test.status === 'failed' ? { failure: failureOf(test.failureMessages?.[0] ?? '', test.failureDetails?.[0]) } : {}),
});

function errorOf(result) {
  if (result.testExecError) {
    const { message, stack } = result.testExecError;
    const text = result.testResults.length > 0 ? stack || message : result.failureMessage || stack || message;
    return cut(String(text || result.testExecError), 8000);
  }
  const failed = result.testResults.some(test => test.status === 'failed');
  return result.failureMessage && !failed ? cut(String(result.failureMessage), 8000) : undefined;
}

module.exports = class RedgreenReporter {
  constructor() {
    this.path = env.${JEST_REPORT_PATH};
    delete env.${JEST_REPORT_PATH};
    this.running = new Set();
    this.complete = false;
    this.write({ kind: 'start', version: 1 });
    process.on('uncaughtExceptionMonitor', error => {
      if (this.complete) this.write({ kind: 'stray', message: cut(String(isObject(error) ? (error.stack ?? error.message) : error), 8000) });
    });
    process.on('exit', () => {
      if (!this.complete) this.write({ kind: 'left', files: [...this.running] });
      this.write({ kind: 'end' });
    });
  }
  write(record) {
    if (this.path) appendFileSync(this.path, JSON.stringify(record) + '\n');
  }
  onTestStart(test) {
    this.running.add(test.path);
  }
  onTestFileStart(test) {
    this.running.add(test.path);
  }
  onTestResult(test, result) {
    const file = result.testFilePath ?? test.path;
    this.running.delete(test.path);
    const { config } = test.context;
    const error = errorOf(result);
    this.write({
      kind: 'file',
      file,
      project: String(config.displayName?.name ?? config.displayName ?? ''),
      projectId: String(config.id ?? config.name ?? ''),
      tests: result.testResults.map(testOf),
      ...(error === undefined ? {} : { error }),
    });
    if (result.snapshot?.unchecked && !result.snapshot.fileDeleted) {
      this.write({ kind: 'snapshot', file: join(dirname(file), '__snapshots__', basename(file) + '.snap') });
    }
  }
  onRunComplete(_contexts, results) {
    this.complete = true;
    for (const file of results.snapshot?.filesRemovedList ?? []) this.write({ kind: 'snapshot', file });
    if (results.runExecError) this.write({ kind: 'stray', message: cut(String(results.runExecError.message), 8000) });
  }
};
`;
