import type { Emit } from '../../run-events.ts';
import { headline } from '../headline.ts';
import type { Gate } from '../loop.ts';

/** Tells the event stream what a gate decided, and answers the loop. `problem` is what the model reads; without one the gate is passed. */
export function decideGate(
  emit: Emit,
  gate: string,
  problem: string | undefined,
  good: string,
): Awaited<ReturnType<Gate>> {
  const passed = problem === undefined;
  emit({ kind: 'gate-decided', gate, passed, reason: passed ? good : headline(problem) });
  return passed ? { accepted: true } : { accepted: false, feedback: problem };
}
