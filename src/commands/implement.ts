import { conclude, publishable } from './conclude.ts';
import type { Deps, Request, WorkResult } from './deps.ts';
import { type Ground, onGround } from './lay-ground.ts';
import { orCancelled } from './or-cancelled.ts';
import { takeSteps } from './take-steps.ts';
import { resultOf } from './work-result.ts';

/** The TDD agent: specification and stubs, tests first, red, implementation, green, proof. Each step ends at a gate that the harness decides. */
export const implementCommand = (request: Request, deps: Deps): Promise<WorkResult> =>
  orCancelled(deps.signal, () => onGround(request, deps, { usable: ground => implementOn(ground, deps) }));

async function implementOn(ground: Ground, deps: Deps): Promise<WorkResult> {
  const { bench, nothing, measured } = ground;
  const steps = await takeSteps(bench, nothing, work => deps.keep(resultOf('partial', '', work)));
  if (steps.kind === 'stopped') return publishable(steps.result);
  const { tests, work } = steps;
  return conclude(deps, { ground, work, tests, baseline: measured.baseline });
}
