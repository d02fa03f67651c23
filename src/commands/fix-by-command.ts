import { isGreenCommand, mend } from '../agents/roles/command-mender.ts';
import { exitWords } from '../agents/tools/bash.ts';
import { restoration, type TreeState } from '../agents/tree-state.ts';
import type { Workbench } from '../agents/workbench.ts';
import { hashesOf, proofRun, runFacts } from '../evidence/proof-run.ts';
import { REPRODUCTION_RUNS } from '../evidence/reproduction.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { Proof, TestRun } from '../types.ts';
import { publishable } from './conclude.ts';
import { createBench } from './create-bench.ts';
import type { Deps, WorkResult } from './deps.ts';
import { disposeAll } from './dispose-all.ts';
import type { FixRequest } from './fix-request.ts';
import { inPhase } from './in-phase.ts';
import type { Unusable } from './lay-ground.ts';
import { inWorkingDirectory } from './stack.ts';
import { untilGreen } from './until-green.ts';
import { endedEarly, notReproduced, resultOf, unusableBaseline } from './work-result.ts';

/** Repeats of a slow command are left out. */
const QUICK_MS = 90_000;
const NO_BASELINE = { passed: [], failed: [], skipped: [], flaky: [], brokenFiles: [] };

/**
 * A failure that the maintainer's `test-command` shows by its exit code and by nothing else: a linter, a build. It can be made green, and
 * that is what is then said: never "proven".
 */
export async function fixByCommand(ground: Unusable, request: FixRequest, deps: Deps): Promise<WorkResult> {
  const { nothing, measured } = ground;
  const command = deps.settings.testCommand;
  if (command === undefined) return unusableBaseline(measured.run, nothing);
  const before = await inPhase(
    deps.emit,
    'reproduction',
    () => onFreshGround(deps, ground, [], run => failAgain(run)),
    run => ({
      ok: run !== undefined,
      note: run ? `fails each time: ${exitWords(run.exit)}` : 'it does not fail each time',
    }),
  );
  if (!before)
    return notReproduced(
      `the tests gave no usable report (${measured.run.problem ?? 'no reason known'}), and \`${command}\` by itself does not fail each time`,
      nothing,
      'Set `test-command` to a command that runs the tests and nothing else, or to one that fails each time.',
    );

  const bench = await commandBench(ground, request, deps, command);
  const work = { ...nothing, testCommand: command };
  const tests = { state: [], files: [], newTests: [command], descriptions: [] };
  const end = await inPhase(
    deps.emit,
    'fix',
    () =>
      untilGreen(
        bench,
        tests,
        () => undefined,
        attempt => mend(bench, { command, run: before, context: request.context }, attempt),
      ),
    made =>
      made.kind === 'green'
        ? { ok: true, note: `the cause lies in ${made.diagnosis.place}` }
        : { ok: false, note: made.kind === 'gave-up' ? made.reason : made.kind },
  );
  if (end.kind !== 'green') return publishable(endedEarly(end, work));
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
  const done = { ...work, change, summary: diagnosis.fix, descriptions };
  return publishable({
    ...resultOf('unproven', reason, done),
    diagnosis,
    proof: commandProof(deps, ground, { reason, before, after, change }),
    ...(isGreenCommand(after) && { commandGreen: { command, before: was, after: is } }),
  });
}

/** What a third party can check: two runs and their exit codes. */
const commandProof = (
  { project }: Deps,
  { prepared }: Unusable,
  facts: {
    readonly reason: string;
    readonly before: TestRun;
    readonly after: TestRun;
    readonly change: TreeState;
  },
): Proof => ({
  version: 1,
  proven: false,
  isolated: prepared.sandbox.isolated,
  reason: facts.reason,
  base: project.baseSha,
  sandbox: {
    kind: prepared.sandbox.kind,
    image: prepared.sandbox.image,
    snapshot: prepared.snapshot.digest,
  },
  runner: 'command',
  setupCommand: prepared.setupCommand,
  runs: [proofRun('command-before', facts.before), proofRun('command-after', facts.after)],
  failToPass: [],
  passToPass: [],
  brokenTests: [],
  lostTests: [],
  failedBefore: [],
  flaky: [],
  frozenTests: {},
  change: hashesOf(facts.change),
  skippedForTime: [],
});

type RunCommand = (purpose: string) => Promise<TestRun>;

/** The last of the runs, when all of them failed. */
async function failAgain(run: RunCommand): Promise<TestRun | undefined> {
  let last: TestRun | undefined;
  for (let count = 0; count < REPRODUCTION_RUNS; count++) {
    last = await run('the command as it is');
    if (isGreenCommand(last)) return undefined;
    if (last.durationMs > QUICK_MS) break;
  }
  return last;
}

async function onFreshGround<T>(
  deps: Deps,
  { prepared }: Unusable,
  state: TreeState,
  work: (run: RunCommand) => Promise<T>,
): Promise<T> {
  const fresh = await prepared.snapshot.start();
  try {
    const paths = state.map(file => file.path);
    const { write, remove } = restoration([], state, paths);
    await fresh.remove(remove);
    await fresh.copyIn(write);
    return await work(commandIn(deps, fresh));
  } finally {
    await disposeAll(deps.emit, fresh);
  }
}

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

/** Runs the command as it was given, without flags of ours, and tells the event stream. */
const commandIn =
  (deps: Deps, sandbox: Sandbox): RunCommand =>
  async purpose => {
    const { settings, signal, emit } = deps;
    const command = settings.testCommand ?? '';
    const result = await sandbox.shell({
      script: inWorkingDirectory(deps, command),
      timeoutMs: Math.max(1_000, Math.min(settings.proofMinutes * 60_000, settings.deadline - Date.now())),
      ...(signal && { signal }),
    });
    const run: TestRun = {
      command,
      exit: result.exit,
      log: `${result.stdout.toString()}\n${result.stderr.toString()}`.slice(-200_000),
      durationMs: result.durationMs,
      ...(result.exit.kind !== 'code' || result.exit.code !== 0
        ? { problem: 'only its exit code tells' }
        : {}),
    };
    emit({ kind: 'tests-ran', purpose, run: runFacts(run) });
    return run;
  };
