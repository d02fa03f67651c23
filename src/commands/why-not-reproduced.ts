import { withFileCases } from '../evidence/file-cases.ts';
import { testRunIn } from './create-bench.ts';
import type { Deps, WorkResult } from './deps.ts';
import type { FailingTests } from './failing-tests.ts';
import type { FixRequest } from './fix-request.ts';
import { inFreshSandbox } from './in-fresh-sandbox.ts';
import type { Ground } from './lay-ground.ts';
import { notReproduced } from './work-result.ts';

export interface NotReproducedFacts {
  readonly ground: Ground;
  readonly request: FixRequest;
  readonly deps: Deps;
  /** Undefined when nobody looked for failing tests. */
  readonly failing: FailingTests | undefined;
}

/** Says why there is nothing to fix here, and who could show more. No model is asked. */
export async function whyNotReproduced(facts: NotReproducedFacts): Promise<WorkResult> {
  const { ground, request, failing } = facts;
  const ci = request.ciSaid.join('; ');
  if (failing && failing.onBase.length > 0)
    return notReproduced(
      `what fails here fails on the base branch too, at the commit that the pull request started from, so it did not break it: ${someOf(failing.onBase)}`,
      ground.nothing,
      'If the base branch was mended since, update the pull request from it. Otherwise mend the base branch first: `/agent fix` in an issue about it, or by hand.',
    );
  if (failing?.problem)
    return notReproduced(
      `what fails in the whole suite could not be run by itself: ${failing.problem}`,
      ground.nothing,
      'Set `test-command` so that single test files can be run with it, for example with `{args}` where they belong.',
    );
  const flaky = failing?.unsteady.length ? failing.unsteady : await flakyInCi(facts);
  if (flaky.length > 0)
    return notReproduced(
      `only flaky tests fail: on the same code they both passed and failed, or failed in different ways: ${someOf(flaky)}`,
      ground.nothing,
      'Run CI again to go on. To have a flaky test mended, describe in an issue what it should not depend on.',
    );
  const passing = ground.measured.baseline.passed.length;
  return notReproduced(
    `${passing === 0 ? 'no test fails' : `all ${passing} tests that run pass`} in the sandbox${ci ? `; in CI ${ci}` : ''}`,
    ground.nothing,
    cureFor(request, ci),
  );
}

function cureFor({ ciWithoutTests }: FixRequest, ci: string): string {
  if (!ci) return 'Say in the words after the command, or in the issue, what is wrong and how it shows.';
  if (ciWithoutTests)
    return 'What failed in CI is linting or building, which tests do not show. Set `test-command` to the command of that step, in a workflow of its own perhaps, and give the command again: then it can be made green.';
  return 'If the failure is that of a linter, a build or another command, set `test-command` to a command that shows it by its exit code. If it needs another system, a service or a secret, it can not be shown in the sandbox.';
}

/** Runs more of the files that CI names, as long as that is quick: a test that fails now and then is told from one that fails elsewhere. */
const MORE_RUNS = 5;
const QUICK_MS = 60_000;

async function flakyInCi({ ground, request, deps }: NotReproducedFacts): Promise<readonly string[]> {
  const [report] = ground.measured.reports;
  const { runner } = ground.stack;
  const named = (report?.cases ?? []).filter(test => request.ciTests.some(name => isNamed(test.name, name)));
  const files = [...new Set(named.map(test => test.file))].filter(runner.isTestFile);
  if (files.length === 0) return [];
  const flaky = new Set<string>();
  await inFreshSandbox(deps, ground.prepared.snapshot, async fresh => {
    const run = testRunIn(deps, ground.stack, fresh);
    const started = Date.now();
    for (let count = 0; count < MORE_RUNS && Date.now() - started < QUICK_MS; count++) {
      const again = await run('again, for flaky tests', files);
      for (const test of withFileCases(again.report, files)) if (test.status === 'failed') flaky.add(test.id);
    }
  });
  return [...flaky];
}

/** Runners print a name with or without its groups, joined by anything. */
const isNamed = (name: string, printed: string): boolean => {
  const last = name.split(' > ').at(-1) ?? name;
  return last.length > 2 && printed.includes(last);
};

const someOf = (ids: readonly string[]): string =>
  ids.slice(0, 3).join(', ') + (ids.length > 3 ? ` and ${ids.length - 3} more` : '');
