import type { AgentEnd } from '../agents/loop.ts';
import type { FrozenTests } from '../agents/roles/frozen-tests.ts';
import { type Checkpoint, startOver } from '../agents/roles/green-gate.ts';
import type { Attempt } from '../agents/roles/implementer.ts';
import type { TreeState } from '../agents/tree-state.ts';
import type { Workbench } from '../agents/workbench.ts';

const MAX_ATTEMPTS = 2;

type Stopped = Exclude<AgentEnd, { kind: 'finished' }> & { readonly best: Checkpoint | undefined };

/** One attempt, and where that went wrong for a reason that a fresh start can mend, another from where the tests were frozen. */
export async function untilGreen<Green extends { readonly kind: 'green' }>(
  bench: Workbench,
  tests: FrozenTests,
  onBest: (state: TreeState) => void,
  tryOnce: (attempt: Attempt) => Promise<Green | Stopped>,
): Promise<Green | Stopped> {
  let best: Checkpoint | undefined;
  let postMortem: string | undefined;
  for (let number = 1; ; number++) {
    const end = await tryOnce({
      number,
      postMortem,
      onBest: better => isBetter(better, best) && onBest(better.state),
    });
    if (end.kind === 'green') return end;
    if (isBetter(end.best, best)) best = end.best;
    const mendable = end.kind === 'gave-up' && ['gate', 'stuck', 'steps'].includes(end.why);
    if (!mendable || number >= MAX_ATTEMPTS || bench.budget.exhausted()) return { ...end, best };
    postMortem = `It ended because ${end.reason}. ${end.best?.passing ?? 0} of ${tests.newTests.length} new tests passed at its best.`;
    await startOver(bench, tests);
  }
}

const isBetter = (one: Checkpoint | undefined, other: Checkpoint | undefined): boolean =>
  (one?.passing ?? 0) > (other?.passing ?? 0);
