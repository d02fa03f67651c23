import type { FrozenTests } from '../agents/roles/frozen-tests.ts';
import type { Baseline } from '../evidence/baseline.ts';
import { type Objection, publishObjections } from '../evidence/change-policy.ts';
import type { FailureMark } from '../evidence/failure-mark.ts';
import type { ProofRun } from '../types.ts';
import type { Deps, WorkResult } from './deps.ts';
import { inPhase } from './in-phase.ts';
import type { Ground } from './lay-ground.ts';
import { prove } from './prove.ts';
import { resultOf, type WorkSoFar } from './work-result.ts';

/** What publishing needs of the run's own time. */
const PUBLISH_MS = 60_000;

export interface Conclusion {
  readonly ground: Ground;
  readonly work: WorkSoFar;
  readonly tests: FrozenTests;
  /** What may not change; for a fix without the failures that it was to mend. */
  readonly baseline: Baseline;
  /** Of a fix: how the tests failed, and the runs beyond the baseline that showed it. */
  readonly expected?: ReadonlyMap<string, FailureMark>;
  readonly reproduction?: readonly ProofRun[];
}

/** The end of every agent that came to green: what may not be published is withheld, the rest is proven. */
export async function conclude(deps: Deps, conclusion: Conclusion): Promise<WorkResult> {
  const { ground, work, tests, baseline, expected } = conclusion;
  const [objection] = publishObjections(work.change);
  if (objection) return withheld(resultOf('blocked', '', work), objection);
  const { prepared, stack, measured } = ground;
  const proof = await inPhase(
    deps.emit,
    'proof',
    () =>
      prove(deps, {
        prepared,
        stack,
        baseline,
        baselineRuns: [...measured.runs, ...(conclusion.reproduction ?? [])],
        skippedForTime: measured.skippedForTime,
        tests,
        final: work.change,
        ...(expected && { expected }),
        deadline: Math.min(
          Date.now() + deps.settings.proofMinutes * 60_000,
          deps.settings.deadline - PUBLISH_MS,
        ),
      }),
    made => ({
      ok: made.proven,
      note: made.proven
        ? `${counted(made.failToPass.length, 'test')} red, then green; ${counted(made.passToPass.length, 'other')} still passing`
        : made.reason,
    }),
  );
  return { ...resultOf(proof.proven ? 'proven' : 'unproven', proof.reason, work), proof };
}

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

/** A result that stopped early, without its change when that may not be published. */
export function publishable(result: WorkResult): WorkResult {
  const [objection] = publishObjections(result.change);
  return objection ? withheld(result, objection) : result;
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
