/** Reports that no honest runner writes: cut, forged, hostile, stale. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cleanText, cutMiddle } from '../../src/test-runners/clean-text.ts';
import { parseJestReport } from '../../src/test-runners/jest-report.ts';
import { parseJunit } from '../../src/test-runners/junit.ts';
import { parseMochaReport } from '../../src/test-runners/mocha-report.ts';
import { parseNodeReport } from '../../src/test-runners/node-test-report.ts';
import { pytest } from '../../src/test-runners/pytest.ts';
import { parsePytestReport } from '../../src/test-runners/pytest-report.ts';
import { withoutSentinels } from '../../src/test-runners/sentinels.ts';
import { lineInStack } from '../../src/test-runners/test-failure.ts';
import { joinNames } from '../../src/test-runners/test-ids.ts';
import type { TestRunner } from '../../src/test-runners/test-runner.ts';
import { parseVitestReport } from '../../src/test-runners/vitest-report.ts';
import { openProject } from './local-project.ts';

const suite = (inner: string) =>
  Buffer.from(`<?xml version="1.0"?><testsuites><testsuite>${inner}</testsuite></testsuites>`);

describe('parseJunit', () => {
  it('decodes entities once, and drops control characters', () => {
    const [test] = parseJunit(
      suite(
        '<testcase classname="a" name="x &amp;lt; &#10;&#x41;&bogus;\u0001"><failure message="m">&lt;b&gt;</failure></testcase>',
      ),
    );
    expect(test?.name).toBe('x &lt; \nA&bogus;');
    expect(test?.outcomes).toEqual([{ kind: 'failure', type: '', message: 'm', text: '<b>' }]);
  });

  it('finds cases in nested suites', () => {
    const cases = parseJunit(suite('<testcase name="a"/><testsuite><testcase name="b"/></testsuite>'));
    expect(cases.map(test => test.name).sort()).toEqual(['a', 'b']);
  });

  it.each([
    ['entities of its own', '<!DOCTYPE x [<!ENTITY a "aaaa">]><testsuites>&a;</testsuites>', /document type/],
    ['a cut end', '<testsuites><testsuite><testcase name="a"/>', /not well-formed/],
    ['another root', '<html></html>', /not JUnit/],
    ['nothing', '', /not/],
  ])('refuses %s', (_what, xml, reason) => {
    expect(() => parseJunit(Buffer.from(xml))).toThrow(reason);
  });

  it('refuses a report that is too large', () => {
    expect(() => parseJunit(Buffer.alloc(33 * 1024 * 1024))).toThrow(/larger than/);
  });

  it('reads names of objects’ own members as plain names', () => {
    expect(parseJunit(suite('<testcase name="__proto__" classname="constructor"/>'))[0]).toMatchObject({
      name: '__proto__',
      classname: 'constructor',
    });
  });
});

describe('reports of other versions and plugins', () => {
  it('reads a case of pytest without file and line', () => {
    const { cases } = parsePytestReport(
      suite('<testcase classname="tests.test_a" name="test_b" time="0.5"/>'),
      '/w',
    );
    expect(cases).toEqual([
      {
        id: 'tests/test_a.py::test_b',
        file: 'tests/test_a.py',
        name: 'test_b',
        status: 'passed',
        durationMs: 500,
      },
    ]);
  });

  it('reads jest’s word for skipped in a report of vitest', () => {
    const report = {
      testResults: [
        { name: '/w/a.test.ts', status: 'passed', assertionResults: [{ title: 'a', status: 'pending' }] },
      ],
    };
    expect(parseVitestReport(Buffer.from(JSON.stringify(report)), '/w').cases).toMatchObject([
      { status: 'skipped' },
    ]);
  });
});

describe('broken reports', () => {
  const start = '{"kind":"start","version":1}\n';
  it.each([
    ['node:test, cut', () => parseNodeReport(Buffer.from(start), '/w'), /cut off/],
    ['node:test, half a line', () => parseNodeReport(Buffer.from(`${start}{"kind":"ca`), '/w'), /line 2/],
    ['node:test, foreign', () => parseNodeReport(Buffer.from('{"kind":"end"}\n'), '/w'), /not one of/],
    ['node:test, empty', () => parseNodeReport(Buffer.from(''), '/w'), /not one of/],
    ['vitest, cut', () => parseVitestReport(Buffer.from('{"testResults": ['), '/w'), /not the JSON/],
    ['vitest, foreign', () => parseVitestReport(Buffer.from('{}'), '/w'), /not the JSON/],
    [
      'vitest, unknown status',
      () =>
        parseVitestReport(
          Buffer.from(
            '{"testResults":[{"name":"a","status":"x","assertionResults":[{"title":"t","status":"great"}]}]}',
          ),
          '/w',
        ),
      /unknown status/,
    ],
    ['jest, cut', () => parseJestReport(Buffer.from(start), '/w'), /cut off/],
    ['jest, half a line', () => parseJestReport(Buffer.from(`${start}{"kind":"fi`), '/w'), /line 2/],
    ['jest, its own JSON', () => parseJestReport(Buffer.from('{"testResults":[]}'), '/w'), /line 1/],
    ['jest, empty', () => parseJestReport(Buffer.from(''), '/w'), /not one of our jest reporter/],
    [
      'jest, unknown status',
      () =>
        parseJestReport(
          Buffer.from(
            `${start}{"kind":"file","file":"/w/a","project":"","projectId":"","tests":[{"names":["t"],"status":"great"}]}\n{"kind":"end"}`,
          ),
          '/w',
        ),
      /line 2/,
    ],
    ['mocha, cut', () => parseMochaReport(Buffer.from(start), '/w'), /cut off/],
    ['mocha, foreign', () => parseMochaReport(Buffer.from('{"kind":"end"}'), '/w'), /not one of our mocha/],
    [
      'mocha, a test without a name',
      () =>
        parseMochaReport(
          Buffer.from(`${start}{"kind":"case","file":"/w/a","names":[],"status":"passed"}\n{"kind":"end"}`),
          '/w',
        ),
      /line 2/,
    ],
  ])('of %s are refused', (_what, parse, reason) => {
    expect(parse).toThrow(reason);
  });
});

describe('a hostile report is read soon:', () => {
  /** The parsers run on the host: seconds here are hours for somebody who means it. */
  const readSoon = (read: () => unknown) => {
    const started = performance.now();
    read();
    expect(performance.now() - started).toBeLessThan(3_000);
  };
  const vitestFailure = (message: string, count = 1) => {
    const test = { title: 't', status: 'failed', failureMessages: [message] };
    const file = { name: '/w/a.test.ts', status: 'failed', assertionResults: Array(count).fill(test) };
    return Buffer.from(JSON.stringify({ testResults: [file] }));
  };
  const pytestFailure = (message: string, text = '') =>
    suite(
      `<testcase classname="a" name="t" file="a.py"><failure message="${message}">${text}</failure></testcase>`,
    );

  it.each([
    ['values', `${'E: expected '.repeat(1_000)}${' to be x'.repeat(1_000)}\nq`],
    ['empty lines', `E: ${'\n'.repeat(100_000)}`],
    ['a frame', `E: x\n    at ${'('.repeat(2_900)}${':1'.repeat(1_450)}x`],
    ['endless escape sequences', '\x1b]'.repeat(50_000)],
  ])('vitest’s %s', (_what, message) => {
    readSoon(() => parseVitestReport(vitestFailure(message, 200), '/w'));
  });

  it.each([
    ['unequal values', `a == ${'Error: '.repeat(50_000)}`, ''],
    ['equal values', `a${' == '.repeat(60_000)}&#x2028;`, ''],
    ['lines', 'x', 'a\u2028'.repeat(70_000)],
  ])('pytest’s %s', (_what, message, text) => {
    readSoon(() => parsePytestReport(pytestFailure(message, text), '/w'));
  });

  it('pytest’s empty lines before a file error', () => {
    const text = '\n'.repeat(100_000);
    const xml = `<testcase classname="a" name="t"><error message="collection failure">${text}</error></testcase>`;
    readSoon(() => parsePytestReport(suite(xml), '/w'));
  });

  const frame = (...records: object[]) =>
    Buffer.from(
      [{ kind: 'start', version: 1 }, ...records, { kind: 'end' }]
        .map(record => JSON.stringify(record))
        .join('\n'),
    );

  it.each([
    ['values', `Error: expect(a)\n${`Expected${' a'.repeat(4_000)}: `.repeat(2)}`],
    ['empty lines', `Error: ${'\n'.repeat(100_000)}`],
    ['code', `Error: expect(\n${`${' '.repeat(50)}>${' '.repeat(50)}1 `.repeat(80)}`],
    ['spaces', `${' '.repeat(100_000)}|`],
    ['a frame', `E: x\n    at ${'('.repeat(2_900)}${':1'.repeat(1_450)}x`],
    ['heading', `${'\n '.repeat(4_000)}● Test suite failed to run${' '.repeat(4_000)}`],
    ['endless escape sequences', '\x1b]'.repeat(50_000)],
  ])('jest’s %s', (_what, text) => {
    const failure = { text, matcher: true, code: '' };
    const tests = Array(200).fill({ names: ['t'], status: 'failed', failure });
    const file = { kind: 'file', file: '/w/a.test.js', project: '', projectId: '', tests, error: text };
    readSoon(() => parseJestReport(frame(...Array(10).fill({ ...file, tests: tests.slice(0, 20) })), '/w'));
  });

  it.each([
    ['messages', `Received message: ${'"Received message: '.repeat(50_000)}`],
    ['stacks', `/${':1'.repeat(50_000)}x`],
    ['stacks without an end', `/${'a:1\n'.repeat(50_000)}`],
  ])('mocha’s %s', (_what, text) => {
    const failure = { type: 'AssertionError', message: text, stack: text };
    const test = { kind: 'case', file: '/w/a.js', names: ['t'], status: 'failed', failure };
    readSoon(() =>
      parseMochaReport(frame(...Array(100).fill(test), { kind: 'load', file: '/w/a.js', failure }), '/w'),
    );
  });

  it('ten thousand failed tests of one name, by jest in ten thousand files and by mocha', () => {
    const failure = { text: 'Error: x\n    at a (/w/a.js:1:1)', matcher: false, code: '' };
    const tests = [{ names: ['t'], status: 'failed', failure }];
    const files = Array.from({ length: 10_000 }, (_, i) => ({
      kind: 'file',
      file: `/w/${i % 2}.js`,
      project: 'p',
      projectId: `${i}`,
      tests,
    }));
    readSoon(() => {
      const { cases } = parseJestReport(frame(...files), '/w');
      expect(new Set(cases.map(test => test.id)).size).toBe(10_000);
    });
    const test = {
      kind: 'case',
      file: '/w/a.js',
      names: ['g', 't'],
      status: 'failed',
      failure: { type: 'E', message: 'x', stack: '' },
    };
    readSoon(() => {
      const { cases } = parseMochaReport(frame(...Array(10_000).fill(test)), '/w');
      expect(cases.at(-1)?.id).toBe('a.js::g > t #10000');
    });
  });

  it('ten thousand failed tests of node:test in ten thousand groups', () => {
    const failure = (reason: string) => ({ type: 'Error', reason, message: reason });
    const at = (...names: string[]) => ({ file: '/w/a.test.js', names, status: 'failed' });
    const records = Array.from({ length: 10_000 }, (_, i) => [
      { kind: 'case', ...at('all', `g${i}`, 't'), failure: failure('cancelledByParent') },
      { kind: 'case', ...at(`s${i}`), failure: failure('subtestsFailed') },
      { kind: 'suite', file: '/w/b.test.js', names: [`hook${i}`], failure: failure('hookFailed') },
    ]);
    const all = [{ kind: 'start', version: 1 }, ...records.flat(), { kind: 'end' }];
    const report = Buffer.from(all.map(record => JSON.stringify(record)).join('\n'));
    readSoon(() => expect(parseNodeReport(report, '/w').fileErrors).toHaveLength(10_000));
  });

  it('a planted test’s name among brackets', () => {
    const cases = [
      { id: 'a', file: 'a.py', name: '['.repeat(150_000), status: 'passed' as const },
      { id: 'b', file: 'a.py', name: 'A > red[x[1]]', status: 'passed' as const },
    ];
    readSoon(() => {
      const left = withoutSentinels({ cases, fileErrors: [] }, { passing: 'green', failing: 'red' });
      expect(left.cases.map(test => test.id)).toEqual(['a']);
    });
  });
});

describe('names, values and lines', () => {
  it('keep long names short, and apart', () => {
    const long = 'x'.repeat(10_000);
    const names = [joinNames([`${long}a`]), joinNames([`${long}b`]), joinNames(Array(100).fill(long))];
    expect(new Set(names).size).toBe(3);
    for (const name of names) expect(name.length).toBeLessThanOrEqual(500);
    expect(joinNames(['a', 'b '])).toBe('a > b');
  });

  it.each([
    ['AssertionError: expected 1 to be 2 // Object.is equality', '1', '2'],
    ['AssertionError: the sum: expected [ 1 ] to deeply equal [ 2 ]', '[ 1 ]', '[ 2 ]'],
    ["AssertionError: expected 'a\nb' to be 'c'\n\n    at f (/w/a.test.ts:3:1)", "'a\nb'", "'c'"],
    ['AssertionError: expected 1 to resemble 2', undefined, undefined],
    ['Error: I expected more', undefined, undefined],
  ])('vitest’s message %j', (message, received, expected) => {
    const test = { title: 't', status: 'failed', failureMessages: [message] };
    const file = { name: '/w/a.test.ts', status: 'failed', assertionResults: [test] };
    const { cases } = parseVitestReport(Buffer.from(JSON.stringify({ testResults: [file] })), '/w');
    expect([cases[0]?.failure?.received, cases[0]?.failure?.expected]).toEqual([received, expected]);
  });

  it.each([
    ['assert 1 == 2', '1', '2'],
    ['AssertionError: assert 1 == 2', '1', '2'],
    ['AssertionError: 1 != 2', '1', '2'],
    ['assert 1 != 1', undefined, undefined],
    ['ValueError: a == b', undefined, undefined],
  ])('pytest’s message %j', (message, received, expected) => {
    const failure = `<testcase classname="a" name="t" file="a.py"><failure message="${message}"/></testcase>`;
    const { cases } = parsePytestReport(suite(failure), '/w');
    expect([cases[0]?.failure?.received, cases[0]?.failure?.expected]).toEqual([received, expected]);
  });

  it.each([
    ['Error: x\n    at f (a.js:3:1)', 3],
    ['Error: x\n    at a.js:4:1\n    at g (a.js:5:1)', 4],
    ['Error: x\n    at async f (b.js:3:1)\n    at async (a.js:12:10)', 12],
    ['Error: at a.js:3:1', undefined],
  ])('the line in %j', (stack, line) => {
    expect(lineInStack(stack, 'a.js')).toBe(line);
  });

  it('a test of node:test that its group cancelled has the failure of the group', () => {
    const failure = (reason: string) => ({ type: 'Error', reason, message: reason });
    const place = (...names: string[]) => ({ file: '/w/a.test.js', names });
    const all = [
      { kind: 'start', version: 1 },
      { kind: 'case', ...place('g', 'h', 'a'), status: 'failed', failure: failure('cancelledByParent') },
      { kind: 'suite', ...place('g', 'h'), failure: failure('inner hook') },
      { kind: 'suite', ...place('g'), failure: failure('outer hook') },
      { kind: 'case', ...place('p'), status: 'failed', failure: failure('subtestsFailed') },
      { kind: 'case', ...place('p', 'q'), status: 'failed', failure: failure('subtestsFailed') },
      { kind: 'case', ...place('p', 'q', 'r'), status: 'failed', failure: failure('testCodeFailure') },
      { kind: 'suite', ...place('alone'), failure: failure('hook alone') },
      { kind: 'end' },
    ];
    const report = parseNodeReport(Buffer.from(all.map(record => JSON.stringify(record)).join('\n')), '/w');
    expect(report.cases.map(test => test.failure?.message)).toEqual([
      'inner hook',
      ...Array(3).fill('testCodeFailure'),
    ]);
    expect(report.fileErrors.map(error => error.message)).toEqual(['alone: hook alone']);
  });
});

describe('runTests', () => {
  /** pytest's parser behind a command of our own. */
  const faking = (script: (reportPath: string) => string): TestRunner => ({
    ...pytest,
    command: ({ reportPath }) => ({ shown: 'fake', script: script(reportPath), env: {} }),
  });
  const passed =
    '<testsuites><testsuite><testcase classname="a" name="t" file="a.py"/></testsuite></testsuites>';
  const failed = passed.replace(
    '/></testsuite>',
    '><failure message="assert 1 == 2"/></testcase></testsuite>',
  );

  it.each([
    ['a report that is a link', (path: string) => `ln -s /etc/passwd ${path}`, /wrote no report/],
    ['a report that is a pipe', (path: string) => `mkfifo ${path}`, /wrote no report/],
    ['no report', () => 'true', /wrote no report \(exit code 0\)/],
    ['a report that is none', (path: string) => `echo hello > ${path}`, /can not be used/],
    ['failures and exit code 0', (path: string) => `echo '${failed}' > ${path}`, /exit code 0, yet/],
    [
      'no failures and exit code 1',
      (path: string) => `echo '${passed}' > ${path}; exit 1`,
      /exit code 1, yet/,
    ],
    ['a signal', () => 'kill -9 $$', /signal 9/],
  ])('says what is wrong with %s', async (_what, script, problem) => {
    const run = await openProject('').run(faking(script));
    expect(run.problem).toMatch(problem);
  });

  it('takes no report of an earlier run, and leaves none', async () => {
    const project = openProject('');
    const first = await project.run(faking(path => `echo '${passed}' > ${path}`));
    expect(first.problem).toBeUndefined();
    const scratch = join(project.workdir, '../scratch');
    expect(existsSync(scratch) && readdirSync(scratch)).toEqual([]);
    expect((await project.run(faking(() => 'true'))).report).toBeUndefined();
  });

  it('is cancelled by its signal', async () => {
    const abort = new AbortController();
    setTimeout(() => abort.abort(), 100);
    const run = await openProject('').run(
      faking(() => 'sleep 20'),
      { signal: abort.signal },
    );
    expect(run).toMatchObject({ exit: { kind: 'cancelled' }, problem: 'the test run was cancelled' });
  });

  it('keeps a log without colours, cut in the middle', async () => {
    const run = await openProject('').run(faking(() => "printf '\\033[31mred\\033[0m\\n'; echo bad >&2"));
    expect(run.log).toBe('red\nbad');
    expect(cutMiddle('a'.repeat(1000), 100)).toMatch(/^a{50}\n… 900 characters left out …\na{50}$/);
    expect(cleanText('a\r\nb\u0000\u001b[2Kc')).toBe('a\nbc');
  });

  it('throws when the sandbox itself does not work', async () => {
    const project = openProject('');
    await expect(project.run(pytest, { scratch: '/proc/nowhere' })).rejects.toThrow(/could not prepare/);
  });
});
