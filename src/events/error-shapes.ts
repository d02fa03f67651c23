/** What kind of work a log shows to have failed, as far as it can be seen. */
export type FailureSort = 'tests' | 'lint' | 'build' | 'unknown';

/** What a line that tells of an error says about the kind of work; undefined for a line that tells of none. */
export function errorSort(line: string): FailureSort | undefined {
  for (const [sort, shapes] of SHAPES) if (shapes.some(shape => shape.test(line))) return sort;
  return undefined;
}

/** Lines with the counts at a run's end. */
export const isSummary = (line: string): boolean => SUMMARIES.some(shape => shape.test(line));

// Each pattern is anchored, or has only one way to match at a place: a hostile line costs what a long one costs.

const LINT: readonly RegExp[] = [
  // ESLint and stylelint:   3:5  error  'x' is not defined  no-undef
  /^ +\d+:\d+ +(?:error|✖) /,
  /^\S+:\d+:\d+: .*\[Error\/[^[\]]+\]$/,
  /^✖ \d+ problems? \(/,
  // Biome: src/a.ts:1:30 lint/suspicious/noExplicitAny ━━━, src/a.ts format ━━━
  /^\S+ (?:lint\/\S+|format|assist\/\S+|parse|organizeImports) +(?:FIXABLE +)?━/,
  // Ruff, flake8, pylint: a.py:1:8: F401 …
  /^[^\s:]+\.pyi?:\d+:\d+: [A-Z]{1,5}\d{2,5}\b/,
  /^[A-Z]{1,4}\d{3,4} \[\*\] /,
  // mypy: a.py:3: error: … [arg-type]
  /^[^\s:]+\.pyi?:\d+(?::\d+)?: error: /,
  // Prettier and Black
  /^\[warn\] (?:Code style issues|\S+\.\w+$)/,
  /^would reformat /,
  // golangci-lint: a.go:3:5: … (errcheck)
  /^[^\s:]+\.go:\d+:\d+: [^(].* \([a-z]\w*\)$/,
  /^Found \d+ errors?\.$/,
];

const BUILD: readonly RegExp[] = [
  // TypeScript, C#, MSBuild
  /\berror +(?:TS|CS|MSB|NETSDK|NU)\d+: /,
  // Rust
  /^error\[E\d+\]: /,
  /^error: (?:could not compile|linking with) /,
  // gcc, clang, Swift
  /^[^\s:]+:\d+:\d+: (?:fatal )?error: /,
  /^(?:collect2: error|ld: |CMake Error)/,
  // Go
  /^(?:vet: )?[^\s:]+\.go:\d+:\d+: \S/,
  /^FAIL\t\S+ \[(?:build|setup) failed\]$/,
  // Java and Kotlin
  /^[^\s:]+\.java:\d+: error: /,
  /^\[ERROR\] [^\s:]+\.(?:java|kt|scala):\[\d/,
  /^\[ERROR\] COMPILATION ERROR/,
  /^e: file:\/\//,
  // Bundlers
  /^✘ \[ERROR\] /,
  /^(?:error during build:|Failed to compile|ERROR in |Module not found: )/,
  // Installation
  /^npm (?:ERR!|error) code E(?!LIFECYCLE)/,
  /^ERROR: (?:Could not find a version|No matching distribution|failed to (?:solve|build))/,
];

const TESTS: readonly RegExp[] = [
  // pytest's account of a failure
  /^E {2,}\S/,
  /^\s*(?:[\w.]*\.)?Assertion\w*Error\b/,
];

const ANY: readonly RegExp[] = [
  /^Traceback \(most recent call last\):/,
  /^\s*(?:Uncaught )?[A-Za-z_$][\w.$]*(?:Error|Exception)(?: \[\w+\])?(?::|$)/,
  /^\s*(?:\[error\]|error|fatal|fatal error|panic)[:!] /i,
  /^thread '[^']*'(?: \(\d+\))? panicked at /,
  /^(?:make|gmake)(?:\[\d+\])?: \*\*\* /,
  /: (?:command not found|Permission denied|No such file or directory|not found)$/,
];

const SHAPES: readonly (readonly [FailureSort, readonly RegExp[]])[] = [
  ['lint', LINT],
  ['build', BUILD],
  ['tests', TESTS],
  ['unknown', ANY],
];

const SUMMARIES: readonly RegExp[] = [
  // Jest and Vitest
  /^ *(?:Test Suites|Test Files|Tests)(?::| ) +\d+ (?:failed|passed)/,
  // Mocha
  /^ +\d+ (?:passing|failing|pending)\b/,
  // node:test and TAP
  /^(?:ℹ|#) (?:tests|pass|fail|cancelled) \d+$/,
  // pytest: === 1 failed, 2 passed in 0.10s ===
  /^=+ (?:\d+ (?:failed|passed|errors?|skipped|xfailed|xpassed|warnings?|deselected),? )+in \d/,
  // unittest, cargo, Surefire, RSpec
  /^FAILED \((?:failures|errors)=/,
  /^Ran \d+ tests? in /,
  /^test result: /,
  /^(?:\[ERROR\] )?Tests run: \d+, Failures: /,
  /^\d+ examples?, \d+ failures?/,
  // ESLint, TypeScript, Biome, Ruff, mypy
  /^✖ \d+ problems? \(/,
  /^Found \d+ (?:errors?|warnings?)\b/,
];
