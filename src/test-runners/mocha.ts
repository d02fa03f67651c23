import type { BaseFiles } from '../types.ts';
import {
  appendArguments,
  findCommand,
  programIndex,
  programOf,
  quote,
  quoteFile,
  sortArguments,
  unquote,
} from './command-line.ts';
import {
  BIN_ON_PATH,
  isJavascriptConfigPath,
  isJavascriptTestPath,
  isMochaTestFile,
  QUIET_ENV,
} from './javascript-project.ts';
import { javascriptSetup } from './javascript-setup.ts';
import { parseMochaReport } from './mocha-report.ts';
import { MOCHA_FILES, MOCHA_REPORT_PATH, MOCHA_REPORTER, mochaReporterSource } from './mocha-reporter.ts';
import { readPackageJson, resolveScripts } from './package-json.ts';
import { javascriptSentinel } from './sentinel-text.ts';
import type { CommandOptions, RunnerCommand, RunnerMatch, TestRunner } from './test-runner.ts';

const CONFIG_FILE = /(^|\/)(\.mocharc(\.[\w.]+)?|mocha\.opts|\.mocha-?[\w-]+\.[cm]?[jt]s)$/;

/** Mocha 8 and newer, in any of its interfaces, serial or parallel; `ts-mocha` too. */
export const mocha: TestRunner = {
  name: 'mocha',
  language: 'JavaScript',
  stubStatement: "throw new Error('not implemented: <name>');",
  detect,
  setupScript: javascriptSetup,
  scratchFiles: { [MOCHA_REPORTER]: mochaReporterSource },
  command,
  parse: parseMochaReport,
  isTestFile: isMochaTestFile,
  isTestPath: isJavascriptTestPath,
  isConfigPath: path => isJavascriptConfigPath(path) || CONFIG_FILE.test(path),
  sentinel: (file, names) => javascriptSentinel('mocha', file, names),
};

export const startsMocha = (line: string): boolean => findCommand(line, isMocha) !== undefined;

async function detect(files: BaseFiles): Promise<RunnerMatch | undefined> {
  const manifest = await readPackageJson(files);
  const script = manifest?.scripts.test && resolveScripts('npm test', manifest.scripts);
  if (script && startsMocha(script)) return { rank: 100, why: `the test script is \`${script}\``, script };
  const config = files.paths.find(path => /^\.mocharc(\.|$)/.test(path));
  if (config) return { rank: 83, why: `${config} is there` };
  if (manifest?.mocha !== undefined) return { rank: 83, why: 'package.json configures mocha' };
  if (manifest && 'mocha' in { ...manifest.dependencies, ...manifest.devDependencies }) {
    return { rank: 77, why: 'package.json depends on mocha' };
  }
  return undefined;
}

const isMocha = (words: readonly string[]): boolean => mochaIndex(words) >= 0;

const mochaIndex = (words: readonly string[]): number =>
  programIndex(words, name => /^(_?mocha(\.js|\.mjs)?|ts-mocha)$/.test(name));

const DROP =
  /^(--|-[wbRO]|--(no-)?(watch(-files|-ignore)?|bail|reporter(-options?)?|dry-run|inspect(-brk)?|growl|fail-zero|pass-on-failing-test-suite|list-\w+))(=|$)/;
const TAKES_VALUE =
  /^(-[gfrtsunjROC]|--(grep|fgrep|require|timeouts?|slow|ui|reporter|reporter-options?|node-option|jobs|retries|config|package|file|extension|ignore|exclude|globals?|spec|watch-files|watch-ignore|loader|experimental-loader|import|conditions|env-file|env-file-if-exists|project|tsconfig))$/;
const TS_MOCHA_VALUE = /^-p$/;

/**
 * The script's own options, but without watch mode, bail and other reporters. Selected files take the place of its own
 * paths; those of its configuration the reporter takes off. A command that we can not read gets the reporter through
 * MOCHA_OPTIONS, which newer versions read, and always runs the whole suite.
 */
function command(options: CommandOptions): RunnerCommand {
  const line = options.testCommand ?? 'mocha';
  const reporter = `${options.scratch}/${MOCHA_REPORTER}`;
  const flags = ['--no-bail', '--reporter', quote(reporter)];
  const files = options.files.map(quoteFile);
  const env = { ...QUIET_ENV, [MOCHA_REPORT_PATH]: options.reportPath };
  const selection = files.length > 0 ? { [MOCHA_FILES]: JSON.stringify(options.files) } : {};
  const found = line.includes('{args}') ? undefined : findCommand(line, isMocha);
  if (!found) {
    const takesArguments = line.includes('{args}') || /^\s*(npm|npx|pnpm|yarn|bun)\s/.test(line);
    const script = takesArguments ? appendArguments(line, [...flags, ...files]) : line;
    return {
      shown: line.replaceAll('{args}', () => files.join(' ')),
      script: `${BIN_ON_PATH}; ${script}`,
      env: takesArguments
        ? { ...env, ...selection }
        : { ...env, MOCHA_OPTIONS: `--no-bail --reporter ${reporter}` },
    };
  }
  const at = mochaIndex(found.words.map(unquote));
  const program = programOf(unquote(found.words[at] ?? ''));
  const { options: kept, positional } = sortArguments(found.words.slice(at + 1), rules(program, files));
  const head = [...withoutThresholds(found.words.slice(0, at)), found.words[at] ?? ''];
  const paths = files.length > 0 ? files : positional;
  const join = (...words: (readonly string[])[]) => found.before + words.flat().join(' ');
  return {
    shown: join(head, kept, paths),
    script: `${BIN_ON_PATH}; ${join(head, kept, flags, paths)}`,
    env: { ...env, ...selection },
  };
}

const rules = (program: string, files: readonly string[]) => ({
  drop: files.length > 0 ? new RegExp(`${DROP.source}|^--spec(=|$)`) : DROP,
  takesValue:
    program === 'ts-mocha' ? new RegExp(`${TAKES_VALUE.source}|${TS_MOCHA_VALUE.source}`) : TAKES_VALUE,
});

/**
 * Coverage thresholds would fail a selection. c8 goes, with its options. nyc stays, since its configuration may load what
 * the tests need (a compiler, say), but reports and checks nothing.
 */
function withoutThresholds(head: readonly string[]): string[] {
  const plain = head.map(unquote);
  const c8 = plain.findIndex(word => programOf(word) === 'c8');
  if (c8 >= 0) {
    const after = plain.findIndex(
      (word, index) => index > c8 && /^(npx|node|cross-env|\w+=.*)$/.test(programOf(word)),
    );
    return [...head.slice(0, c8), ...(after < 0 ? [] : head.slice(after))];
  }
  const nyc = plain.findIndex(word => programOf(word) === 'nyc');
  if (nyc < 0) return [...head];
  return [...head.slice(0, nyc + 1), '--silent', '--check-coverage=false', ...head.slice(nyc + 1)].filter(
    word => word !== '--check-coverage',
  );
}
