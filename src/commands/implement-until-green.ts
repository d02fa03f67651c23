import { type Checkpoint, type ImplementerEnd, implement, startOver } from '../agents/roles/implementer.ts';
import type { Specification } from '../agents/roles/specifier.ts';
import type { FrozenTests } from '../agents/roles/test-writer.ts';
import type { Workbench } from '../agents/workbench.ts';

const MAX_ATTEMPTS = 2;

/** One attempt, and where that went wrong for a reason that a fresh start can mend, another from stubs and tests. */
export async function implementUntilGreen(
  bench: Workbench,
  specification: Specification,
  tests: FrozenTests,
): Promise<ImplementerEnd> {
  let best: Checkpoint | undefined;
  let postMortem: string | undefined;
  for (let number = 1; ; number++) {
    const end = await implement(bench, specification, tests, { number, postMortem });
    best = better(best, end.best);
    const mendable = end.kind === 'gave-up' && ['gate', 'stuck', 'steps'].includes(end.why);
    if (!mendable || number >= MAX_ATTEMPTS || bench.budget.exhausted()) return { ...end, best };
    postMortem = `It ended because ${end.reason}. ${end.best?.passing ?? 0} of ${tests.newTests.length} new tests passed at its best.`;
    await startOver(bench, tests);
  }
}

const better = (a: Checkpoint | undefined, b: Checkpoint | undefined): Checkpoint | undefined =>
  (b?.passing ?? 0) > (a?.passing ?? 0) ? b : a;
