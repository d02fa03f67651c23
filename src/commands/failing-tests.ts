import type { FrozenTests } from '../agents/roles/frozen-tests.ts';
import type { Reproduced } from '../agents/roles/reproducer.ts';
import type { FailureMark } from '../evidence/failure-mark.ts';
import { wholeFileId, withFileCases } from '../evidence/file-cases.ts';
import { decidesDependencies } from '../evidence/protected-paths.ts';
import { judgeReproduction, REPRODUCTION_RUNS } from '../evidence/reproduction.ts';
import type { TestReport, TestRun } from '../types.ts';
import { testRunIn } from './create-bench.ts';
import type { Deps } from './deps.ts';
import { inFreshSandbox } from './in-fresh-sandbox.ts';
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
  /** Why what failed in the suite could not be run again by itself. */
  readonly problem?: string;
}

export interface FailingOptions {
  readonly ground: Ground;
  /** The commit that a pull request started from; undefined when there is none to compare with. */
  readonly base: (() => Promise<Project | undefined>) | undefined;
}

/** Runs what failed in the baseline again, in a fresh sandbox, until it was seen three times. Asks no model. */
export async function findFailingTests(deps: Deps, options: FailingOptions): Promise<FailingTests> {
  const { measured, stack, prepared } = options.ground;
  const isFile = stack.runner.isTestFile;
  const suspects = judgeReproduction(measured.reports, isFile);
  const files = filesOf(measured.reports, [...suspects.steady.keys(), ...suspects.unsteady]);
  if (files.length === 0) return { reproduced: undefined, unsteady: suspects.unsteady, onBase: [] };

  const runs = await inFreshSandbox(deps, prepared.snapshot, async sandbox => {
    const run = testRunIn(deps, stack, sandbox);
    const again: TestRun[] = [];
    while (again.length === 0 || measured.reports.length + again.length < REPRODUCTION_RUNS)
      again.push(await run('reproduction', files));
    return again;
  });
  const [last] = runs.slice(-1);
  const reports = runs.flatMap(run => (run.report ? [run.report] : []));
  if (!last?.report || reports.length < runs.length) {
    const problem = runs.find(run => !run.report)?.problem ?? 'no report';
    return { reproduced: undefined, unsteady: suspects.unsteady, onBase: [], problem };
  }
  const { steady, unsteady } = judgeReproduction([...measured.reports, ...reports], isFile);
  const base = steady.size > 0 ? await runOnBase(deps, options, files) : undefined;
  const red = new Set(base?.report ? judgeReproduction([base.report]).steady.keys() : []);
  const marks = new Map([...steady].filter(([id]) => !red.has(id)));
  const tests = frozen(last.report, marks, base?.report);
  return {
    reproduced: marks.size > 0 ? { tests, marks, runs, ...comparedWith(base, tests) } : undefined,
    unsteady,
    onBase: [...steady.keys()].filter(id => red.has(id)),
  };
}

/** These files on the base's own files; undefined when they can not be compared. */
async function runOnBase(
  deps: Deps,
  { ground, base: open }: FailingOptions,
  files: readonly string[],
): Promise<TestRun | undefined> {
  const base = await open?.();
  if (!base) return undefined;
  if (changesDependencies(base, deps.project)) {
    const text =
      'the pull request changes what is installed, so its base branch can not be compared with in this sandbox';
    deps.emit({ kind: 'note', level: 'info', text });
    return undefined;
  }
  const there = files.filter(file => base.files.paths.includes(file));
  if (there.length === 0) return undefined;
  const { prepared, stack } = ground;
  const run = await inFreshSandbox(deps, prepared.snapshot, async sandbox => {
    await layOver(sandbox, deps.project, base);
    return testRunIn(deps, stack, sandbox)('on the base branch', there);
  });
  if (!run.report) {
    const text = `the base branch could not be compared with: ${run.problem ?? 'no report'}`;
    deps.emit({ kind: 'note', level: 'warning', text });
  }
  return run;
}

/** The sandbox was set up for the head: with other dependencies the base's tests may fail for no reason of theirs. */
function changesDependencies(base: Project, head: Project): boolean {
  const manifests = ({ tree }: Project) =>
    tree.entries
      .filter(entry => decidesDependencies(entry.path))
      .map(entry => `${entry.oid} ${entry.path}`)
      .join('\n');
  return manifests(base) !== manifests(head);
}

/** Tests that are there already. What was not green on the base need not be in a file that can be loaded again. */
const frozen = (
  report: TestReport,
  targets: ReadonlyMap<string, FailureMark>,
  base: TestReport | undefined,
): FrozenTests => ({
  state: [],
  files: filesOf([report], [...targets.keys()]),
  newTests: [...targets.keys()],
  descriptions: [],
  ...(base && { exempt: base.cases.filter(test => test.status !== 'passed').map(test => test.id) }),
});

const comparedWith = (base: TestRun | undefined, { newTests, files, exempt }: FrozenTests) => {
  if (!base?.report) return {};
  const cases = withFileCases(base.report, files, exempt);
  const passing = new Set(cases.filter(test => test.status === 'passed').map(test => test.id));
  return { baseRun: base, passOnBase: newTests.every(id => passing.has(id)) };
};

/** The files of these ids, among them files as a whole. */
function filesOf(reports: readonly TestReport[], ids: readonly string[]): readonly string[] {
  const wanted = new Set(ids);
  const files = reports.flatMap(report => {
    const broken = report.fileErrors.map(error => error.file).filter(file => wanted.has(wholeFileId(file)));
    return withFileCases(report, broken)
      .filter(test => wanted.has(test.id))
      .map(test => test.file);
  });
  return [...new Set(files)].sort();
}
