import { type Reproduced, reproduce } from '../agents/roles/reproducer.ts';
import type { Deps, WorkResult } from './deps.ts';
import { type FailingTests, findFailingTests } from './failing-tests.ts';
import type { FixRequest } from './fix-request.ts';
import type { Ground } from './lay-ground.ts';
import { whyNotReproduced } from './why-not-reproduced.ts';
import { endedEarly, notReproduced, type WorkSoFar } from './work-result.ts';

export type ReproductionEnd =
  /** `work`: the tests that were written for it, if any. */
  | { readonly kind: 'reproduced'; readonly reproduced: Reproduced; readonly work: WorkSoFar }
  | { readonly kind: 'ended'; readonly result: WorkResult };

/** The failing tests that there are, or those that words lead to. */
export async function reproduceFailure(
  ground: Ground,
  request: FixRequest,
  deps: Deps,
): Promise<ReproductionEnd> {
  const { nothing } = ground;
  let failing: FailingTests | undefined;
  if (request.from === 'failing-tests') {
    failing = await findFailingTests(deps, { ground, base: request.base });
    if (failing.reproduced) return { kind: 'reproduced', reproduced: failing.reproduced, work: nothing };
  }
  if (!request.describes)
    return { kind: 'ended', result: await whyNotReproduced({ ground, request, deps, failing }) };
  const end = await reproduce(ground.bench, {
    context: request.context,
    paths: deps.project.files.paths,
  });
  if (end.kind === 'reproduced') {
    const descriptions = new Map(end.tests.descriptions.map(file => [file.path, file.description]));
    const work = { ...nothing, change: end.tests.state, descriptions };
    return { kind: 'reproduced', reproduced: end, work };
  }
  if (end.kind === 'blocked' && end.block.reason === 'tests_fail_already' && !failing)
    return asTheyAre(ground, deps);
  // Tests that expect wrong behaviour are no work that anybody could use.
  return { kind: 'ended', result: endedEarly(end, nothing) };
}

/** The report was about tests that fail already. */
async function asTheyAre(ground: Ground, deps: Deps): Promise<ReproductionEnd> {
  const { reproduced } = await findFailingTests(deps, { ground, base: undefined });
  if (reproduced) return { kind: 'reproduced', reproduced, work: ground.nothing };
  const reason = 'the agent says that tests fail already, but none fails here each time';
  return { kind: 'ended', result: notReproduced(reason, ground.nothing) };
}
