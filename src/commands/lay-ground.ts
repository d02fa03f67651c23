import { differing } from '../agents/tree-state.ts';
import type { Workbench } from '../agents/workbench.ts';
import { createBench, testRunIn } from './create-bench.ts';
import type { Deps, Request, WorkResult } from './deps.ts';
import { disposeAll } from './dispose-all.ts';
import { inFreshSandbox } from './in-fresh-sandbox.ts';
import { inPhase } from './in-phase.ts';
import { type BaselineResult, measureBaseline } from './measure-baseline.ts';
import { type Prepared, prepareSandbox } from './prepare-sandbox.ts';
import { findStack, type Stack } from './stack.ts';
import { noRunner, unusableBaseline, type WorkSoFar } from './work-result.ts';

export type UsableBaseline = Extract<BaselineResult, { usable: true }>;

/** What every agent starts from: a sandbox after set-up, a baseline that can be judged from, and a workbench. */
export interface Ground {
  readonly prepared: Prepared;
  readonly stack: Stack;
  readonly measured: UsableBaseline;
  readonly bench: Workbench;
  /** The result's facts before anything was done. */
  readonly nothing: WorkSoFar;
}

/** A sandbox whose tests tell nothing: there was no report, or one that contradicts its exit code. */
export type Unusable = Pick<Ground, 'prepared' | 'stack' | 'nothing'> & {
  readonly measured: Extract<BaselineResult, { usable: false }>;
};

export interface GroundWork {
  readonly usable: (ground: Ground) => Promise<WorkResult>;
  /** Default: blocked, with the tests' own words. */
  readonly unusable?: (ground: Unusable) => Promise<WorkResult>;
}

/** Finds the test stack, sets a sandbox up, measures the baseline, and works there. Clears up whatever happens. */
export async function onGround(request: Request, deps: Deps, work: GroundWork): Promise<WorkResult> {
  const detected = await findStack(deps);
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
    return await workOn(prepared, stack, request, deps, work);
  } finally {
    await disposeAll(deps.emit, prepared.snapshot, prepared.sandbox);
  }
}

async function workOn(
  prepared: Prepared,
  stack: Stack,
  request: Request,
  deps: Deps,
  work: GroundWork,
): Promise<WorkResult> {
  const { measured, litter } = await inPhase(
    deps.emit,
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
  if (!measured.usable)
    return work.unusable
      ? work.unusable({ prepared, stack, nothing, measured })
      : unusableBaseline(measured.run, nothing);
  const bench = await createBench(deps, request, {
    prepared,
    stack,
    baseline: measured.baseline,
    litter,
    shownCommand: testCommand,
  });
  return work.usable({ prepared, stack, measured, bench, nothing });
}

interface Measured {
  readonly measured: BaselineResult;
  /** Paths that the suite itself writes: nobody's work, so no step is blamed for them and no change has them. */
  readonly litter: readonly string[];
}

/** In a sandbox of its own, so that nothing that the suite leaves behind is there when the agent begins. */
function baselineOf(prepared: Prepared, stack: Stack, deps: Deps): Promise<Measured> {
  return inFreshSandbox(deps, prepared.snapshot, async fresh => {
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
  });
}

const someOf = (paths: readonly string[]): string =>
  paths.slice(0, 5).join(', ') + (paths.length > 5 ? ` and ${paths.length - 5} more` : '');

function baselineNote(measured: BaselineResult): { readonly ok: boolean; readonly note: string } {
  if (!measured.usable) return { ok: false, note: measured.run.problem ?? 'the tests can not be run' };
  const { passed, failed, flaky } = measured.baseline;
  const parts = [
    `${passed.length} ${passed.length === 1 ? 'test passes' : 'tests pass'}`,
    ...(failed.length > 0 ? [`${failed.length} ${failed.length === 1 ? 'fails' : 'fail'} already`] : []),
    ...(flaky.length > 0 ? [`${flaky.length} flaky`] : []),
  ];
  return { ok: true, note: parts.join(', ') };
}
