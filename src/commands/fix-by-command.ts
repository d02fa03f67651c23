import { isGreenCommand, type MenderEnd, mend } from '../agents/roles/command-mender.ts';
import { exitWords } from '../agents/tools/bash.ts';
import type { TreeState } from '../agents/tree-state.ts';
import type { Workbench } from '../agents/workbench.ts';
import { readPackageJson } from '../test-runners/package-json.ts';
import type { TestRun } from '../types.ts';
import { commandPaths } from './command-paths.ts';
import { commandIn, commandOf, commandProof, failAgain, onFreshGround } from './command-runs.ts';
import { publishable } from './conclude.ts';
import { createBench } from './create-bench.ts';
import type { Deps, WorkResult } from './deps.ts';
import type { FixRequest } from './fix-request.ts';
import { inPhase } from './in-phase.ts';
import type { Unusable } from './lay-ground.ts';
import { untilGreen } from './until-green.ts';
import { endedEarly, notReproduced, resultOf, unusableBaseline, type WorkSoFar } from './work-result.ts';

const NO_BASELINE = { passed: [], failed: [], skipped: [], flaky: [], brokenFiles: [] };

/**
 * A failure that the maintainer's `test-command` shows by its exit code and by nothing else: a linter, a build. It can be made green, and
 * that is what is then said: never "proven".
 */
export async function fixByCommand(ground: Unusable, request: FixRequest, deps: Deps): Promise<WorkResult> {
  const { nothing, measured } = ground;
  const command = commandOf(deps);
  if (command === undefined) return unusableBaseline(measured.run, nothing);
  const runs = await inPhase(
    deps.emit,
    'reproduction',
    () => onFreshGround(deps, ground, [], run => failAgain(run)),
    made => ({ ok: made !== undefined, note: made ? failedWords(made) : 'it does not fail each time' }),
  );
  const before = runs?.at(-1);
  if (!before)
    return notReproduced(
      `the tests gave no usable report (${measured.run.problem ?? 'no reason known'}), and \`${command}\` by itself does not fail each time`,
      nothing,
      'Set `test-command` to a command that runs the tests and nothing else, or to one that fails each time.',
    );
  const work = { ...nothing, testCommand: command };
  const { end, soFar } = await mendUntilGreen(ground, request, deps, { command, before, work });
  if (end.kind !== 'green') return publishable(endedEarly(end, { ...work, change: soFar }));

  const { implementation, diagnosis } = end;
  const descriptions = new Map(implementation.report.files.map(file => [file.path, file.description]));
  const change = implementation.state;
  const after = await inPhase(
    deps.emit,
    'proof',
    () => onFreshGround(deps, ground, change, run => run('proof: the command with the change')),
    run => ({ ok: isGreenCommand(run), note: exitWords(run.exit) }),
  );
  const [was, is] = [exitWords(before.exit), exitWords(after.exit)];
  const reason = isGreenCommand(after)
    ? `command green: \`${command}\` ended with ${was} before the change and succeeds with it; an exit code shows no single test, so this is not proven`
    : `with the change \`${command}\` ends with ${is} on fresh ground`;
  return publishable({
    ...resultOf('unproven', reason, { ...work, change, summary: diagnosis.fix, descriptions }),
    diagnosis,
    proof: commandProof(deps, ground, { reason, before, after, change }),
    ...(isGreenCommand(after) && { commandGreen: { command, before: was, after: is } }),
  });
}

const failedWords = (runs: readonly TestRun[]): string => {
  const exit = runs[0] ? exitWords(runs[0].exit) : '';
  return runs.length > 1 ? `it fails ${runs.length} times: ${exit}` : `it fails: ${exit}`;
};

interface Mending {
  readonly command: string;
  readonly before: TestRun;
  readonly work: WorkSoFar;
}

async function mendUntilGreen(
  ground: Unusable,
  request: FixRequest,
  deps: Deps,
  { command, before, work }: Mending,
): Promise<{ readonly end: MenderEnd; readonly soFar: TreeState }> {
  const bench = await commandBench(ground, request, deps, command);
  const manifest = await readPackageJson(deps.project.files);
  let soFar: TreeState = [];
  const options = {
    command,
    run: before,
    context: request.context,
    commandPaths: commandPaths(command, Object.values(manifest?.scripts ?? {}), deps.project.files.paths),
    keep: (state: TreeState) => {
      soFar = state;
      if (state.length > 0) deps.keep(resultOf('partial', '', { ...work, change: state }));
    },
  };
  const tests = { state: [], files: [], newTests: [command], descriptions: [] };
  const end = await inPhase(
    deps.emit,
    'fix',
    () => untilGreen(bench, tests, NOTHING_BETTER, attempt => mend(bench, options, attempt)),
    made =>
      made.kind === 'green'
        ? { ok: true, note: `the cause lies in ${made.diagnosis.place}` }
        : { ok: false, note: made.kind === 'gave-up' ? made.reason : made.kind },
  );
  return { end, soFar };
}

/** A command is green or it is not: there is no better and worse in between. */
const NOTHING_BETTER = () => undefined;

async function commandBench(
  ground: Unusable,
  request: FixRequest,
  deps: Deps,
  command: string,
): Promise<Workbench> {
  const bench = await createBench(deps, request, {
    ...ground,
    baseline: NO_BASELINE,
    litter: [],
    shownCommand: command,
  });
  const run = commandIn(deps, ground.prepared.sandbox);
  return { ...bench, runTests: purpose => run(purpose) };
}
