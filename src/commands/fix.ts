import { debug } from '../agents/roles/debugger.ts';
import { type Reproduced, reproduce } from '../agents/roles/reproducer.ts';
import type { Workbench } from '../agents/workbench.ts';
import type { Baseline } from '../evidence/baseline.ts';
import { REPRODUCTION_RUNS } from '../evidence/reproduction.ts';
import { conclude, publishable } from './conclude.ts';
import type { Deps, WorkResult } from './deps.ts';
import { type FailingTests, findFailingTests } from './failing-tests.ts';
import { fixByCommand } from './fix-by-command.ts';
import type { FixRequest } from './fix-request.ts';
import { inPhase } from './in-phase.ts';
import { type Ground, onGround } from './lay-ground.ts';
import { orCancelled } from './or-cancelled.ts';
import { untilGreen } from './until-green.ts';
import { whyNotReproduced } from './why-not-reproduced.ts';
import { endedEarly, notReproduced, resultOf, type WorkSoFar } from './work-result.ts';

/** The debug agent: reproduce three times, name the cause with evidence, fix, prove. Each step ends at a gate that the harness decides. */
export const fixCommand = (request: FixRequest, deps: Deps): Promise<WorkResult> =>
  orCancelled(deps.signal, () =>
    onGround(request, deps, {
      usable: ground => fixOn(ground, request, deps),
      unusable: ground => fixByCommand(ground, request, deps),
    }),
  );

type Begun =
  | { readonly kind: 'reproduced'; readonly reproduced: Reproduced; readonly work: WorkSoFar }
  | { readonly kind: 'ended'; readonly result: WorkResult };

async function fixOn(ground: Ground, request: FixRequest, deps: Deps): Promise<WorkResult> {
  const begun = await inPhase(
    deps.emit,
    'reproduction',
    () => begin(ground, request, deps),
    made =>
      made.kind === 'reproduced'
        ? { ok: true, note: `${made.reproduced.marks.size} failing, ${REPRODUCTION_RUNS} times the same way` }
        : { ok: false, note: made.result.reason },
  );
  if (begun.kind === 'ended') return publishable(begun.result);
  const { reproduced, work } = begun;
  const { tests, marks, runs } = reproduced;
  const run = runs.at(-1);
  if (!run) throw new Error('what was reproduced has no run');
  const keep = (some: WorkSoFar) => deps.keep(resultOf('partial', '', some));
  if (work.change.length > 0) keep(work);

  const baseline = withoutTargets(ground.measured.baseline, tests.newTests, tests.files);
  const bench: Workbench = { ...ground.bench, baseline };
  const end = await inPhase(
    deps.emit,
    'fix',
    () =>
      untilGreen(
        bench,
        tests,
        state => keep({ ...work, change: state }),
        attempt => debug(bench, { tests, run, context: request.context }, attempt),
      ),
    made =>
      made.kind === 'green'
        ? { ok: true, note: `the cause lies in ${made.diagnosis.place}` }
        : { ok: false, note: made.kind === 'gave-up' ? made.reason : made.kind },
  );
  if (end.kind !== 'green')
    return publishable(endedEarly(end, { ...work, change: end.best?.state ?? tests.state }));

  const { implementation, diagnosis } = end;
  const descriptions = new Map(work.descriptions);
  for (const file of implementation.report.files) descriptions.set(file.path, file.description);
  const fixed = { ...work, change: implementation.state, summary: diagnosis.fix, descriptions };
  keep(fixed);
  const result = await conclude(deps, {
    ground,
    work: fixed,
    tests,
    baseline,
    expected: marks,
    reproduction: runs,
  });
  return { ...result, diagnosis };
}

/** The failing tests that there are, or those that words lead to. */
async function begin(ground: Ground, request: FixRequest, deps: Deps): Promise<Begun> {
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
    return {
      kind: 'reproduced',
      reproduced: end,
      work: { ...nothing, change: end.tests.state, descriptions },
    };
  }
  if (end.kind === 'blocked' && end.block.reason === 'tests_fail_already' && !failing) {
    const found = await findFailingTests(deps, { ground, base: undefined });
    if (found.reproduced) return { kind: 'reproduced', reproduced: found.reproduced, work: nothing };
    return {
      kind: 'ended',
      result: notReproduced('the agent says that tests fail already, but none fails here each time', nothing),
    };
  }
  // Tests that expect wrong behaviour are no work that anybody could use.
  return { kind: 'ended', result: endedEarly(end, nothing) };
}

/** What may be red after the change: the old failures, but not those that are to be mended. */
function withoutTargets(baseline: Baseline, targets: readonly string[], files: readonly string[]): Baseline {
  const meant = new Set(targets);
  return {
    ...baseline,
    failed: baseline.failed.filter(id => !meant.has(id)),
    brokenFiles: baseline.brokenFiles.filter(file => !files.includes(file)),
  };
}
