import { type Checkpoint, type ImplementerEnd, implement, startOver } from '../agents/roles/implementer.ts';
import type { Specification } from '../agents/roles/specifier.ts';
import type { FrozenTests } from '../agents/roles/test-writer.ts';
import type { TreeState } from '../agents/tree-state.ts';
import type { Workbench } from '../agents/workbench.ts';

const MAX_ATTEMPTS = 2;

/** One attempt, and where that went wrong for a reason that a fresh start can mend, another from stubs and tests. */
export async function implementUntilGreen(
  bench: Workbench,
  specification: Specification,
  tests: FrozenTests,
  onBest: (state: TreeState) => void,
): Promise<ImplementerEnd> {
  let best: Checkpoint | undefined;
  let postMortem: string | undefined;
  for (let number = 1; ; number++) {
    const end = await implement(bench, specification, tests, {
      number,
      postMortem,
      onBest: better => isBetter(better, best) && onBest(better.state),
    });
    if (isBetter(end.best, best)) best = end.best;
    const mendable = end.kind === 'gave-up' && ['gate', 'stuck', 'steps'].includes(end.why);
    if (!mendable || number >= MAX_ATTEMPTS || bench.budget.exhausted()) return { ...end, best };
    postMortem = `It ended because ${end.reason}. ${end.best?.passing ?? 0} of ${tests.newTests.length} new tests passed at its best.`;
    await startOver(bench, tests);
  }
}

const isBetter = (one: Checkpoint | undefined, other: Checkpoint | undefined): boolean =>
  (one?.passing ?? 0) > (other?.passing ?? 0);
