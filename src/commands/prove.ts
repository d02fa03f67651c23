import { randomBytes } from 'node:crypto';
import type { FrozenTests } from '../agents/roles/frozen-tests.ts';
import { restoration, type TreeState } from '../agents/tree-state.ts';
import type { Baseline } from '../evidence/baseline.ts';
import type { FailureMark } from '../evidence/failure-mark.ts';
import { fileOfId } from '../evidence/file-cases.ts';
import { hashesOf, proofRun, runFacts } from '../evidence/proof-run.ts';
import { judge } from '../evidence/verdict.ts';
import { readFiles } from '../git/blobs.ts';
import { runTests } from '../test-runners/run-tests.ts';
import type { FileChange, Proof, ProofRun, TestRun } from '../types.ts';
import type { Deps } from './deps.ts';
import { inFreshSandbox } from './in-fresh-sandbox.ts';
import type { Prepared } from './prepare-sandbox.ts';
import type { Stack } from './stack.ts';

export interface ProveOptions {
  readonly prepared: Prepared;
  readonly stack: Stack;
  readonly baseline: Baseline;
  readonly baselineRuns: readonly ProofRun[];
  readonly skippedForTime: readonly string[];
  readonly tests: FrozenTests;
  /** Base, frozen tests and the change. */
  readonly final: TreeState;
  /** Of a fix: how the tests failed when that was reproduced. */
  readonly expected?: ReadonlyMap<string, FailureMark>;
  /** Epoch milliseconds. */
  readonly deadline: number;
}

/** Shows the claim again in sandboxes that the agent never entered: green and the whole suite with the change, red without it. */
export async function prove(deps: Deps, options: ProveOptions): Promise<Proof> {
  const { prepared, tests } = options;
  const changed = await onFreshGround(deps, options, options.final, async run => {
    const green = await run('green', tests.files);
    return { green, suite: await run('whole suite', []) };
  });
  const red = await onFreshGround(
    deps,
    options,
    tests.state,
    run => run('red', tests.files),
    loadable(tests),
  );
  const oldTests = await oldTestsAgain(deps, options);
  const pinned = await pinnedAgain(deps, options);
  const verdict = judge({
    baseline: options.baseline,
    red,
    ...changed,
    ...(oldTests && { oldTests }),
    newTests: tests.newTests,
    ...(options.expected && { expected: options.expected }),
    ...(tests.exempt && { exempt: tests.exempt }),
    ...(pinned && { pinned }),
  });
  const frozen = await withCarriers(deps, tests.state, tests.files);
  deps.emit({ kind: 'proof-decided', proven: verdict.proven, reason: verdict.reason });
  return {
    version: 1,
    proven: verdict.proven,
    isolated: prepared.sandbox.isolated,
    reason: verdict.reason,
    base: deps.project.baseSha,
    sandbox: {
      kind: prepared.sandbox.kind,
      image: prepared.sandbox.image,
      snapshot: prepared.snapshot.digest,
    },
    runner: options.stack.runner.name,
    setupCommand: prepared.setupCommand,
    runs: [
      ...options.baselineRuns,
      proofRun('red', red),
      proofRun('green', changed.green),
      proofRun('suite', changed.suite),
      ...(oldTests ? [proofRun('old-tests', oldTests)] : []),
      ...(pinned ? [proofRun('characterization', pinned)] : []),
    ],
    failToPass: verdict.failToPass,
    passToPass: verdict.passToPass,
    brokenTests: verdict.broken,
    lostTests: verdict.lost,
    failedBefore: options.baseline.failed,
    flaky: options.baseline.flaky,
    frozenTests: hashesOf(frozen.filter(file => options.stack.runner.isTestPath(file.path))),
    change: hashesOf(options.final),
    skippedForTime: options.skippedForTime,
  };
}

/** What pinned the wrong behaviour down, over the change: it must not hold any more. */
async function pinnedAgain(deps: Deps, options: ProveOptions): Promise<TestRun | undefined> {
  const { tests, final } = options;
  if (!tests.pinned) return undefined;
  const paths = new Set(tests.pinned.map(file => file.path));
  const state = [...final.filter(file => !paths.has(file.path)), ...tests.pinned];
  return onFreshGround(deps, options, state, run => run('what pinned the bug down', tests.files));
}

/** Existing tests that were added to must still hold as they were, and so must what they use: nobody may weaken one in passing. */
async function oldTestsAgain(deps: Deps, options: ProveOptions): Promise<TestRun | undefined> {
  const { tests, final } = options;
  const { runner } = options.stack;
  const changed = final.filter(file => file.before && runner.isTestPath(file.path)).map(file => file.path);
  if (changed.length === 0) return undefined;
  const state = final.map(file =>
    changed.includes(file.path) && file.before ? { ...file, after: file.before } : file,
  );
  // A changed fixture or helper may serve any test.
  const all = changed.some(path => !runner.isTestFile(path));
  const carriers = changed.filter(path => runner.isTestFile(path));
  const files = carriers.length > 0 ? carriers : tests.files;
  return onFreshGround(deps, { ...options, tests: { ...tests, files } }, state, run =>
    run('old tests as they were', all ? [] : files),
  );
}

type Run = (purpose: string, files: readonly string[]) => Promise<TestRun>;

/** Starts a sandbox from the snapshot, lays a state and the sentinels over it, and disposes of it whatever happens. */
function onFreshGround<T>(
  deps: Deps,
  options: ProveOptions,
  state: TreeState,
  work: (run: Run) => Promise<T>,
  carriers: readonly string[] = options.tests.files,
): Promise<T> {
  const names = { passing: randomName(), failing: randomName() };
  return inFreshSandbox(deps, options.prepared.snapshot, async sandbox => {
    const { write, remove } = restoration(
      [],
      withSentinels(options, await withCarriers(deps, state, carriers), names, carriers),
      [...new Set([...state.map(file => file.path), ...carriers])],
    );
    await sandbox.remove(remove);
    await sandbox.copyIn(write);
    return work(async (purpose, files) => {
      const run = await runTests({
        shell: sandbox.shell,
        runner: options.stack.runner,
        testCommand: options.stack.testCommand,
        files,
        workdir: sandbox.workdir,
        scratch: sandbox.scratch,
        timeoutMs: Math.max(1_000, options.deadline - Date.now()),
        // Without one, nothing of the agent's is in the run: see `loadable`.
        ...(carriers.length > 0 && { sentinels: { ...names, files: carriers } }),
        ...(deps.signal && { signal: deps.signal }),
      });
      deps.emit({ kind: 'tests-ran', purpose: `proof: ${purpose}`, run: runFacts(run) });
      return run;
    });
  });
}

/** Files that can not be loaded without the change report nothing, planted or not. Nobody but the repository wrote them. */
const loadable = ({ files, newTests }: FrozenTests): readonly string[] => {
  const broken = newTests.map(fileOfId);
  return files.filter(file => !broken.includes(file));
};

/** The state with the test files that it leaves as they are in the base: these carry planted tests too. */
async function withCarriers(
  { project }: Deps,
  state: TreeState,
  carriers: readonly string[],
): Promise<TreeState> {
  const changed = new Set(state.map(file => file.path));
  const untouched = project.tree.entries.filter(
    entry => carriers.includes(entry.path) && !changed.has(entry.path),
  );
  const files: FileChange[] = [];
  for await (const file of readFiles(project.repository, untouched))
    files.push({ path: file.path, status: 'modified', before: file, after: file });
  return [...state, ...files];
}

/** The test files with two more tests each, one that must pass and one that must fail: whoever misreports those is not believed about the rest. */
function withSentinels(
  options: ProveOptions,
  state: TreeState,
  names: { readonly passing: string; readonly failing: string },
  carriers: readonly string[],
): TreeState {
  return state.map(file => {
    if (!file.after || !carriers.includes(file.path)) return file;
    const text = file.after.bytes.toString();
    return {
      ...file,
      after: {
        ...file.after,
        bytes: Buffer.from(text + options.stack.runner.sentinel({ path: file.path, text }, names)),
      },
    };
  });
}

const randomName = (): string => `check_${randomBytes(8).toString('hex')}`;
