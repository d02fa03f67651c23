import type { BaseFiles } from '../types.ts';
import { checkFolder, manifestFolders } from './find-folder.ts';
import { filesIn, inFolder } from './in-folder.ts';
import { jest, startsJest } from './jest.ts';
import { mocha, startsMocha } from './mocha.ts';
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
  { runner: jest, starts: startsJest },
  { runner: mocha, starts: startsMocha },
  { runner: nodeTest, starts: startsNodeTest },
  { runner: pytest, starts: startsPytest },
];

export interface DetectOptions {
  readonly testCommand?: string;
  /** Where the tests are to run: relative to the root, as the user wrote it. Default the root. */
  readonly folder?: string;
}

/**
 * Recognises the repository's test runner. A given command that names one decides; otherwise the strongest sign in the
 * files. With a folder the runner works there, and still speaks of paths relative to the root. Throws a `UserError` for a
 * folder that is none.
 */
export async function detectRunner(files: BaseFiles, options: DetectOptions): Promise<DetectedRunner> {
  const folder = checkFolder(files, options.folder);
  const given = options.testCommand?.trim() || undefined;
  if (folder === undefined) return withFolders(await detectIn(files, given), files);
  const inside = filesIn(files, folder);
  const found = await detectIn(inside, given);
  const detected = found.runner ? found : ((await detectAtRoot(files, inside, given)) ?? found);
  return detected.runner
    ? { ...detected, runner: inFolder(detected.runner, folder) }
    : { runner: undefined, looked: detected.looked.map(line => `in ${folder}: ${line}`) };
}

async function detectIn(files: BaseFiles, given: string | undefined): Promise<DetectedRunner> {
  const manifest = await readPackageJson(files);
  const resolved = given && resolveScripts(given, manifest?.scripts ?? {});
  const named = resolved && RUNNERS.find(({ starts }) => starts(resolved));
  if (named) return { runner: named.runner, why: whyNamed(given ?? '', resolved), testCommand: resolved };
  const other = resolved && otherRunner(resolved);
  if (other)
    return { runner: undefined, looked: [`the test command runs ${other}, which is not supported yet`] };
  const best = await strongest(files);
  if (best) {
    const why = given ? `the test command is \`${given}\`, and ${best.match.why}` : best.match.why;
    return { runner: best.runner, why, testCommand: given ?? best.match.script };
  }
  return { runner: undefined, looked: notFound(manifest?.scripts.test) };
}

interface Candidate {
  readonly runner: TestRunner;
  readonly match: RunnerMatch;
}

async function strongest(files: BaseFiles): Promise<Candidate | undefined> {
  const matches: Candidate[] = [];
  for (const { runner } of RUNNERS) {
    const match = await runner.detect(files);
    if (match) matches.push({ runner, match });
  }
  return matches.sort((a, b) => b.match.rank - a.match.rank)[0];
}

/** A package of a monorepo may say nothing of a runner that the root provides; the root's own script is not the package's. */
async function detectAtRoot(
  files: BaseFiles,
  inside: BaseFiles,
  given: string | undefined,
): Promise<DetectedRunner | undefined> {
  const best = await strongest(files);
  if (!best || !inside.paths.some(best.runner.isTestFile)) return undefined;
  return { runner: best.runner, why: `${best.match.why}, at the root`, testCommand: given };
}

/** Says which folders have a project of their own, when the root has none that we can test. */
function withFolders(detected: DetectedRunner, files: BaseFiles): DetectedRunner {
  const folders = detected.runner ? [] : manifestFolders(files);
  if (detected.runner || folders.length === 0) return detected;
  const hint = `there are projects in ${folders.map(name => `\`${name}\``).join(', ')}: set \`working-directory\` to one of them`;
  return { runner: undefined, looked: [...detected.looked, hint] };
}

const whyNamed = (given: string, resolved: string): string =>
  given === resolved
    ? `the test command is \`${given}\``
    : `the test command \`${given}\` runs \`${resolved}\``;

const otherRunner = (line: string): string | undefined =>
  /(?:^|[\s/])(ava|tap|jasmine|karma|playwright test|cypress run|bun test|deno test|go test|cargo test|cargo nextest|rspec|phpunit|dotnet test|mvnw? |gradlew? |ctest)(?=\s|$)/
    .exec(line)?.[1]
    ?.trim();

function notFound(script: string | undefined): string[] {
  const other = script && otherRunner(script);
  return [
    ...(other ? [`package.json: the test script runs ${other}, which is not supported yet`] : []),
    'vitest: no `vitest` in package.json and no vitest.config file',
    'jest: no `jest` in package.json and no jest.config file',
    'mocha: no `mocha` in package.json and no .mocharc file',
    'node:test: no test script with `node --test` and no test file that imports node:test',
    'pytest: no pytest configuration, conftest.py, requirement or test_*.py file',
  ];
}
