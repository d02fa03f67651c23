import type { FrozenTests } from '../agents/roles/frozen-tests.ts';
import type { Reproduced } from '../agents/roles/reproducer.ts';
import type { FailureMark } from '../evidence/failure-mark.ts';
import { judgeReproduction, REPRODUCTION_RUNS } from '../evidence/reproduction.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { TestReport, TestRun } from '../types.ts';
import { testRunIn } from './create-bench.ts';
import type { Deps } from './deps.ts';
import { disposeAll } from './dispose-all.ts';
import type { Ground } from './lay-ground.ts';
import { layOver, type Project } from './project.ts';

/** What is red in the repository as it is. */
export interface FailingTests {
  /** What failed three times, the same way, and does not fail on the base; undefined when there is nothing like that. */
  readonly reproduced: Reproduced | undefined;
  /** Ids that failed in some runs, or in different ways. */
  readonly unsteady: readonly string[];
  /** Ids that fail on the commit that the pull request started from, too. */
  readonly onBase: readonly string[];
}

export interface FailingOptions {
  readonly ground: Ground;
  /** The commit that a pull request started from; undefined when there is none to compare with. */
  readonly base: (() => Promise<Project | undefined>) | undefined;
}

/** Runs what failed in the baseline again, in a fresh sandbox, until it was seen three times. Asks no model. */
export async function findFailingTests(deps: Deps, options: FailingOptions): Promise<FailingTests> {
  const { measured, stack, prepared } = options.ground;
  const suspects = judgeReproduction(measured.reports);
  const all = [...suspects.steady.keys(), ...suspects.unsteady];
  const files = filesOf(measured.reports, all).filter(stack.runner.isTestFile);
  if (files.length === 0) return { reproduced: undefined, unsteady: all, onBase: [] };

  const runs = await inFresh(
    deps,
    () => prepared.snapshot.start(),
    async sandbox => {
      const run = testRunIn(deps, stack, sandbox);
      const again: TestRun[] = [];
      while (again.length === 0 || measured.reports.length + again.length < REPRODUCTION_RUNS)
        again.push(await run('reproduction', files));
      return again;
    },
  );
  const [last] = runs.slice(-1);
  const reports = runs.flatMap(run => (run.report ? [run.report] : []));
  if (!last?.report || reports.length < runs.length)
    return { reproduced: undefined, unsteady: all, onBase: [] };
  const { steady, unsteady } = judgeReproduction([...measured.reports, ...reports]);
  const onBase = steady.size > 0 ? await failingOnBase(deps, options, files) : new Set<string>();
  const targets = new Map([...steady].filter(([id]) => !onBase.has(id)));
  return {
    reproduced: targets.size > 0 ? { tests: frozen(last.report, targets), marks: targets, runs } : undefined,
    unsteady,
    onBase: [...steady.keys()].filter(id => onBase.has(id)),
  };
}

/** Ids in these files that fail, in whatever way, on the base's own files. */
async function failingOnBase(
  deps: Deps,
  { ground, base: open }: FailingOptions,
  files: readonly string[],
): Promise<ReadonlySet<string>> {
  const base = await open?.();
  if (!base) return new Set();
  if (changesDependencies(base, deps.project)) {
    const text =
      'the pull request changes what is installed, so its base branch can not be compared with in this sandbox';
    deps.emit({ kind: 'note', level: 'info', text });
    return new Set();
  }
  const there = files.filter(file => base.files.paths.includes(file));
  if (there.length === 0) return new Set();
  const { prepared, stack } = ground;
  const run = await inFresh(
    deps,
    () => prepared.snapshot.start(),
    async sandbox => {
      await layOver(sandbox, deps.project, base);
      return testRunIn(deps, stack, sandbox)('on the base branch', there);
    },
  );
  if (!run.report) {
    const text = `the base branch could not be compared with: ${run.problem ?? 'no report'}`;
    deps.emit({ kind: 'note', level: 'warning', text });
    return new Set();
  }
  const { steady } = judgeReproduction([run.report]);
  return new Set(steady.keys());
}

const MANIFEST =
  /(^|\/)(package\.json|package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lockb?|pyproject\.toml|setup\.(py|cfg)|requirements[^/]*\.txt|uv\.lock|poetry\.lock|Pipfile(\.lock)?)$/;

/** The sandbox was set up for the head: with other dependencies the base's tests may fail for no reason of theirs. */
function changesDependencies(base: Project, head: Project): boolean {
  const manifests = ({ tree }: Project) =>
    tree.entries
      .filter(entry => MANIFEST.test(entry.path))
      .map(entry => `${entry.oid} ${entry.path}`)
      .join('\n');
  return manifests(base) !== manifests(head);
}

const frozen = (report: TestReport, targets: ReadonlyMap<string, FailureMark>): FrozenTests => ({
  state: [],
  files: filesOf([report], [...targets.keys()]),
  newTests: [...targets.keys()],
  descriptions: [],
});

function filesOf(reports: readonly TestReport[], ids: readonly string[]): readonly string[] {
  const wanted = new Set(ids);
  const files = reports.flatMap(report => [
    ...report.cases.filter(test => wanted.has(test.id)).map(test => test.file),
    ...report.fileErrors.map(error => error.file),
  ]);
  return [...new Set(files)].sort();
}

async function inFresh<T>(
  deps: Deps,
  start: () => Promise<Sandbox>,
  work: (sandbox: Sandbox) => Promise<T>,
): Promise<T> {
  const fresh = await start();
  try {
    return await work(fresh);
  } finally {
    await disposeAll(deps.emit, fresh);
  }
}
