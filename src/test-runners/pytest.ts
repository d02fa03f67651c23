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
import { QUIET_ENV } from './javascript-project.ts';
import { parsePytestReport } from './pytest-report.ts';
import { pythonSetup } from './python-setup.ts';
import { pythonSentinel } from './sentinel-text.ts';
import type { CommandOptions, RunnerCommand, RunnerMatch, TestRunner } from './test-runner.ts';

/** pytest 5 and newer; it also runs `unittest` classes. */
export const pytest: TestRunner = {
  name: 'pytest',
  language: 'Python',
  stubStatement: "raise NotImplementedError('<name>')",
  detect,
  setupScript: pythonSetup,
  scratchFiles: {},
  command,
  parse: parsePytestReport,
  reportsRelativePaths: true,
  isTestFile: path => TEST_FILE.test(path),
  isTestPath: path => !isConfigPath(path) && (TEST_FOLDER.test(path) || TEST_FILE.test(path)),
  isConfigPath,
  sentinel: (_file, names) => pythonSentinel(names),
};

export const startsPytest = (line: string): boolean => findCommand(line, isPytest) !== undefined;

const TEST_FOLDER = /(^|\/)(tests?|testing|__snapshots__)\//;
const TEST_FILE = /(^|\/)(test_[^/]*|[^/]*_test)\.py$/;

/** `conftest.py` counts as configuration although it lies among the tests: a hook in it decides what pytest reports. */
function isConfigPath(path: string): boolean {
  return /(^|\/)(\.?pytest\.(ini|toml)|conftest\.py|tox\.ini|setup\.cfg|pyproject\.toml|noxfile\.py|(site|user)customize\.py|[^/]*\.pth|\.coveragerc)$/.test(
    path,
  );
}

async function detect(files: BaseFiles): Promise<RunnerMatch | undefined> {
  const holds = async (path: string, pattern: RegExp) => pattern.test((await files.text(path)) ?? '');
  const own = files.paths.find(path => /^\.?pytest\.(ini|toml)$/.test(path));
  if (own) return { rank: 95, why: `${own} is there` };
  for (const [path, pattern] of SECTIONS) {
    if (await holds(path, pattern)) return { rank: 95, why: `${path} configures pytest` };
  }
  const conftest = files.paths.find(path => /(^|\/)conftest\.py$/.test(path));
  if (conftest) return { rank: 75, why: `${conftest} is there` };
  for (const path of files.paths.filter(path => REQUIREMENTS.test(path))) {
    if (await holds(path, /\bpytest\b/)) return { rank: 70, why: `${path} names pytest` };
  }
  const test = files.paths.find(path => TEST_FILE.test(path));
  return test ? { rank: 40, why: `${test} is a Python test` } : undefined;
}

const SECTIONS: readonly (readonly [string, RegExp])[] = [
  ['pyproject.toml', /^[ \t]*\[tool\.pytest(\.ini_options)?\]/m],
  ['setup.cfg', /^[ \t]*\[tool:pytest\]/m],
  ['tox.ini', /^[ \t]*\[pytest\]/m],
];
const REQUIREMENTS =
  /^([^/]*requirements[^/]*\.(txt|in)|requirements\/[^/]*\.txt|pyproject\.toml|setup\.(py|cfg)|tox\.ini|Pipfile)$/;

const isPytest = (words: readonly string[]): boolean =>
  words.some(
    (word, index) =>
      /^(pytest|py\.test)$/.test(programOf(word)) && !/install|add/.test(words[index - 1] ?? ''),
  );

const RULES = {
  drop: /^(--(junit-?xml|junit-prefix|lf|last-failed|ff|failed-first|nf|new-first|sw|stepwise|maxfail|exitfirst|pdb)|-x)(=|$)/,
  takesValue:
    /^(-[kmpcnoWr]|--(rootdir|confcutdir|basetemp|import-mode|ignore|deselect|maxfail|junit-?xml|junit-prefix|cov-report|cov-config|durations|tb|dist|numprocesses|log-level|ds|timeout))$/,
};

/** The root is fixed, because the report's paths are relative to it and pytest would look for one further up. */
const flags = (reportPath: string, workdir: string): string[] => [
  '-p',
  'no:cacheprovider',
  '-p',
  'no:randomly',
  quote(`--rootdir=${workdir}`),
  quote(`--junitxml=${reportPath}`),
  '-o',
  'junit_family=xunit1',
  '--continue-on-collection-errors',
];

/** The virtual environment that set-up made, then the repository's own. */
const ENVIRONMENTS = '"$HOME/venv/bin" "$PWD/.venv/bin" "$PWD/venv/bin"';

/** Sets `$redgreen_python` to the first Python that has pytest, and `$redgreen_no_cov` where a coverage threshold could fail a selection. */
const FIND_PYTHON = [
  `for redgreen_dir in ${ENVIRONMENTS}; do if [ -d "$redgreen_dir" ]; then PATH="$redgreen_dir:$PATH"; break; fi; done; export PATH`,
  'redgreen_python=; for redgreen_try in python3 python; do',
  '  if "$redgreen_try" -c \'import importlib.util as u, sys; sys.exit(not u.find_spec("pytest"))\' 2>/dev/null; then redgreen_python=$redgreen_try; break; fi',
  'done',
  'redgreen_no_cov=; if [ -n "$redgreen_python" ] && "$redgreen_python" -c \'import importlib.util as u, sys; sys.exit(not u.find_spec("pytest_cov"))\' 2>/dev/null; then redgreen_no_cov=--no-cov; fi',
].join('\n');

const ENV = { ...QUIET_ENV, PYTHONDONTWRITEBYTECODE: '1', PYTHONHASHSEED: '0', PYTHONUNBUFFERED: '1' };

/** Our options go to the end, where they win. A command that we can not read gets them through PYTEST_ADDOPTS. */
function command(options: CommandOptions): RunnerCommand {
  const files = options.files.map(quoteFile);
  const own = flags(options.reportPath, options.workdir);
  if (options.testCommand === undefined) {
    return {
      shown: ['python -m pytest', ...files].join(' '),
      script: [
        FIND_PYTHON,
        'if [ -z "$redgreen_python" ]; then echo "pytest is not installed here" >&2; exit 127; fi',
        `"$redgreen_python" -m pytest -q ${own.join(' ')} $redgreen_no_cov ${files.join(' ')}`,
      ].join('\n'),
      env: ENV,
    };
  }
  const line = options.testCommand;
  const found = line.includes('{args}') ? undefined : findCommand(line, isPytest);
  if (!found && !line.includes('{args}')) {
    return { shown: line, script: `${FIND_PYTHON}\n${line}`, env: { ...ENV, PYTEST_ADDOPTS: own.join(' ') } };
  }
  if (!found) {
    const script = appendArguments(line, [...own, ...files]);
    const shown = line.replaceAll('{args}', () => files.join(' '));
    return { shown, script: `${FIND_PYTHON}\n${script}`, env: ENV };
  }
  const start = found.words.findIndex(word => /^(pytest|py\.test)$/.test(programOf(unquote(word)))) + 1;
  const { options: kept, positional } = sortArguments(found.words.slice(start), RULES);
  const head = [...found.words.slice(0, start), ...kept];
  const paths = files.length > 0 ? files : positional;
  return {
    shown: found.before + [...head, ...paths].join(' '),
    script: `${FIND_PYTHON}\n${found.before}${[...head, ...own, '$redgreen_no_cov', ...paths].join(' ')}`,
    env: ENV,
  };
}
