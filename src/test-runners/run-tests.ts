import { createHash, randomBytes } from 'node:crypto';
import { messageOf } from '../errors.ts';
import type { ExecResult, Exit, Shell, TestReport, TestRun } from '../types.ts';
import { cleanText, cutMiddle } from './clean-text.ts';
import { quote } from './command-line.ts';
import { judgeSentinels, type Sentinels, withoutSentinels } from './sentinels.ts';
import type { TestRunner } from './test-runner.ts';

const MEBIBYTE = 1024 * 1024;
const MAX_REPORT_BYTES = 64 * MEBIBYTE;
const MAX_OUTPUT_BYTES = 64 * MEBIBYTE;
const MAX_LOG_CHARS = 200_000;
const CHORE_TIMEOUT_MS = 60_000;

export interface RunTestsOptions {
  readonly shell: Shell;
  readonly runner: TestRunner;
  /** As `detectRunner` gave it; undefined for the runner's default. */
  readonly testCommand: string | undefined;
  /** Test files, relative; empty for the whole suite. Results of other files are dropped. */
  readonly files: readonly string[];
  /** Absolute paths inside the sandbox. `scratch` lies outside of `workdir`. */
  readonly workdir: string;
  readonly scratch: string;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
  /** Given in proof runs, when the planted tests already lie in these files. */
  readonly sentinels?: Sentinels;
  readonly extraEnv?: Readonly<Record<string, string>>;
}

/**
 * Runs tests and reads their report, which appears in a folder made for this run alone. What the tests did is data;
 * throws only when the sandbox itself does not work.
 */
export async function runTests(options: RunTestsOptions): Promise<TestRun> {
  const folder = `${options.scratch}/${randomBytes(16).toString('hex')}`;
  const reportPath = `${folder}/report/report`;
  const { runner, testCommand, files, workdir, signal } = options;
  await prepare(options, folder);
  const command = runner.command({ testCommand, files, reportPath, scratch: folder, workdir });
  const result = await options.shell({
    script: command.script,
    env: { ...options.extraEnv, ...command.env },
    timeoutMs: options.timeoutMs,
    maxOutputBytes: MAX_OUTPUT_BYTES,
    ...(signal && { signal }),
  });
  const run: TestRun = {
    command: command.shown,
    exit: result.exit,
    log: logOf(result),
    durationMs: result.durationMs,
  };
  const stopped = whyStopped(result.exit);
  const bytes = await takeReport(options.shell, reportPath, folder);
  return judgeRun(run, stopped ? { problem: stopped } : bytes, options);
}

/** One script for all of it: each one costs a round trip into the sandbox. */
async function prepare({ shell, runner, scratch }: RunTestsOptions, folder: string): Promise<void> {
  const files = Object.entries(runner.scratchFiles).map(
    ([path, text]) => `printf '%s' ${quote(text)} > ${quote(`${folder}/${path}`)}`,
  );
  const script = [
    'umask 077',
    `mkdir -p ${quote(scratch)}`,
    `mkdir ${quote(folder)} ${quote(`${folder}/report`)}`,
    ...files,
  ].join(' && ');
  const { exit, stderr } = await shell({ script, timeoutMs: CHORE_TIMEOUT_MS });
  if (exit.kind === 'code' && exit.code === 0) return;
  throw new Error(
    `could not prepare a folder for the test report: ${cleanText(stderr.toString('utf8')) || exit.kind}`,
  );
}

function whyStopped(exit: Exit): string | undefined {
  switch (exit.kind) {
    case 'code':
      return undefined;
    case 'signal':
      return `the test run was killed by signal ${exit.signal}`;
    case 'timeout':
      return `the test run was stopped after ${Math.round(exit.timeoutMs / 1000)} s`;
    case 'out-of-memory':
      return 'the test run ran out of memory';
    case 'output-limit':
      return `the test run printed more than ${exit.maxBytes} bytes`;
    case 'cancelled':
      return 'the test run was cancelled';
    case 'failed-to-start':
      return `the test run could not be started: ${exit.message}`;
  }
}

type ReportBytes = { readonly bytes: Buffer } | { readonly problem: string };

/** Reads the report and removes its folder. A plain file only: a link could show another file's bytes, a pipe would never end. */
async function takeReport(shell: Shell, path: string, folder: string): Promise<ReportBytes> {
  const file = quote(path);
  const { exit, stdout } = await shell({
    script: `code=66; [ -f ${file} ] && [ ! -L ${file} ] && { cat ${file}; code=$?; }; rm -rf ${quote(folder)}; exit $code`,
    timeoutMs: CHORE_TIMEOUT_MS,
    maxOutputBytes: MAX_REPORT_BYTES,
  });
  if (exit.kind === 'code' && exit.code === 0) return { bytes: stdout };
  if (exit.kind === 'code' && exit.code === 66) return { problem: 'the test run wrote no report' };
  if (exit.kind === 'output-limit') return { problem: `the report is larger than ${MAX_REPORT_BYTES} bytes` };
  return { problem: 'the report could not be read' };
}

function judgeRun(run: TestRun, found: ReportBytes, options: RunTestsOptions): TestRun {
  const { sentinels } = options;
  const unread = (problem: string, reportSha256?: string): TestRun => ({
    ...run,
    ...(reportSha256 && { reportSha256 }),
    problem,
    ...(sentinels && { sentinels: { honest: false, reason: problem } }),
  });
  if ('problem' in found) return unread(withCode(found.problem, run.exit));
  const reportSha256 = createHash('sha256').update(found.bytes).digest('hex');
  const whole = parse(found.bytes, options);
  if (whole instanceof Error) return unread(`the report can not be used: ${messageOf(whole)}`, reportSha256);
  const asked = onlyFiles(whole, options);
  const report = sentinels ? withoutSentinels(asked, sentinels) : asked;
  const problem =
    disagreement(run.exit, whole) ?? (hasRun(report) ? undefined : withCode('no tests ran', run.exit));
  return {
    ...run,
    report,
    reportSha256,
    ...(problem && { problem }),
    ...(sentinels && { sentinels: judgeSentinels(asked, sentinels) }),
  };
}

function parse(bytes: Buffer, { runner, workdir }: RunTestsOptions): TestReport | Error {
  try {
    return runner.parse(bytes, workdir);
  } catch (error) {
    if (error instanceof Error) return error;
    throw error;
  }
}

const hasRun = (report: TestReport): boolean => report.cases.length + report.fileErrors.length > 0;

/**
 * Runners select by prefix or substring, or not at all: what nobody asked for is not part of the answer. Errors that a
 * runner can pin to no file stand under the runner's own name, and stay.
 */
function onlyFiles(report: TestReport, { files, runner }: RunTestsOptions): TestReport {
  if (files.length === 0) return report;
  const asked = new Set([...files, runner.name]);
  return {
    cases: report.cases.filter(test => asked.has(test.file)),
    fileErrors: report.fileErrors.filter(error => asked.has(error.file)),
  };
}

/** An exit code and a report that contradict each other: one of them was made up, or something else failed. */
function disagreement(exit: Exit, report: TestReport): string | undefined {
  if (exit.kind !== 'code') return undefined;
  const failed = report.cases.filter(test => test.status === 'failed').length;
  if (exit.code === 0 && failed > 0) return `exit code 0, yet the report has ${failed} failed tests`;
  if (exit.code !== 0 && failed === 0 && report.fileErrors.length === 0 && report.cases.length > 0) {
    return `exit code ${exit.code}, yet no test of the report failed`;
  }
  return undefined;
}

const withCode = (problem: string, exit: Exit): string =>
  exit.kind === 'code' ? `${problem} (exit code ${exit.code})` : problem;

function logOf({ stdout, stderr }: ExecResult): string {
  const text = [stdout, stderr].map(stream => cleanText(stream.toString('utf8')).trim()).filter(Boolean);
  return cutMiddle(text.join('\n'), MAX_LOG_CHARS);
}
