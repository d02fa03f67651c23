import type { Baseline } from '../../evidence/baseline.ts';
import type { TestRun } from '../../types.ts';
import type { FinishReport } from '../tools/tool.ts';
import { differing, type TreeState } from '../tree-state.ts';
import type { Workbench } from '../workbench.ts';

/** Tests that are red, and stay as they are until they are green. */
export interface FrozenTests {
  /** The base with what was written until they were frozen: stubs and new tests, or nothing for tests that were there. */
  readonly state: TreeState;
  /** The test files with these tests, as the runner is given them. */
  readonly files: readonly string[];
  /** Ids that were red. */
  readonly newTests: readonly string[];
  readonly descriptions: FinishReport['files'];
  /** Ids in files that are meant as a whole which need not pass: they were skipped or red on the base already. */
  readonly exempt?: readonly string[];
  /** The state in which these tests had pinned the wrong behaviour down, before they were turned around. */
  readonly pinned?: TreeState;
}

/** Whoever writes tests may change nothing else. */
export const testsOnly =
  ({ runner }: Workbench) =>
  (path: string): string | undefined =>
    runner.isConfigPath(path)
      ? 'configuration stays as it is'
      : runner.isTestPath(path)
        ? undefined
        : 'only test files may be changed in this step';

/** The files of a step that hold tests: those that the runner can be given, not fixtures or helpers. */
export const testFilesOf = (bench: Workbench, state: TreeState, before: TreeState): readonly string[] => {
  const touched = new Set(differing(state, before));
  return state
    .filter(file => touched.has(file.path) && file.after && bench.runner.isTestFile(file.path))
    .map(file => file.path);
};

/** Why the state of a step that writes tests can not be accepted: tests that were there are gone. Undefined when none is. */
export function deletedTests(bench: Workbench, state: TreeState): string | undefined {
  const deleted = state.filter(file => file.status === 'deleted' && bench.runner.isTestPath(file.path));
  if (deleted.length === 0) return undefined;
  return `Existing tests may not be deleted: ${deleted.map(file => file.path).join(', ')}.`;
}

/** The same of tests inside the files that a step wrote. A file that can not be run is the red gate's to refuse. */
export function lostTests(run: TestRun, files: readonly string[], { passed }: Baseline): string | undefined {
  const broken = new Set(run.report?.fileErrors.map(error => error.file));
  const ids = new Set(run.report?.cases.map(test => test.id));
  const expected = files.filter(file => !broken.has(file)).map(file => `${file}::`);
  const lost = passed.filter(id => !ids.has(id) && expected.some(prefix => id.startsWith(prefix)));
  if (lost.length === 0) return undefined;
  const more = lost.length > 5 ? ` and ${lost.length - 5} more` : '';
  return `Existing tests may not be removed or renamed: ${lost.slice(0, 5).join(', ')}${more}.`;
}

/** Longer ones are read by the model, as far as it needs them. */
const MAX_SHOWN_TESTS = 16_000;

/** The files with their text, as long as that is short; what was not written in this run is read by the model itself. */
export function shownTests(tests: FrozenTests) {
  let left = MAX_SHOWN_TESTS;
  return tests.files.map(path => {
    const text = tests.state.find(file => file.path === path)?.after?.bytes.toString();
    left -= text?.length ?? 0;
    return { path, text: left >= 0 ? text : undefined };
  });
}
