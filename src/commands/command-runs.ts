import { isGreenCommand } from '../agents/roles/command-mender.ts';
import { restoration, type TreeState } from '../agents/tree-state.ts';
import { hashesOf, proofRun, runFacts } from '../evidence/proof-run.ts';
import { REPRODUCTION_RUNS } from '../evidence/reproduction.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { Proof, TestRun } from '../types.ts';
import type { Deps } from './deps.ts';
import { inFreshSandbox } from './in-fresh-sandbox.ts';
import type { Unusable } from './lay-ground.ts';
import { inWorkingDirectory } from './stack.ts';

export type RunCommand = (purpose: string) => Promise<TestRun>;

/** Repeats of a slow command are left out. */
const QUICK_MS = 90_000;

/** As a person would give it: without the place where our report flags would stand. */
export const commandOf = ({ settings }: Deps): string | undefined =>
  settings.testCommand?.replaceAll('{args}', '').trim();

/** Runs the command as it was given, without flags of ours, and tells the event stream. */
export const commandIn =
  (deps: Deps, sandbox: Sandbox): RunCommand =>
  async purpose => {
    const { settings, signal, emit } = deps;
    const command = commandOf(deps) ?? '';
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

/** Runs of the command in a sandbox of its own, over a state. */
export const onFreshGround = <T>(
  deps: Deps,
  { prepared }: Unusable,
  state: TreeState,
  work: (run: RunCommand) => Promise<T>,
): Promise<T> =>
  inFreshSandbox(deps, prepared.snapshot, async fresh => {
    const { write, remove } = restoration(
      [],
      state,
      state.map(file => file.path),
    );
    await fresh.remove(remove);
    await fresh.copyIn(write);
    return work(commandIn(deps, fresh));
  });

/** The runs, when all of them failed; a slow command runs once. */
export async function failAgain(run: RunCommand): Promise<readonly TestRun[] | undefined> {
  const runs: TestRun[] = [];
  while (runs.length < REPRODUCTION_RUNS) {
    const next = await run('the command as it is');
    if (isGreenCommand(next)) return undefined;
    runs.push(next);
    if (next.durationMs > QUICK_MS) break;
  }
  return runs;
}

export interface CommandFacts {
  readonly reason: string;
  readonly before: TestRun;
  readonly after: TestRun;
  readonly change: TreeState;
}

/** What a third party can check: two runs and their exit codes. */
export const commandProof = (
  { project }: Deps,
  { prepared }: Unusable,
  { reason, before, after, change }: CommandFacts,
): Proof => ({
  version: 1,
  proven: false,
  isolated: prepared.sandbox.isolated,
  reason,
  base: project.baseSha,
  sandbox: {
    kind: prepared.sandbox.kind,
    image: prepared.sandbox.image,
    snapshot: prepared.snapshot.digest,
  },
  runner: 'command',
  setupCommand: prepared.setupCommand,
  runs: [proofRun('command-before', before), proofRun('command-after', after)],
  failToPass: [],
  passToPass: [],
  brokenTests: [],
  lostTests: [],
  failedBefore: [],
  flaky: [],
  frozenTests: {},
  change: hashesOf(change),
  skippedForTime: [],
});
