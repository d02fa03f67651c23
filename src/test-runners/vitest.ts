import type { BaseFiles } from '../types.ts';
import {
  appendArguments,
  findCommand,
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
  isNamedTestFile,
  QUIET_ENV,
} from './javascript-project.ts';
import { javascriptSetup } from './javascript-setup.ts';
import { readPackageJson, resolveScripts } from './package-json.ts';
import { javascriptSentinel } from './sentinel-text.ts';
import type { CommandOptions, RunnerCommand, RunnerMatch, TestRunner } from './test-runner.ts';
import { parseVitestReport } from './vitest-report.ts';
import { STRAY_ERRORS, VITEST_REPORTER, vitestReporterSource } from './vitest-reporter.ts';

const CONFIG_FILE = /(^|\/)(vitest|vite)\.(config|workspace)\.[cm]?[jt]s$/;

export const vitest: TestRunner = {
  name: 'vitest',
  language: 'TypeScript',
  stubStatement: "throw new Error('not implemented: <name>');",
  detect,
  setupScript: javascriptSetup,
  scratchFiles: { [VITEST_REPORTER]: vitestReporterSource },
  command,
  parse: parseVitestReport,
  isTestFile: isNamedTestFile,
  isTestPath: isJavascriptTestPath,
  isConfigPath: path =>
    isJavascriptConfigPath(path) || CONFIG_FILE.test(path) || /(^|\/)vitest\.workspace\.json$/.test(path),
  sentinel: (file, names) => javascriptSentinel('vitest', file, names),
};

export const startsVitest = (line: string): boolean => findCommand(line, isVitest) !== undefined;

async function detect(files: BaseFiles): Promise<RunnerMatch | undefined> {
  const manifest = await readPackageJson(files);
  const script = manifest?.scripts.test && resolveScripts('npm test', manifest.scripts);
  if (script && startsVitest(script)) return { rank: 100, why: `the test script is \`${script}\``, script };
  const config = files.paths.find(path => /^vitest\.(config|workspace)\./.test(path));
  if (config) return { rank: 85, why: `${config} is there` };
  if (manifest && 'vitest' in { ...manifest.dependencies, ...manifest.devDependencies }) {
    return { rank: 80, why: 'package.json depends on vitest' };
  }
  return undefined;
}

const isVitest = (words: readonly string[]): boolean =>
  words.some((word, index) => programOf(word) === 'vitest' && isInstalling(words.slice(0, index)) === false);

const isInstalling = (words: readonly string[]): boolean =>
  words.some(word => /^(i|install|add|ci)$/.test(word)) &&
  words.some(word => /^(npm|pnpm|yarn|bun)$/.test(word));

const RULES = {
  drop: /^(-w|-u|--(watch|ui|open|run|update|coverage(\.[\w.-]+)?|reporter|outputFile(\.\w+)?|passWithNoTests|standalone|clearScreen))(=|$)/,
  takesValue:
    /^(-c|-r|-t|--(config|root|dir|project|environment|pool|testNamePattern|testTimeout|hookTimeout|mode|shard|maxWorkers|minWorkers|retry|exclude|bail|tagsFilter|configLoader|reporter|outputFile(\.\w+)?|coverage\.\w+))$/,
};
const SUBCOMMAND = /^(run|watch|dev)$/;

/**
 * Always `vitest run`, with the script's own options but without watch mode, coverage (whose thresholds would fail a
 * selection) and other reporters. Vitest selects by substring, so a run of `a.test.ts` runs `aa.test.ts` too;
 * `runTests` drops what was not asked for.
 */
function command(options: CommandOptions): RunnerCommand {
  const line = options.testCommand ?? 'vitest run';
  const reporters = [
    '--reporter=default',
    '--reporter=json',
    `--reporter=${quote(`${options.scratch}/${VITEST_REPORTER}`)}`,
    `--outputFile.json=${quote(options.reportPath)}`,
  ];
  const strayErrors = `${options.scratch}/${STRAY_ERRORS}`;
  const whole = (script: string) =>
    `${BIN_ON_PATH}; ${script}\nredgreen_code=$?; ${joinReports(options.reportPath, strayErrors)}; exit $redgreen_code`;
  const files = options.files.map(quoteFile);
  const found = line.includes('{args}') ? undefined : findCommand(line, isVitest);
  if (!found) {
    const script = appendArguments(line, [...reporters, ...files]);
    return { shown: line.replaceAll('{args}', () => files.join(' ')), script: whole(script), env: QUIET_ENV };
  }
  const start = found.words.findIndex(word => programOf(unquote(word)) === 'vitest') + 1;
  const { options: kept, positional } = sortArguments(found.words.slice(start), RULES);
  const own = positional.filter((word, index) => !(index === 0 && SUBCOMMAND.test(unquote(word))));
  const words = [...found.words.slice(0, start), 'run', ...kept];
  const paths = files.length > 0 ? files : own;
  return {
    shown: found.before + [...words, ...paths].join(' '),
    script: whole(found.before + [...words, '--coverage.enabled=false', ...reporters, ...paths].join(' ')),
    env: QUIET_ENV,
  };
}

/** Puts the errors outside of tests behind vitest's own report, if it wrote one. */
const joinReports = (report: string, strayErrors: string): string =>
  `if [ -f ${quote(report)} ] && [ -f ${quote(strayErrors)} ]; then cat ${quote(strayErrors)} >> ${quote(report)}; fi`;
