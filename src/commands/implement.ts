import type { FrozenTests } from '../agents/roles/test-writer.ts';
import { differing, type TreeState } from '../agents/tree-state.ts';
import { type Objection, publishObjections } from '../evidence/change-policy.ts';
import { detectRunner } from '../test-runners/detect.ts';
import type { Proof } from '../types.ts';
import { createBench, testRunIn } from './create-bench.ts';
import type { Deps, Request, WorkResult } from './deps.ts';
import { disposeAll } from './dispose-all.ts';
import { inPhase } from './in-phase.ts';
import { type BaselineResult, measureBaseline } from './measure-baseline.ts';
import { orCancelled } from './or-cancelled.ts';
import { type Prepared, prepareSandbox } from './prepare-sandbox.ts';
import { prove } from './prove.ts';
import type { Stack } from './stack.ts';
import { takeSteps } from './take-steps.ts';
import { noRunner, resultOf, unusableBaseline, type WorkSoFar } from './work-result.ts';

/** The TDD agent: specification and stubs, tests first, red, implementation, green, proof. Each step ends at a gate that the harness decides. */
export const implementCommand = (request: Request, deps: Deps): Promise<WorkResult> =>
  orCancelled(deps.signal, () => carryThrough(request, deps));

async function carryThrough(request: Request, deps: Deps): Promise<WorkResult> {
  const detected = await detectRunner(
    deps.project.files,
    deps.settings.testCommand === undefined ? {} : { testCommand: deps.settings.testCommand },
  );
  if (!detected.runner) return noRunner(detected.looked);
  deps.emit({ kind: 'note', level: 'info', text: `tests: ${detected.runner.name} (${detected.why})` });
  const stack: Stack = detected;

  const prepared = await inPhase(
    deps.emit,
    'sandbox',
    () => prepareSandbox(deps, stack.runner),
    made => ({
      ok: true,
      note: `${made.sandbox.kind}, ${made.sandbox.image.replaceAll(/(sha256:[0-9a-f]{12})[0-9a-f]+/g, '$1')}`,
    }),
  );
  try {
    return await implementIn(prepared, stack, request, deps);
  } finally {
    await disposeAll(deps.emit, prepared.snapshot, prepared.sandbox);
  }
}

async function implementIn(
  prepared: Prepared,
  stack: Stack,
  request: Request,
  deps: Deps,
): Promise<WorkResult> {
  const { emit } = deps;
  const { measured, litter } = await inPhase(
    emit,
    'baseline',
    () => baselineOf(prepared, stack, deps),
    made => baselineNote(made.measured),
  );
  const testCommand = measured.usable ? (measured.runs[0]?.command ?? '') : measured.run.command;
  const nothing: WorkSoFar = {
    runner: stack.runner,
    prepared,
    change: [],
    descriptions: new Map(),
    summary: '',
    functions: [],
    testCommand,
  };
  if (!measured.usable) return unusableBaseline(measured.run, nothing);
  const bench = await createBench(deps, request, {
    prepared,
    stack,
    baseline: measured.baseline,
    litter,
    shownCommand: testCommand,
  });

  const steps = await takeSteps(bench, nothing, work => deps.keep(resultOf('partial', '', work)));
  const [objection] = publishObjections(steps.kind === 'done' ? steps.work.change : steps.result.change);
  if (steps.kind === 'stopped') return objection ? withheld(steps.result, objection) : steps.result;
  const { tests, work } = steps;
  if (objection) return withheld(resultOf('blocked', '', work), objection);
  const state = work.change;

  const proof = await proofOf(measured, prepared, stack, deps, tests, state);
  return { ...resultOf(proof.proven ? 'proven' : 'unproven', proof.reason, work), proof };
}

/** Nothing of a change is published when part of it may not be. */
const withheld = (result: WorkResult, { path, reason }: Objection): WorkResult => ({
  ...result,
  reason: [result.reason, `the change can not be published: ${path || 'too large'}: ${reason}`]
    .filter(Boolean)
    .join('; '),
  change: [],
  cure: [result.cure, 'Nothing was pushed. Ask again with a narrower task.'].filter(Boolean).join(' '),
});

type Usable = Extract<BaselineResult, { usable: true }>;

/** What publishing needs of the run's own time. */
const PUBLISH_MS = 60_000;

const proofOf = (
  measured: Usable,
  prepared: Prepared,
  stack: Stack,
  deps: Deps,
  tests: FrozenTests,
  final: TreeState,
): Promise<Proof> =>
  inPhase(
    deps.emit,
    'proof',
    () =>
      prove(deps, {
        prepared,
        stack,
        baseline: measured.baseline,
        baselineRuns: measured.runs,
        skippedForTime: measured.skippedForTime,
        tests,
        final,
        deadline: Math.min(
          Date.now() + deps.settings.proofMinutes * 60_000,
          deps.settings.deadline - PUBLISH_MS,
        ),
      }),
    made => ({
      ok: made.proven,
      note: made.proven
        ? `${made.failToPass.length} tests red, then green; ${made.passToPass.length} others still pass`
        : made.reason,
    }),
  );

interface Measured {
  readonly measured: BaselineResult;
  /** Paths that the suite itself writes: nobody's work, so no step is blamed for them and no change has them. */
  readonly litter: readonly string[];
}

/** In a sandbox of its own, so that nothing that the suite leaves behind is there when the agent begins. */
async function baselineOf(prepared: Prepared, stack: Stack, deps: Deps): Promise<Measured> {
  const fresh = await prepared.snapshot.start();
  try {
    const run = testRunIn(deps, stack, fresh);
    const measured = await measureBaseline(purpose => run(purpose, []));
    if (!measured.usable) return { measured, litter: [] };
    const { change } = await deps.project.difference(fresh);
    const litter = differing(change, prepared.leftovers);
    if (litter.length > 0)
      deps.emit({
        kind: 'note',
        level: 'info',
        text: `the tests themselves write ${someOf(litter)}; no change has that`,
      });
    return { measured, litter };
  } finally {
    await disposeAll(deps.emit, fresh);
  }
}

const someOf = (paths: readonly string[]): string =>
  paths.slice(0, 5).join(', ') + (paths.length > 5 ? ` and ${paths.length - 5} more` : '');

function baselineNote(measured: BaselineResult): { readonly ok: boolean; readonly note: string } {
  if (!measured.usable) return { ok: false, note: measured.run.problem ?? 'the tests can not be run' };
  const { passed, failed, flaky } = measured.baseline;
  const parts = [
    `${passed.length} tests pass`,
    ...(failed.length > 0 ? [`${failed.length} fail already`] : []),
    ...(flaky.length > 0 ? [`${flaky.length} flaky`] : []),
  ];
  return { ok: true, note: parts.join(', ') };
}
