import { debug } from '../agents/roles/debugger.ts';
import type { Reproduced } from '../agents/roles/reproducer.ts';
import type { Workbench } from '../agents/workbench.ts';
import type { Baseline } from '../evidence/baseline.ts';
import { saidBy } from '../evidence/failure-mark.ts';
import { wholeFileId } from '../evidence/file-cases.ts';
import { proofRun } from '../evidence/proof-run.ts';
import { REPRODUCTION_RUNS } from '../evidence/reproduction.ts';
import type { ProofRun, TestCase } from '../types.ts';
import { conclude, publishable } from './conclude.ts';
import type { Deps, WorkResult } from './deps.ts';
import { emptiesPullRequest } from './empties-pull-request.ts';
import { fixByCommand } from './fix-by-command.ts';
import type { FixRequest } from './fix-request.ts';
import { inPhase } from './in-phase.ts';
import { type Ground, onGround } from './lay-ground.ts';
import { orCancelled } from './or-cancelled.ts';
import { reproduceFailure } from './reproduce-failure.ts';
import { untilGreen } from './until-green.ts';
import { endedEarly, resultOf, unusableBaseline, type WorkSoFar } from './work-result.ts';

/** The debug agent: reproduce three times, name the cause with evidence, fix, prove. Each step ends at a gate that the harness decides. */
export const fixCommand = (request: FixRequest, deps: Deps): Promise<WorkResult> =>
  orCancelled(deps.signal, () =>
    onGround(request, deps, {
      usable: ground => fixOn(ground, request, deps),
      // A command that fails is not what somebody described in words.
      unusable: ground =>
        request.from === 'words'
          ? Promise.resolve(unusableBaseline(ground.measured.run, ground.nothing))
          : fixByCommand(ground, request, deps),
    }),
  );

async function fixOn(ground: Ground, request: FixRequest, deps: Deps): Promise<WorkResult> {
  const begun = await inPhase(
    deps.emit,
    'reproduction',
    () => reproduceFailure(ground, request, deps),
    made =>
      made.kind === 'reproduced'
        ? { ok: true, note: `${made.reproduced.marks.size} failing, ${REPRODUCTION_RUNS} times the same way` }
        : { ok: false, note: made.result.outcome.replaceAll('-', ' ') },
  );
  if (begun.kind === 'ended') return publishable(begun.result);
  const failing = failingOf(begun.reproduced);
  return { ...(await fixReproduced(ground, request, deps, begun)), ...failing };
}

interface Begun {
  readonly reproduced: Reproduced;
  readonly work: WorkSoFar;
}

async function fixReproduced(
  ground: Ground,
  request: FixRequest,
  deps: Deps,
  { reproduced, work }: Begun,
): Promise<WorkResult> {
  const { tests, marks, runs, account } = reproduced;
  const run = runs.at(-1);
  if (!run) throw new Error('what was reproduced has no run');
  const keep = (some: WorkSoFar) => deps.keep(resultOf('partial', '', some));
  if (work.change.length > 0) keep(work);

  const baseline = withoutTargets(ground.measured.baseline, tests.newTests);
  const bench: Workbench = { ...ground.bench, baseline, aim: 'failing tests' };
  const context = `${baseText(reproduced)}${request.context}`;
  const testTexts = await testTextsOf(reproduced, deps);
  const end = await inPhase(
    deps.emit,
    'fix',
    () =>
      untilGreen(
        bench,
        tests,
        state => keep({ ...work, change: state }),
        attempt => debug(bench, { tests, run, context, testTexts }, attempt),
      ),
    made =>
      made.kind === 'green'
        ? { ok: true, note: `the cause lies in ${made.diagnosis.place}` }
        : { ok: false, note: made.kind === 'gave-up' ? made.reason : made.kind },
  );
  if (end.kind !== 'green')
    return publishable(endedEarly(end, { ...work, change: end.best?.state ?? tests.state }));

  const { implementation, diagnosis, remarks } = end;
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
    reproduction: reproductionRuns(reproduced),
  });
  const isEmpty = await emptiesPullRequest(deps.project, await request.base?.(), fixed.change);
  return {
    ...result,
    diagnosis: { ...diagnosis, ...(account && { reproduced: account }) },
    doubts: remarks,
    remarks: isEmpty
      ? [...remarks, 'With this change the pull request changes nothing against its base any more.']
      : remarks,
  };
}

/** What may be red after the change: the old failures, but not those that are to be mended. */
function withoutTargets(baseline: Baseline, targets: readonly string[]): Baseline {
  const meant = new Set(targets);
  return {
    ...baseline,
    failed: baseline.failed.filter(id => !meant.has(id)),
    brokenFiles: baseline.brokenFiles.filter(file => !meant.has(wholeFileId(file))),
  };
}

const reproductionRuns = ({ runs, baseRun }: Reproduced): readonly ProofRun[] => [
  ...runs.map(run => proofRun('reproduction', run)),
  ...(baseRun ? [proofRun('on-base', baseRun)] : []),
];

const baseText = ({ passOnBase }: Reproduced): string =>
  passOnBase ? '\nThey pass on the base branch, so this pull request broke them.\n' : '';

/** What fails, for a reader of a run that did not get to a fix. */
const failingOf = ({
  marks,
  runs,
  passOnBase = false,
}: Reproduced): Pick<WorkResult, 'failing' | 'passOnBase'> => {
  const cases = new Map((runs.at(-1)?.report?.cases ?? []).map(test => [test.id, test]));
  return {
    failing: [...marks].map(([id, mark]) => ({
      id,
      said: saidIn(cases.get(id)) ?? mark.said,
    })),
    passOnBase,
  };
};

const saidIn = (test: TestCase | undefined) => test?.failure && saidBy(test.failure);

async function testTextsOf({ tests }: Reproduced, { project }: Deps): Promise<readonly string[]> {
  const written = new Map(tests.state.map(file => [file.path, file.after?.bytes.toString()]));
  const texts = await Promise.all(tests.files.map(path => written.get(path) ?? project.files.text(path)));
  return texts.flatMap(text => text ?? []);
}
