import type { BaseFiles } from '../types.ts';
import { nodeTest, startsNodeTest } from './node-test.ts';
import { readPackageJson, resolveScripts } from './package-json.ts';
import { pytest, startsPytest } from './pytest.ts';
import type { RunnerMatch, TestRunner } from './test-runner.ts';
import { startsVitest, vitest } from './vitest.ts';

export type DetectedRunner =
  | {
      readonly runner: TestRunner;
      readonly why: string;
      /** What `runTests` wants: the given command or the repository's own script, package scripts resolved. Undefined for the runner's default. */
      readonly testCommand: string | undefined;
    }
  /** `looked` says, a line each, what was looked for and not found. */
  | { readonly runner: undefined; readonly looked: readonly string[] };

const RUNNERS: readonly { readonly runner: TestRunner; readonly starts: (line: string) => boolean }[] = [
  { runner: vitest, starts: startsVitest },
  { runner: nodeTest, starts: startsNodeTest },
  { runner: pytest, starts: startsPytest },
];

/** Recognises the repository's test runner. A given command that names one decides; otherwise the strongest sign in the files. */
export async function detectRunner(
  files: BaseFiles,
  options: { readonly testCommand?: string },
): Promise<DetectedRunner> {
  const given = options.testCommand?.trim() || undefined;
  const manifest = await readPackageJson(files);
  const resolved = given && resolveScripts(given, manifest?.scripts ?? {});
  const named = resolved && RUNNERS.find(({ starts }) => starts(resolved));
  if (named) return { runner: named.runner, why: whyNamed(given ?? '', resolved), testCommand: resolved };
  const other = resolved && otherRunner(resolved);
  if (other)
    return { runner: undefined, looked: [`the test command runs ${other}, which is not supported yet`] };

  const matches: { runner: TestRunner; match: RunnerMatch }[] = [];
  for (const { runner } of RUNNERS) {
    const match = await runner.detect(files);
    if (match) matches.push({ runner, match });
  }
  const best = matches.sort((a, b) => b.match.rank - a.match.rank)[0];
  if (best) return { runner: best.runner, why: best.match.why, testCommand: given ?? best.match.script };
  return { runner: undefined, looked: notFound(manifest?.scripts.test) };
}

const whyNamed = (given: string, resolved: string): string =>
  given === resolved
    ? `the test command is \`${given}\``
    : `the test command \`${given}\` runs \`${resolved}\``;

const otherRunner = (line: string): string | undefined =>
  /(?:^|[\s/])(jest|mocha|ava|tap|jasmine|karma|playwright test|cypress run|bun test|deno test|go test|cargo test|cargo nextest|rspec|phpunit|dotnet test|mvnw? |gradlew? |ctest)(?=\s|$)/
    .exec(line)?.[1]
    ?.trim();

function notFound(script: string | undefined): string[] {
  const other = script && otherRunner(script);
  return [
    ...(other ? [`package.json: the test script runs ${other}, which is not supported yet`] : []),
    'vitest: no `vitest` in package.json and no vitest.config file',
    'node:test: no test script with `node --test` and no test file that imports node:test',
    'pytest: no pytest configuration, conftest.py, requirement or test_*.py file',
  ];
}
