import type { BaseFiles } from '../types.ts';
import { findCommand, programOf, quote, quoteFile, sortArguments, unquote } from './command-line.ts';
import {
  BIN_ON_PATH,
  isJavascriptConfigPath,
  isJavascriptTestPath,
  isNodeTestFile,
  QUIET_ENV,
} from './javascript-project.ts';
import { javascriptSetup } from './javascript-setup.ts';
import { parseNodeReport } from './node-test-report.ts';
import { NODE_REPORTER, nodeReporterSource } from './node-test-reporter.ts';
import { readPackageJson, resolveScripts } from './package-json.ts';
import { javascriptSentinel } from './sentinel-text.ts';
import type { CommandOptions, RunnerCommand, RunnerMatch, TestRunner } from './test-runner.ts';

/** Node's built-in runner, `node --test`, on Node 18 and newer. */
export const nodeTest: TestRunner = {
  name: 'node:test',
  language: 'JavaScript',
  stubStatement: "throw new Error('not implemented: <name>');",
  detect,
  setupScript: javascriptSetup,
  scratchFiles: { [NODE_REPORTER]: nodeReporterSource },
  command,
  parse: parseNodeReport,
  isTestFile: isNodeTestFile,
  isTestPath: isJavascriptTestPath,
  isConfigPath: isJavascriptConfigPath,
  sentinel: (file, names) => javascriptSentinel('node:test', file, names),
};

/** True for a line that starts node's test runner, through `tsx` and the like too. */
export const startsNodeTest = (line: string): boolean => findCommand(line, isNodeTest) !== undefined;

async function detect(files: BaseFiles): Promise<RunnerMatch | undefined> {
  const manifest = await readPackageJson(files);
  const script = manifest?.scripts.test && resolveScripts('npm test', manifest.scripts);
  if (script && startsNodeTest(script)) {
    return { rank: 100, why: `the test script is \`${script}\``, script };
  }
  const sample = files.paths
    .filter(path => /\.[cm]?[jt]s$/.test(path) && isJavascriptTestPath(path))
    .slice(0, 20);
  for (const path of sample) {
    if (/['"]node:test['"]/.test((await files.text(path)) ?? '')) {
      return { rank: 50, why: `${path} imports node:test` };
    }
  }
  return undefined;
}

const isNodeTest = (words: readonly string[]): boolean =>
  words.includes('--test') && words.some(word => /^(node|nodejs|tsx|ts-node|tsimp)$/.test(programOf(word)));

const RULES = {
  drop: /^--(test-reporter(-destination)?|watch(-path|-preserve-output)?|experimental-test-coverage|test-coverage-[\w-]+)(=|$)/,
  takesValue:
    /^(-r|-C|--(require|import|loader|experimental-loader|env-file|env-file-if-exists|conditions|tsconfig|test-(concurrency|timeout|name-pattern|skip-pattern|isolation|shard|reporter|reporter-destination|global-setup|coverage-\w+)))$/,
};

/**
 * Our reporter's options go right behind `--test`, since Node stops reading options at the first file. Selected files
 * take the place of the script's own paths. A command that we can not read (`make test`) gets the reporter through
 * NODE_OPTIONS, which Node's own child processes ignore, and always runs the whole suite.
 */
function command(options: CommandOptions): RunnerCommand {
  const line = options.testCommand ?? 'node --test';
  const reporters = [
    '--test-reporter=spec',
    '--test-reporter-destination=stdout',
    `--test-reporter=${options.scratch}/${NODE_REPORTER}`,
    `--test-reporter-destination=${options.reportPath}`,
  ];
  const files = options.files.map(quoteFile);
  const found = findCommand(line, isNodeTest);
  if (!found || line.includes('{args}')) {
    const script = line.replaceAll('{args}', () => files.join(' '));
    const nodeOptions = reporters.map(option => `"${option}"`).join(' ');
    return {
      shown: script,
      script: `${BIN_ON_PATH}; ${script}`,
      env: { ...QUIET_ENV, NODE_OPTIONS: nodeOptions },
    };
  }
  const start = found.words.findIndex(word => unquote(word) === '--test') + 1;
  const head = found.words.slice(0, start).filter(word => !RULES.drop.test(unquote(word)));
  const { options: kept, positional } = sortArguments(found.words.slice(start), RULES);
  const paths = files.length > 0 ? files : positional;
  const join = (words: readonly string[]) => found.before + words.join(' ');
  return {
    shown: join([...head, ...kept, ...paths]),
    script: `${BIN_ON_PATH}; ${join([...head, ...reporters.map(quote), ...kept, ...paths])}`,
    env: QUIET_ENV,
  };
}
