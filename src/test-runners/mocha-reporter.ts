/** Name of our reporter for mocha inside the scratch folder. */
export const MOCHA_REPORTER = 'redgreen-mocha-reporter.cjs';
/** The environment variables that tell it where to write, and which files alone to run: a JSON array, relative. */
export const MOCHA_REPORT_PATH = 'REDGREEN_MOCHA_REPORT';
export const MOCHA_FILES = 'REDGREEN_MOCHA_FILES';

/**
 * A reporter for mocha 8 and newer that writes one JSON object a line when the run ends. Mocha's own JSON report has
 * no test that a failed hook kept from running, does not appear at all when a file can not be loaded or a test leaves
 * the process, and counts a test twice that passed first and failed later.
 *
 * Mocha adds the files it is given to the `spec` of its configuration; there is no option against that, so the reporter,
 * which is loaded before any test file, also takes the other files off the list (not those of `--file`).
 *
 * Records: `start` and `end` frame the report; `case` is a test; `hook` a hook that failed and has no test to show for it;
 * `load` the file that could not be loaded; `stray` an error outside of tests; `left` the file that was running when the
 * process left too early.
 */
export const mochaReporterSource = String.raw`
const { writeFileSync } = require('node:fs');
const { env } = require('node:process');
const { resolve } = require('node:path');
const { inspect } = require('node:util');

const cut = (text, max) => (text.length > max ? text.slice(0, max) + '…' : text);
const show = value => cut(typeof value === 'string' ? value : inspect(value, { depth: 4, breakLength: 100 }), 1000);
const isObject = value => typeof value === 'object' && value !== null;

function failureOf(error) {
  if (!isObject(error)) return { type: '', message: cut(String(error), 8000) };
  const value = (name, key) => (error[key] === undefined ? {} : { [name]: show(error[key]) });
  return {
    type: String(error.name ?? ''),
    code: String(error.code ?? ''),
    message: cut(String(error.message ?? ''), 8000),
    stack: cut(String(error.stack ?? ''), 8000),
    ...value('expected', 'expected'),
    ...value('received', 'actual'),
  };
}

// Mochas that tests start themselves shall not write there too.
const path = env.${MOCHA_REPORT_PATH};
const wanted = JSON.parse(env.${MOCHA_FILES} ?? '[]');
delete env.${MOCHA_REPORT_PATH};
delete env.${MOCHA_FILES};

const records = [{ kind: 'start', version: 1 }];
let phase = 'loading';
let loading = '';
let running;

const write = () =>
  path && writeFileSync(path, [...records, { kind: 'end' }].map(record => JSON.stringify(record) + '\n').join(''));

// Mocha rethrows what comes after the run, and then no process has an exit event.
process.on('uncaughtExceptionMonitor', error => {
  if (phase !== 'ended') return;
  records.push({ kind: 'stray', file: '', failure: failureOf(error) });
  write();
});
process.on('exit', () => {
  if (phase === 'running') records.push(...casesOf(running), { kind: 'left', file: running.file });
  if (phase === 'loading') records.push({ kind: 'left', file: loading });
  if (phase !== 'loading' || loading) write();
});

function select(mocha) {
  if (wanted.length === 0) return;
  const kept = new Set([...wanted, ...[mocha.options?.file ?? []].flat()].map(file => resolve(file)));
  mocha.files = mocha.files.filter(file => kept.has(resolve(file)));
}

const Mocha = Object.entries(require.cache).find(([path]) => /[\\/]mocha[\\/]lib[\\/]mocha\.c?js$/.test(path))?.[1]?.exports;
if (Mocha?.prototype) {
  const { loadFilesAsync, run } = Mocha.prototype;
  if (loadFilesAsync) Mocha.prototype.loadFilesAsync = async function (...options) {
    select(this);
    this.suite.on('pre-require', (_context, file) => { loading = file; });
    try {
      return await loadFilesAsync.apply(this, options);
    } catch (error) {
      records.push({ kind: 'load', file: loading, failure: failureOf(error) });
      phase = 'failed';
      throw error;
    }
  };
  Mocha.prototype.run = function (...options) {
    select(this);
    return run.apply(this, options);
  };
}

const fileOf = node => {
  for (let at = node; at; at = at.parent) if (at.file) return at.file;
  return '';
};
const namesOf = node => (node.titlePath?.() ?? [node.title]).map(String);

function casesOf(state) {
  return [...state.seen.values()].map(({ test, status, error }) => ({
    kind: 'case',
    file: fileOf(test),
    names: namesOf(test),
    status,
    ...(typeof test.duration === 'number' ? { ms: test.duration } : {}),
    ...(status === 'failed' ? { failure: failureOf(error) } : {}),
  }));
}

/** Tests that a failed hook kept from running fail with its error; a hook without such a test stands for itself. */
function hookRecords({ runner, seen, hooks, retried }) {
  const asked = test => !(runner._grep instanceof RegExp) || runner._grep.test(test.fullTitle()) !== Boolean(runner._invert);
  const found = [];
  const used = new Set();
  const visit = (suite, outer) => {
    const hook = hooks.get(suite) ?? outer;
    for (const test of hook ? suite.tests : []) {
      if (seen.has(test) || retried.has(test) || !asked(test)) continue;
      const skipped = test.isPending();
      if (!skipped) used.add(hook);
      const outcome = skipped ? { status: 'skipped' } : { status: 'failed', failure: failureOf(hook.error) };
      found.push({ kind: 'case', file: fileOf(test), names: namesOf(test), ...outcome });
    }
    for (const inner of suite.suites) visit(inner, hook);
  };
  visit(runner.suite, undefined);
  for (const hook of hooks.values()) {
    if (!used.has(hook)) found.push({ kind: 'hook', file: hook.file, names: hook.names, failure: failureOf(hook.error) });
  }
  return found;
}

module.exports = class RedgreenReporter {
  constructor(runner, options) {
    const state = { runner, seen: new Map(), hooks: new Map(), retried: new Set(), file: '' };
    running = state;
    phase = 'running';
    if (Mocha?.reporters?.Spec) this.spec = new Mocha.reporters.Spec(runner, options);
    const end = (test, status, error) => state.seen.set(test, { test, status, error });
    runner.on('test', test => { state.file = fileOf(test); });
    runner.on('hook', hook => { state.file = fileOf(hook.ctx?.currentTest ?? hook) || state.file; });
    runner.on('pass', test => end(test, 'passed'));
    runner.on('pending', test => end(test, 'skipped'));
    runner.on('retry', test => state.retried.add(test));
    runner.on('fail', (test, error) => {
      if (test.type === 'test') return end(test, 'failed', error);
      const file = fileOf(test) || (isObject(error) && error.file) || '';
      if (test.type !== 'hook') return records.push({ kind: 'stray', file, failure: failureOf(error) });
      const hook = { file, names: namesOf(test), error };
      if (!state.hooks.has(test.parent ?? test)) state.hooks.set(test.parent ?? test, hook);
    });
    runner.once('end', () => {
      phase = 'ended';
      records.push(...casesOf(state), ...hookRecords(state));
      write();
    });
  }
  done(failures, callback) {
    if (this.spec?.done) this.spec.done(failures, callback);
    else callback?.(failures);
  }
};
`;
