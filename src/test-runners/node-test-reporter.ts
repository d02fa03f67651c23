/** Name of our reporter for node:test inside the scratch folder. */
export const NODE_REPORTER = 'redgreen-node-reporter.mjs';

/**
 * A reporter for Node 18 and newer that writes one JSON object a line. Node's own JUnit report has no file, no line and
 * no expected value before Node 25, and keeps silent about tests that were announced and never ran.
 *
 * Records: `start` and `end` frame the report (no `end` means that it is cut); `case` is a test, `suite` a group that
 * failed by itself (a hook, say); `file` a whole test file; `unfinished` a test that was announced and never reported; `stray` an error that came
 * after its test had ended (Node 20 does not say of which file);
 * `summary` a file that came to its regular end (Node 22 and newer).
 */
export const nodeReporterSource = String.raw`
import { inspect } from 'node:util';
import { resolve } from 'node:path';

const cut = (text, max) => (text.length > max ? text.slice(0, max) + '…' : text);
const show = value => cut(typeof value === 'string' ? value : inspect(value, { depth: 4, breakLength: 100 }), 1000);
const isObject = value => typeof value === 'object' && value !== null;

function failureOf(error) {
  if (!isObject(error)) return { type: '', message: cut(String(error), 8000) };
  const own = isObject(error.cause) ? error.cause : error;
  const value = key => (key in own ? { [key]: show(own[key]) } : {});
  return {
    type: String(own.name ?? ''),
    code: String(own.code ?? ''),
    reason: String(error.failureType ?? ''),
    message: cut(String(own.message ?? error.message), 8000),
    stack: isObject(error.cause) ? cut(String(own.stack ?? ''), 8000) : '',
    ...value('expected'),
    ...value('actual'),
  };
}

export default async function* report(source) {
  const line = record => JSON.stringify(record) + '\n';
  const names = new Map();
  const waiting = new Map();
  const errors = new Map();
  const fileOf = data => (typeof data.file === 'string' ? resolve(data.file) : '');
  const isFile = data => data.nesting === 0 && (resolve(String(data.name)) === fileOf(data) || !data.file && /\.[cm]?[jt]sx?$/.test(data.name));
  const keyOf = data => JSON.stringify([fileOf(data), data.nesting, data.name, data.line, data.column]);
  const wait = (data, by) => waiting.set(keyOf(data), { data, count: (waiting.get(keyOf(data))?.count ?? 0) + by });

  yield line({ kind: 'start', version: 1, node: process.version, cwd: process.cwd() });
  for await (const { type, data } of source) {
    if (type === 'test:stderr') errors.set(fileOf(data), ((errors.get(fileOf(data)) ?? '') + data.message).slice(-8000));
    if (type === 'test:diagnostic' && /generated asynchronous activity after the test ended/.test(data.message)) {
      yield line({ kind: 'stray', file: fileOf(data), message: String(data.message) });
    }
    if (type === 'test:summary' && data.file) yield line({ kind: 'summary', file: fileOf(data) });
    if (type === 'test:summary' && !data.file) yield line({ kind: 'summaries' });
    if (data?.name === undefined) continue;
    if (isFile(data)) {
      const ended = type === 'test:complete' || type === 'test:pass' || type === 'test:fail';
      const file = fileOf(data) || resolve(data.name);
      const error = data.details?.error;
      if (ended) yield line({ kind: 'file', file, failed: Boolean(error), reason: String(error?.failureType ?? ''), stderr: error ? (errors.get(file) ?? '') : '' });
      continue;
    }
    if (type === 'test:enqueue') wait(data, 1);
    if (type === 'test:start') {
      const stack = names.get(fileOf(data)) ?? [];
      stack.length = data.nesting;
      stack[data.nesting] = String(data.name);
      names.set(fileOf(data), stack);
    }
    if (type !== 'test:pass' && type !== 'test:fail') continue;
    wait(data, -1);
    const path = [...(names.get(fileOf(data)) ?? []).slice(0, data.nesting), String(data.name)];
    const base = { file: fileOf(data), line: data.line, names: path, ms: data.details?.duration_ms };
    const failed = type === 'test:fail';
    const failure = failed ? { failure: failureOf(data.details?.error) } : {};
    const skipped = data.skip !== undefined && data.skip !== false;
    const todo = data.todo !== undefined && data.todo !== false;
    if (data.details?.type === 'suite') {
      if (failed && !todo && data.details.error?.failureType !== 'subtestsFailed') yield line({ kind: 'suite', ...base, ...failure });
      continue;
    }
    const status = skipped ? 'skipped' : todo ? 'todo' : failed ? 'failed' : 'passed';
    yield line({ kind: 'case', ...base, status, ...(status === 'failed' ? failure : {}) });
  }
  for (const { data, count } of waiting.values()) {
    if (count > 0) yield line({ kind: 'unfinished', file: fileOf(data), name: String(data.name) });
  }
  yield line({ kind: 'end' });
}
`;
