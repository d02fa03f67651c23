/** A failing test as one line names it. */
export interface Found {
  readonly file: string | undefined;
  readonly name: string;
  /** Only the last of the names: the groups stand elsewhere. */
  readonly leaf?: boolean;
  readonly group?: 'go' | 'node' | 'tap';
}

interface Shape {
  /** Anchored, and each part begins with what the one before it can not hold: a hostile line costs what a long one costs. */
  readonly pattern: RegExp;
  readonly read: (match: RegExpExecArray) => Found | undefined;
}

/** The failing test that a single line names, whatever came before it. */
export function listedTest(line: string): Found | undefined {
  for (const { pattern, read } of SHAPES) {
    const match = pattern.exec(line);
    const found = match && read(match);
    if (found) return found;
  }
  return undefined;
}

const listed = (name: string, file?: string): Found => ({ name, file });

const SHAPES: readonly Shape[] = [
  // pytest's short summary, also of its parallel workers: FAILED tests/test_a.py::TestA::test_b[x] - AssertionError: …
  {
    pattern: /^(?:\[gw\d+\] \[ *\d+%\] )?(?:FAILED|ERROR) ([^:\s]+\.py)(?:::(\S.*)| - .*)?$/,
    read: ([, file = '', rest]) => listed(rest === undefined ? file : pytestName(rest), file),
  },
  // pytest -v: tests/test_a.py::test_b FAILED [ 50%]
  {
    pattern: /^([^:\s]+\.py)::(\S.*) (?:FAILED|ERROR)(?: +\[ *\d+%\])?$/,
    read: ([, file = '', rest = '']) => listed(pytestName(rest), file),
  },
  // unittest: FAIL: test_b (tests.test_a.TestA.test_b)
  {
    pattern: /^(?:FAIL|ERROR): (\w+) \(([\w.]+)\)/,
    read: ([, method = '', dotted = '']) =>
      listed(dotted.endsWith(`.${method}`) ? dotted : `${dotted}.${method}`),
  },
  // cargo: test tests::adds ... FAILED; of documentation: test src/lib.rs - total (line 1) ... FAILED; deno: adds ... FAILED (3ms)
  {
    pattern: /^(?:test )?(\S.*) \.\.\. FAILED(?: \([^()]*\))?$/,
    read: ([, name = '']) => listed(name, /^(\S+\.rs) - /.exec(name)?.[1]),
  },
  // Surefire: [ERROR] com.shop.CartTest.adds -- Time elapsed: 0.01 s <<< FAILURE!
  {
    pattern: /^\[ERROR\] +(\S+) +(?:-- +)?Time elapsed: [^<]*<<< (?:FAILURE|ERROR)!/,
    read: ([, name = '']) => listed(name),
  },
  // Gradle: CartTest > adds() FAILED
  { pattern: /^(\w[\w.$]* > .*) FAILED$/, read: ([, name = '']) => listed(name) },
  // RSpec: rspec ./spec/cart_spec.rb:3 # Cart adds
  { pattern: /^rspec (\S+):\d+ # (.+)$/, read: ([, file = '', name = '']) => listed(name, file) },
  // PHPUnit: 1) Tests\CartTest::testAdds
  { pattern: /^\d+\) ([\w\\]+::\w+)/, read: ([, name = '']) => listed(name) },
  // dotnet test: Failed Shop.CartTests.Adds [12 ms]
  { pattern: /^ +Failed (\S.*) \[[^[\]]*\]$/, read: ([, name = '']) => listed(name) },
  // bun: (fail) cart > adds [0.12ms]
  { pattern: /^\(fail\) ([^[]+)/, read: ([, name = '']) => listed(name) },
  // Playwright: 1) [chromium] › tests/cart.spec.ts:3:1 › cart › adds ────
  {
    pattern: /^ +\d+\) (?:\[[^\]]+\] › )?(\S+):\d+:\d+ › ([^─]+)/,
    read: ([, file = '', name = '']) => listed(name, file),
  },
];

/** `TestA::test_b[x - y] - reason` → `TestA > test_b[x - y]`; a parameter may hold anything. */
function pytestName(text: string): string {
  const bracket = text.indexOf('[');
  const dash = text.indexOf(' - ');
  const hasParameters = bracket >= 0 && (dash < 0 || bracket < dash);
  const close = hasParameters ? text.indexOf('] - ') : -1;
  const whole = hasParameters
    ? close < 0
      ? text
      : text.slice(0, close + 1)
    : dash < 0
      ? text
      : text.slice(0, dash);
  const [path = '', ...parameters] = whole.split('[');
  return [path.replaceAll('::', ' > '), ...parameters].join('[');
}
