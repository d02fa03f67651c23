import type { BaseFiles } from '../types.ts';
import {
  appendArguments,
  findCommand,
  programIndex,
  quote,
  quoteFile,
  sortArguments,
  unquote,
} from './command-line.ts';
import {
  BIN_ON_PATH,
  isJavascriptConfigPath,
  isJavascriptTestPath,
  isJestTestFile,
  QUIET_ENV,
} from './javascript-project.ts';
import { javascriptSetup } from './javascript-setup.ts';
import { parseJestReport } from './jest-report.ts';
import { JEST_REPORT_PATH, JEST_REPORTER, jestReporterSource } from './jest-reporter.ts';
import { readPackageJson, resolveScripts } from './package-json.ts';
import { javascriptSentinel } from './sentinel-text.ts';
import type { CommandOptions, RunnerCommand, RunnerMatch, TestRunner } from './test-runner.ts';

const CONFIG_FILE =
  /(^|\/)(jest([.-][\w.-]+)?\.config\.[cm]?[jt]s|jest\.config\.[\w.-]+\.[cm]?[jt]s|jest([.-][\w.-]+)?\.json|jest\.preset\.[cm]?js|craco\.config\.[cm]?[jt]s|config-overrides\.js)$/;

/** Jest 27 and newer, with circus or jasmine2; Create React App's and CRACO's too. */
export const jest: TestRunner = {
  name: 'jest',
  language: 'TypeScript',
  stubStatement: "throw new Error('not implemented: <name>');",
  detect,
  setupScript: javascriptSetup,
  scratchFiles: { [JEST_REPORTER]: jestReporterSource },
  command,
  parse: parseJestReport,
  isTestFile: isJestTestFile,
  isTestPath: isJavascriptTestPath,
  isConfigPath: path => isJavascriptConfigPath(path) || CONFIG_FILE.test(path),
  sentinel: (file, names) => javascriptSentinel('jest', file, names),
};

export const startsJest = (line: string): boolean => findCommand(line, isJest) !== undefined;

async function detect(files: BaseFiles): Promise<RunnerMatch | undefined> {
  const manifest = await readPackageJson(files);
  const script = manifest?.scripts.test && resolveScripts('npm test', manifest.scripts);
  if (script && startsJest(script)) return { rank: 100, why: `the test script is \`${script}\``, script };
  const config = files.paths.find(path => /^jest\.config\.[cm]?(js|ts|json)$/.test(path));
  if (config) return { rank: 84, why: `${config} is there` };
  if (manifest?.jest !== undefined) return { rank: 84, why: 'package.json configures jest' };
  if (manifest && 'jest' in { ...manifest.dependencies, ...manifest.devDependencies }) {
    return { rank: 78, why: 'package.json depends on jest' };
  }
  return undefined;
}

const isJest = (words: readonly string[]): boolean => argumentsStart(words) !== undefined;

/** Where jest's own arguments begin: behind `jest`, or behind `react-scripts test`. */
function argumentsStart(words: readonly string[]): number | undefined {
  const own = programIndex(words, name => /^jest(\.js|-cli)?$/.test(name));
  if (own >= 0) return own + 1;
  const wrapped = programIndex(words, name => /^(react-scripts|react-app-rewired|craco)$/.test(name));
  return wrapped >= 0 && words[wrapped + 1] === 'test' ? wrapped + 2 : undefined;
}

const RULES = {
  drop: /^(--|-[bfou]|--(no-)?(watch(All)?|ci|bail|json|outputFile|reporters|coverage\w*|collectCoverage\w*|update-?[sS]napshot|onlyChanged|onlyFailures|changedSince|changedFilesWithAncestor|lastCommit|findRelatedTests|runTestsByPath|passWithNoTests|listTests|showConfig|notify(Mode)?|randomize|testLocationInResults|testFailureExitCode|testResultsProcessor|watch-all))(=|$)/,
  takesValue:
    /^(-[ctwj]|--(config|env|testEnvironment|testNamePattern|maxWorkers|max-workers|maxConcurrency|rootDir|testTimeout|shard|seed|outputFile|changedSince|testRunner|testSequencer|cacheDirectory|globals|preset|resolver|runner|testRegex|transform|moduleNameMapper|coverageDirectory|coverageProvider|coverageThreshold|notifyMode|testResultsProcessor|testFailureExitCode|workerIdleMemoryLimit|globalSetup|globalTeardown|filter|prettierPath|modulePathIgnorePatterns|testURL))$/,
  takesAll:
    /^--(projects|selectProjects|ignoreProjects|testPathPatterns?|testPathIgnorePatterns|testMatch|roots|modulePaths|moduleDirectories|moduleFileExtensions|setupFiles|setupFilesAfterEnv|reporters|collectCoverageFrom|coverageReporters|coveragePathIgnorePatterns|snapshotSerializers|transformIgnorePatterns|unmockedModulePathPatterns|watchPathIgnorePatterns|extensionsToTreatAsEsm)$/,
};
/** With files to run by path, the script's own selection goes too. */
const BY_PATH = { ...RULES, drop: new RegExp(`${RULES.drop.source}|^--testPathPatterns?(=|$)`) };

/**
 * The script's own options, but without watch mode, bail, coverage (whose thresholds would fail a selection) and other
 * reporters; snapshots are never written. Positional patterns come first and files last, behind an option that takes no
 * value: jest's list options swallow whatever follows.
 */
function command(options: CommandOptions): RunnerCommand {
  const line = options.testCommand ?? 'jest';
  const flags = [
    '--ci',
    '--watchAll=false',
    '--coverage=false',
    '--bail=0',
    '--testFailureExitCode=1',
    '--testLocationInResults',
    '--reporters=default',
    `--reporters=${quote(`${options.scratch}/${JEST_REPORTER}`)}`,
  ];
  const env = { ...QUIET_ENV, [JEST_REPORT_PATH]: options.reportPath };
  const files = options.files.map(quoteFile);
  const byPath = files.length > 0 ? ['--runTestsByPath', ...files] : [];
  const found = line.includes('{args}') ? undefined : findCommand(line, isJest);
  const start = found && argumentsStart(found.words.map(unquote));
  if (!found || start === undefined) {
    const script = appendArguments(line, [...flags, ...byPath]);
    const shown = line.replaceAll('{args}', () => byPath.join(' '));
    return { shown, script: `${BIN_ON_PATH}; ${script}`, env };
  }
  const head = found.words.slice(0, start);
  const rules = files.length > 0 ? BY_PATH : RULES;
  const { options: kept, positional } = sortArguments(found.words.slice(start), rules);
  const own = files.length > 0 ? [] : positional;
  const join = (...words: (readonly string[])[]) => found.before + words.flat().join(' ');
  return {
    shown: join(head, own, kept, byPath),
    script: `${BIN_ON_PATH}; ${join(head, own, kept, flags, byPath)}`,
    env,
  };
}
