import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { cleanLogLine } from '../../src/events/digest-text.ts';
import { errorSort, isSummary } from '../../src/events/error-shapes.ts';
import { openFailingTests } from '../../src/events/failing-tests.ts';
import { type LogDigest, openLogDigest } from '../../src/events/job-log-digest.ts';

const digest = (lines: Iterable<string>, maxChars = 6_000): LogDigest => {
  const digester = openLogDigest({ maxChars });
  for (const line of lines) digester.add(line);
  return digester.result();
};
const log = (name: string) =>
  readFileSync(new URL(`../fixtures/events/logs/${name}.txt`, import.meta.url), 'utf8').split('\n');
const step = (
  title: string,
  lines: readonly string[],
  end = '##[error]Process completed with exit code 1.',
) => [
  `##[group]Run ${title}`,
  `\x1b[36;1m${title}\x1b[0m`,
  'shell: /usr/bin/bash -e {0}',
  'env:',
  '  ERROR: none',
  '##[endgroup]',
  ...lines,
  ...(end ? [end] : []),
];
/** `file > name`, as it stands in the text. */
const names = ({ failingTests }: LogDigest) =>
  failingTests.map(({ file, name }) => (file === undefined ? name : `${file} > ${name}`));

const NODE = [
  'node-test/broken.test.js > node-test/broken.test.js',
  'node-test/cart.test.js > takes quantity into account',
  'node-test/cart.test.js > takes a tenth off',
  'node-test/cart.test.js > refuses a rate over one',
];
const VITEST = [
  'vit/broken.test.js > vit/broken.test.js',
  'vit/cart.test.js > cart > discount > takes a tenth off',
  'vit/cart.test.js > cart > takes quantity into account',
  'vit/cart.test.js > doubles 2',
  'vit/cart.test.js > refuses a rate over one',
];
const JEST = [
  't/broken.test.js > t/broken.test.js',
  't/cart.test.js > cart > discount > takes a tenth off',
  't/cart.test.js > cart > takes quantity into account',
  't/cart.test.js > refuses a rate over one',
];

describe('the failing tests are found in what is printed by', () => {
  it.each([
    ['node-spec', NODE],
    ['node-tap', NODE],
    ['vitest', VITEST],
    ['vitest-verbose', VITEST],
    ['jest', JEST],
    ['jest-verbose', JEST],
    [
      'mocha',
      [
        'moc/cart.test.js > refuses a rate over one',
        'moc/cart.test.js > cart > takes quantity into account',
        'moc/cart.test.js > cart > discount > takes a tenth off',
        'moc/cart.test.js > with a hook > "before all" hook for "never runs"',
      ],
    ],
    ['pytest', ['tests/test_broken.py > tests/test_broken.py']],
    [
      'pytest-verbose',
      [
        'tests/test_cart.py > TestCart > test_takes_quantity_into_account',
        'tests/test_cart.py > test_takes_off[a - tenth]',
        'tests/test_cart.py > test_takes_off[fifth]',
        'tests/test_cart.py > test_refuses_a_rate_over_one',
        'tests/test_cart.py > test_saves',
        'tests/test_unit.py > CartTest > test_key',
        'tests/test_unit.py > CartTest > test_quantity',
      ],
    ],
    ['unittest', ['tests.test_unit.CartTest.test_key', 'tests.test_unit.CartTest.test_quantity']],
    ['go', ['cart_test.go > TestQuantity/three_of_two', 'TestPanics']],
    ['cargo', ['tests::takes_quantity_into_account', 'src/lib.rs > src/lib.rs - total (line 1)']],
  ])('%s', (name, expected) => {
    const found = digest(log(name));
    expect(names(found).toSorted()).toEqual(expected.toSorted());
    expect(found.sort).toBe('tests');
    for (const test of found.failingTests) expect(found.text).toContain(test.name);
  });

  // Runners that are not here to be run: lines as their documentation shows them.
  it.each([
    [
      'Surefire',
      '[ERROR] com.shop.CartTest.adds -- Time elapsed: 0.01 s <<< FAILURE!',
      'com.shop.CartTest.adds',
    ],
    [
      'older Surefire',
      '[ERROR] adds(com.shop.CartTest)  Time elapsed: 0 s  <<< ERROR!',
      'adds(com.shop.CartTest)',
    ],
    ['Gradle', 'CartTest > adds() FAILED', 'CartTest > adds()'],
    ['RSpec', 'rspec ./spec/cart_spec.rb:3 # Cart adds', './spec/cart_spec.rb > Cart adds'],
    ['PHPUnit', '1) Tests\\CartTest::testAdds', 'Tests\\CartTest::testAdds'],
    ['dotnet', '  Failed Shop.CartTests.Adds [12 ms]', 'Shop.CartTests.Adds'],
    ['bun', '(fail) cart > adds [0.12ms]', 'cart > adds'],
    ['deno', 'adds ... FAILED (3ms)', 'adds'],
    [
      'Playwright',
      '  1) [chromium] › tests/cart.spec.ts:3:1 › cart › adds ────────',
      'tests/cart.spec.ts > cart > adds',
    ],
    [
      'parallel pytest',
      '[gw0] [ 50%] FAILED tests/test_a.py::test_b[x::y]',
      'tests/test_a.py > test_b[x::y]',
    ],
    ['Vitest with projects', ' FAIL  |unit| src/a.test.ts > adds', 'src/a.test.ts > adds'],
    ['a Windows runner', 'FAILED tests\\test_a.py::test_b - assert 1 == 2', 'tests/test_a.py > test_b'],
  ])('%s', (_name, line, expected) => {
    const found = digest(step('test', [line]));
    expect(names(found)).toEqual([expected]);
    expect(found.sort).toBe('tests');
  });

  it('Jest with projects and a slow file', () => {
    const found = digest(step('jest', ['FAIL unit src/a.test.js (5.12 s)', '  ● adds › prices']));
    expect(names(found)).toEqual(['src/a.test.js > adds > prices']);
  });

  it('a killed Vitest, which printed its tree alone', () => {
    const lines = [' ❯ src/a.test.ts (2 tests | 1 failed) 8ms', '   × adds prices (retry x2) 4ms'];
    expect(names(digest(step('vitest', lines)))).toEqual(['adds prices']);
  });
});

describe('no failing test is seen in', () => {
  it.each([
    ['a test that is to do', 'not ok 4 - is known to be wrong # TODO'],
    ['a skipped test', 'not ok 4 - later # SKIP no database'],
    ['the sum of a linter', '✖ 12 problems (12 errors, 0 warnings)'],
    ['a task of a task runner', '✖ eslint --fix:'],
    ['the complaint of a linter', '  × eslint(no-unused-vars): x is never used'],
    ['a numbered list before any sum of Mocha', '  1) buy milk'],
    ['a bullet outside of a failed file', '  ● Validation Warning:'],
    ['a failed task of Gradle', '> Task :test FAILED'],
    ['a line of Python’s logging', 'ERROR    root:cart.py:3 no stock'],
    ['a package of Go that did not build', 'FAIL\texample.com/shop [build failed]'],
  ])('%s', (_name, line) => {
    expect(digest(step('x', [line])).failingTests).toEqual([]);
  });

  it('a step that went well, when another failed', () => {
    const found = digest([
      ...step('npm test || true', [' FAIL  src/a.test.ts > old trouble'], ''),
      ...step('npm run build', ["src/a.ts(2,3): error TS2322: Type 'x' is not assignable."]),
    ]);
    expect(found).toMatchObject({ failingTests: [], sort: 'build', step: 'npm run build' });
  });
});

it('a step that only passes on the failure of another is told with that other', () => {
  const found = digest([
    ...step('npm test || touch failed', [' FAIL  src/a.test.ts > adds'], ''),
    ...step('test ! -e failed', []),
  ]);
  expect(names(found)).toEqual(['src/a.test.ts > adds']);
  expect(found.step).toBe('test ! -e failed');
});

describe('the kind of work is seen in what is printed by', () => {
  it.each([
    ['tsc', 'build', /^tsx\/src\/cart\.ts\(2,3\): error TS2322: /],
    ['tsc-pretty', 'build', /^tsx\/src\/cart\.ts:2:3 - error TS2322: /],
    ['go-build', 'build', /^\.\/bad\.go:3:26: undefined: missing$/],
    ['go-vet', 'build', /undefined: missing/],
    ['cargo-build', 'build', /^error\[E0425\]: cannot find value/],
    ['make', 'build', /^main\.c:1:25: error: 'missing' undeclared/],
    ['biome', 'lint', /^src\/cart\.ts:1:30 lint\/suspicious\/noExplicitAny/],
    ['biome-ci', 'lint', /lint\/suspicious\/noExplicitAny|Unexpected any|debugger/],
  ])('%s', (name, sort, first) => {
    const found = digest(log(name));
    expect(found).toMatchObject({ sort, failingTests: [] });
    expect(found.errors[0]).toMatch(first);
    expect(found.text).toContain(found.errors[0]);
  });

  it.each([
    ['ESLint', "  3:5  error  'x' is not defined  no-undef", 'lint'],
    ['flake8', "shop/cart.py:1:1: F401 'os' imported but unused", 'lint'],
    ['Ruff', 'F401 [*] `os` imported but unused', 'lint'],
    ['mypy', 'shop/cart.py:3: error: Incompatible return value type  [return-value]', 'lint'],
    ['Prettier', '[warn] Code style issues found in 2 files. Run Prettier with --write to fix.', 'lint'],
    ['Black', 'would reformat shop/cart.py', 'lint'],
    ['golangci-lint', 'cart.go:12:9: Error return value is not checked (errcheck)', 'lint'],
    ['gcc', 'main.c:3:10: fatal error: missing.h: No such file or directory', 'build'],
    ['javac', 'src/Cart.java:3: error: cannot find symbol', 'build'],
    ['Maven', '[ERROR] /home/runner/work/shop/shop/src/Cart.java:[3,9] cannot find symbol', 'build'],
    ['esbuild', '✘ [ERROR] Could not resolve "left-pad"', 'build'],
    ['npm', 'npm error code ERESOLVE', 'build'],
    ['pip', 'ERROR: No matching distribution found for shop==9', 'build'],
    ['pytest', 'E       assert 1 == 2', 'tests'],
    ['a shell', 'x.sh: line 1: frobnicate: command not found', 'unknown'],
    ['npm of a script', 'npm error code ELIFECYCLE', 'unknown'],
  ])('%s', (_name, line, sort) => {
    expect(digest(step('x', [line])).sort).toBe(sort);
  });

  it('nobody: unknown', () => {
    expect(digest(step('./deploy', ['uploading', 'rejected']))).toMatchObject({
      sort: 'unknown',
      errors: [],
    });
  });
});

describe('the text', () => {
  it('tells the step, the tests, the first errors with their surroundings, the counts and the last lines', () => {
    const { text } = digest(log('vitest'));
    expect(text).toMatch(/^Failing step: npx vitest run\n/);
    expect(text).toContain('Failing tests (5):\n- vit/broken.test.js\n');
    expect(text).toContain(
      'AssertionError: expected 2 to be 6 // Object.is equality\n\n- Expected\n+ Received',
    );
    expect(text).toContain('Counts:\nTest Files  2 failed (2)\nTests  4 failed | 2 passed | 1 todo (7)');
    expect(text).toMatch(/Process completed with exit code 1\.$/);
  });

  it.each(['node-spec', 'jest', 'vitest', 'pytest-verbose', 'biome', 'cargo', 'go'])(
    'of %s has nothing of the runner’s own, no escapes and no frames of the runtime',
    name => {
      const { text } = digest(log(name));
      expect(text).not.toMatch(
        /\x1b|\[3\dm|##\[|Post job cleanup|Cleaning up|^shell: |actions\/checkout|npm ci/m,
      );
      expect(text).not.toMatch(/node:internal|\/rustc\/|hostedtoolcache\/go/);
    },
  );

  it('ends with the thirty lines before the step failed, and nothing of what the runner did then', () => {
    const lines = Array.from({ length: 100 }, (_, i) => `line ${i} of the deployment`);
    const { text } = digest([...step('./deploy', lines), 'Post job cleanup.', 'error: not ours']);
    const shown = text.split('\n').filter(line => line.startsWith('line '));
    expect(shown).toEqual(lines.slice(-30));
    expect(text).not.toContain('not ours');
  });

  it('of a log that breaks off is told all the same', () => {
    const found = digest(['##[group]Run ./deploy', '##[endgroup]', 'uploading', 'still uploading']);
    expect(found.text).toBe('Failing step: ./deploy\n\nLast lines of the step:\nuploading\nstill uploading');
  });

  it('of an empty log is empty', () => {
    expect(digest([])).toEqual({ failingTests: [], errors: [], step: undefined, text: '', sort: 'unknown' });
  });

  it.each([0, 1, 80, 500, 2_000, 20_000])('is never longer than %i characters', maxChars => {
    for (const name of ['vitest', 'jest', 'pytest-verbose', 'biome', 'cargo'])
      expect(digest(log(name), maxChars).text.length).toBeLessThanOrEqual(maxChars);
  });

  it('of little room has the step and the tests first', () => {
    const { text } = digest(log('pytest-verbose'), 700);
    expect(text).toContain('Failing step: pytest -v');
    expect(text).toContain('- tests/test_cart.py > TestCart > test_takes_quantity_into_account');
    expect(text).toContain('… more left out');
  });

  it('makes workflow commands harmless and hides nothing', () => {
    const lines = [
      '::set-output name=x::y',
      'say ##[error]boo and #\u200b#[group]x',
      '\u202eerror: re\u200bversed',
      '  ::warning::careful',
      'error: \x1b]0;title\x07 and \x1b[31mred\x1b[0m\u0000',
    ];
    const { text, errors } = digest(step('x', lines));
    for (const line of [...text.split('\n'), ...errors]) {
      expect(line).not.toMatch(/^\s*::/);
      expect(line).not.toContain('##[');
      expect(line).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u200b\u202e]/);
    }
    expect(errors).toContain('error:  and red');
  });

  it('of a line that overwrote itself shows the last state', () => {
    const { text } = digest(step('x', ['10 %\r50 %\r100 % done\r']));
    expect(text).toContain('\n100 % done\n');
    expect(text).not.toContain('50 %');
  });
});

it('an annotation is an error, in either form', () => {
  const { errors } = digest(
    step('x', ['##[error]No such stock', '::error file=a.ts,line=3,title=a::Too many items%0Asecond line']),
  );
  expect(errors).toEqual(['No such stock', 'Too many items']);
});

it('a time-out and a cancellation end a step too', () => {
  for (const end of [
    '##[error]The operation was canceled.',
    "##[error]The action 'Run npm test' has timed out after 5 minutes.",
  ]) {
    const found = digest([...step('npm test', ['waiting'], end), 'Post job cleanup.']);
    expect(found.text).toMatch(/waiting\n/);
    expect(found.text).not.toContain('Post job');
    expect(found.errors).toEqual([]);
  }
});

describe('hostile text', () => {
  const UNITS = [
    ...[
      ' ',
      '1',
      ':1',
      ' (1',
      'a.',
      'a.py::',
      'Assertion',
      '.AssertionError',
      '[Error/',
      ' [',
      '\x1b[',
      '\x1b]0;',
    ],
    ...[
      '\r',
      '##[',
      '#',
      '::',
      '= 1 failed ',
      ' - ',
      ' > ',
      '● ',
      '× ',
      ' FAIL  a',
      'not ok ',
      'error ',
      '─',
      '\u200b',
    ],
    ...[' ... FAILED', '    at (', ':1:1', ' # ', 'E ', '<', '] - ', '(', '1 failed ', 'make[1', 'Uncaught '],
  ];
  const HEADS = [
    '',
    'FAILED ',
    '  1) ',
    '✖ ',
    'test ',
    'rspec ',
    '[ERROR] ',
    '    at ',
    'a.ts:1:1: ',
    'not ok 1 - ',
  ];

  // Lines are cut before they are matched; the patterns are held to linear time all the same.
  it.each(UNITS)('made of %j is matched soon, however long', unit => {
    const long = unit.repeat(Math.ceil(200_000 / unit.length));
    const started = performance.now();
    for (const line of HEADS.map(head => head + long)) {
      errorSort(line);
      isSummary(line);
      openFailingTests().add(line);
      cleanLogLine(line);
      digest(['2 failing', line, '##[error]x']);
    }
    expect(performance.now() - started).toBeLessThan(1_000);
  });

  it.each(['x', ' ', '\x1b[', '\r', '##[error]', '😀', 'error: '])(
    'on one line of ten megabytes of %j is read soon and cut',
    unit => {
      const line = unit.repeat(10_000_000 / unit.length);
      const started = performance.now();
      const found = digest(step('x', [line, `error: ${line}`]));
      expect(performance.now() - started).toBeLessThan(3_000);
      expect(found.text.length).toBeLessThanOrEqual(6_000);
      expect(found.text.isWellFormed()).toBe(true);
      for (const error of found.errors) expect(error.length).toBeLessThanOrEqual(300);
    },
  );

  it('of very many failing tests, steps and errors keeps a bounded number', () => {
    function* lines() {
      for (let i = 0; i < 20_000; i++) {
        if (i % 50 === 0) yield `##[group]Run step ${i}`;
        yield ` FAIL  src/a.test.ts > test ${i} ${'x'.repeat(900)}`;
        yield `error: ${i}`;
        if (i % 50 === 49) yield '##[error]Process completed with exit code 1.';
      }
    }
    const found = digest(lines());
    expect(found.failingTests.length).toBeLessThanOrEqual(600);
    expect(found.errors.length).toBeLessThanOrEqual(20);
    for (const { name } of found.failingTests) expect(name.length).toBeLessThanOrEqual(300);
  });
});

it('a log of a hundred megabytes in two million lines streams by, and its one failure is found', () => {
  let bytes = 0;
  function* lines() {
    yield* step('npm test', [], '');
    for (let i = 0; i < 2_000_000; i++) {
      const line = `ok ${i} - the part number ${i % 1_000} of the whole works`;
      bytes += line.length + 1;
      yield line;
      if (i === 1_234_567) yield 'not ok 1234567 - the part that does not';
    }
    yield '##[error]Process completed with exit code 1.';
  }
  const found = digest(lines());
  expect(bytes).toBeGreaterThan(100_000_000);
  expect(names(found)).toEqual(['the part that does not']);
  expect(found.text.length).toBeLessThanOrEqual(6_000);
});
