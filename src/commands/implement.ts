import type { FrozenTests } from '../agents/roles/test-writer.ts';
import type { TreeState } from '../agents/tree-state.ts';
import { publishObjections } from '../evidence/change-policy.ts';
import { detectRunner } from '../test-runners/detect.ts';
import type { Proof } from '../types.ts';
import { createBench, testRunIn } from './create-bench.ts';
import type { Deps, Request, WorkResult } from './deps.ts';
import { inPhase } from './in-phase.ts';
import { type BaselineResult, measureBaseline } from './measure-baseline.ts';
import { type Prepared, prepareSandbox } from './prepare-sandbox.ts';
import { prove } from './prove.ts';
import type { Stack } from './stack.ts';
import { takeSteps } from './take-steps.ts';
import { noRunner, resultOf, unusableBaseline, type WorkSoFar } from './work-result.ts';

/** The TDD agent: specification and stubs, tests first, red, implementation, green, proof. Each step ends at a gate that the harness decides. */
export async function implementCommand(request: Request, deps: Deps): Promise<WorkResult> {
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
    made => ({ ok: true, note: `${made.sandbox.kind}, ${made.sandbox.image}` }),
  );
  try {
    return await implementIn(prepared, stack, request, deps);
  } finally {
    await prepared.snapshot.dispose();
    await prepared.sandbox.dispose();
  }
}

async function implementIn(
  prepared: Prepared,
  stack: Stack,
  request: Request,
  deps: Deps,
): Promise<WorkResult> {
  const { emit } = deps;
  const measured = await inPhase(emit, 'baseline', () => baselineOf(prepared, stack, deps), baselineNote);
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
  const bench = await createBench(deps, request, prepared, stack, measured.baseline, testCommand);

  const steps = await takeSteps(bench, nothing);
  if (steps.kind === 'stopped') return steps.result;
  const { tests, work } = steps;
  const state = work.change;
  const [objection] = publishObjections(state);
  if (objection)
    return {
      ...resultOf(
        'blocked',
        `the change can not be published: ${objection.path || 'too large'}: ${objection.reason}`,
        { ...work, change: [] },
      ),
      cure: 'Nothing was pushed. Ask again with a narrower task.',
    };

  const proof = await proofOf(measured, prepared, stack, deps, tests, state);
  return { ...resultOf(proof.proven ? 'proven' : 'unproven', proof.reason, work), proof };
}

type Usable = Extract<BaselineResult, { usable: true }>;

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
        deadline: Date.now() + deps.settings.proofMinutes * 60_000,
      }),
    made => ({
      ok: made.proven,
      note: made.proven
        ? `${made.failToPass.length} tests red, then green; ${made.passToPass.length} others still pass`
        : made.reason,
    }),
  );

/** In a sandbox of its own, so that nothing that the suite leaves behind is there when the agent begins. */
async function baselineOf(prepared: Prepared, stack: Stack, deps: Deps): Promise<BaselineResult> {
  const fresh = await prepared.snapshot.start();
  try {
    const run = testRunIn(deps, stack, fresh);
    return await measureBaseline(purpose => run(purpose, []));
  } finally {
    await fresh.dispose();
  }
}

function baselineNote(measured: BaselineResult): { readonly ok: boolean; readonly note: string } {
  if (!measured.usable) return { ok: false, note: measured.run.problem ?? 'the tests can not be run' };
  const { passed, failed, flaky } = measured.baseline;
  const parts = [
    `${passed.length} pass`,
    ...(failed.length > 0 ? [`${failed.length} fail already`] : []),
    ...(flaky.length > 0 ? [`${flaky.length} flaky`] : []),
  ];
  return { ok: true, note: parts.join(', ') };
}
