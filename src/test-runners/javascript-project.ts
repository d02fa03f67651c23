/** What the JavaScript runners have in common: where their programs, tests and configuration lie. */

/** Environment of every test run: no colours, no watch mode, no questions. */
export const QUIET_ENV = { CI: '1', NO_COLOR: '1', FORCE_COLOR: '0', TERM: 'dumb' } as const;

/** Puts `node_modules/.bin` of the work folder and of every folder above it on the path, nearest first, as npm does. */
export const BIN_ON_PATH =
  'redgreen_bin=; redgreen_dir=$PWD; while [ -n "$redgreen_dir" ]; do' +
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the shell's.
  ' redgreen_bin="$redgreen_bin$redgreen_dir/node_modules/.bin:"; redgreen_dir=${redgreen_dir%/*}; done;' +
  ' PATH="$redgreen_bin$PATH"; export PATH';

const TEST_FOLDER = /(^|\/)(tests?|__tests__|__mocks__|__snapshots__|__fixtures__|specs?|e2e)\//;
const TEST_FILE = /(^|\/|[._-])(test|spec)\.[cm]?[jt]sx?$/;
/** Node collects `test-*.js` anywhere; below `src/` such a name is more often a product's. */
const TEST_PREFIX = /^(?!(.*\/)?(src|lib)\/)(.*\/)?test-[^/]*\.[cm]?[jt]sx?$/;

export const isJavascriptTestPath = (path: string): boolean =>
  TEST_FOLDER.test(path) || TEST_FILE.test(path) || TEST_PREFIX.test(path) || /\.snap$/.test(path);

/** Runs before every test, so it decides what they report, wherever it lies. */
const SETUP_FILE =
  /(^|\/)((vitest|jest|mocha|test)[._-]?(setup|global-?setup|teardown|global-?teardown|polyfills?|hooks?|environment)[^/]*|setup-?(tests?|jest|mocha)|global-?(setup|teardown))\.[cm]?[jt]sx?$/i;

export const isJavascriptConfigPath = (path: string): boolean =>
  (SETUP_FILE.test(path) && !TEST_FILE.test(path)) ||
  /(^|\/)(package\.json|[tj]sconfig[^/]*\.json|\.npmrc|\.node-version|\.nvmrc|node\.config\.json|\.env[^/]*|babel\.config\.[^/]*|\.babelrc[^/]*|\.swcrc|\.nycrc[^/]*|\.c8rc[^/]*)$/.test(
    path,
  );

/** Vitest's default, and most people's habit. */
export const isNamedTestFile = (path: string): boolean => TEST_FILE.test(path) && !FIXTURE.test(path);

/** Jest also collects every script in a folder named `__tests__`. */
export const isJestTestFile = (path: string): boolean =>
  isNamedTestFile(path) || (!FIXTURE.test(path) && /(^|\/)__tests__\/.*\.[cm]?[jt]sx?$/.test(path));

/** Mocha takes whatever it is told; that is, as a rule, every script in the test folder but what helps the others. */
export const isMochaTestFile = (path: string): boolean =>
  isNamedTestFile(path) ||
  (!FIXTURE.test(path) &&
    !TEST_SUPPORT.test(path) &&
    (TEST_PREFIX.test(path) || /(^|\/)(tests?|specs?)\/.*\.[cm]?[jt]sx?$/.test(path)));

const TEST_SUPPORT =
  /(^|\/)(helpers?|support|utils?|mocks?|stubs?|data|resources|common|shared|types)\/|(^|\/)(_[^/]*|(setup|teardown|bootstrap|hooks?|helpers?|utils?|common|index|init|globals?|register)([._-][^/]*)?|[^/]*[._-](setup|helpers?|utils?|fixtures?))\.[cm]?[jt]sx?$/;

/** Node also collects `test-*.js`, and every script in a folder named `test`. */
export const isNodeTestFile = (path: string): boolean =>
  isNamedTestFile(path) ||
  (!FIXTURE.test(path) && (TEST_PREFIX.test(path) || /(^|\/)tests?\/[^/]*\.[cm]?[jt]s$/.test(path)));

const FIXTURE = /(^|\/)(fixtures?|__fixtures__|__mocks__|__snapshots__|samples)\/|\.d\.[cm]?ts$/;
