import { cutMiddle, plain } from '../agents/cut-text.ts';
import { exitWords } from '../agents/tools/bash.ts';
import { UserError } from '../errors.ts';
import { lfsPointers } from '../git/lfs-pointers.ts';
import { pathProblem } from '../sandbox/path-rules.ts';
import type { Sandbox, Snapshot } from '../sandbox/sandbox.ts';
import type { TestRunner } from '../test-runners/test-runner.ts';
import type { ExecResult, FileChange } from '../types.ts';
import type { SandboxDeps } from './deps.ts';
import { parents } from './project.ts';
import { inWorkingDirectory } from './stack.ts';

/** A sandbox after set-up, without network, and the snapshot from which fresh ones start. */
export interface Prepared {
  readonly sandbox: Sandbox;
  readonly snapshot: Snapshot;
  /** Empty when there was nothing to install. */
  readonly setupCommand: string;
  /** Why a set-up that was guessed did not work, if it did not. */
  readonly setupProblem: string | undefined;
  /** What set-up wrote into the work folder; never part of a change. */
  readonly leftovers: readonly FileChange[];
}

const SETUP_TIMEOUT_MS = 20 * 60_000;

/** Copy in, root set-up, set-up with network, network cut, snapshot. Disposes of the sandbox when any of it fails. */
export async function prepareSandbox(
  deps: SandboxDeps,
  runner: Pick<TestRunner, 'setupScript'>,
): Promise<Prepared> {
  const { project, settings, emit, signal } = deps;
  const sandbox = await deps.openSandbox();
  try {
    if (settings.rootSetupCommand) {
      const script = settings.rootSetupCommand;
      const result = await sandbox.rootShell({
        script,
        timeoutMs: SETUP_TIMEOUT_MS,
        ...(signal && { signal }),
      });
      finished('root-setup-command', script, result, emit);
    }
    for (const text of await absences(deps)) emit({ kind: 'note', level: 'warning', text });
    await sandbox.copyIn(project.read());
    const included = settings.included.filter(({ path }) => pathProblem(path) === undefined);
    if (included.length > 0) await sandbox.copyIn(included);
    await sandbox.plantGit(project.tag);
    const setup = await setUp(deps, sandbox, runner);
    await sandbox.cutNetwork();
    const { change: leftovers } = await project.difference(sandbox);
    const snapshot = await sandbox.snapshot();
    return { sandbox, snapshot, ...setup, leftovers };
  } catch (error) {
    await sandbox.dispose();
    throw error;
  }
}

/** What people will miss in the sandbox although the repository names it: a sentence or two for each sort. */
async function absences({ project, settings }: SandboxDeps): Promise<string[]> {
  const { repository, tree, unusable } = project;
  const included = settings.included.map(({ path }) => path);
  const problems = new Map([
    ...included.map(path => [path, pathProblem(path)] as const),
    ...unusable.map(({ path, reason }) => [path, reason] as const),
  ]);
  const odd = [...problems].flatMap(([path, reason]) =>
    reason === undefined ? [] : [`${JSON.stringify(path)} (${reason})`],
  );
  const brought = new Set(included.flatMap(path => [path, ...parents(path)]));
  const isMissing = (path: string) => !brought.has(path);
  const submodules = tree.submodules.map(({ path }) => path).filter(isMissing);
  const pointers = (await lfsPointers(repository, tree)).filter(isMissing);
  return [
    ...(odd.length > 0 ? [`Not in the sandbox, and not changed by the run: ${firstOf(odd)}.`] : []),
    ...(submodules.length > 0
      ? [`Files of submodules are not in the sandbox: ${firstOf(submodules)}. ${INCLUDE_CURE}`]
      : []),
    ...(pointers.length > 0
      ? [`Files of Git LFS are only pointers in the sandbox: ${firstOf(pointers)}. ${INCLUDE_CURE}`]
      : []),
  ];
}

const INCLUDE_CURE =
  'If the tests need them, check them out before this action and name them in the input `include`.';

const firstOf = (names: readonly string[]): string =>
  names.length > 3 ? `${names.slice(0, 3).join(', ')} and ${names.length - 3} more` : names.join(', ');

/** A command that was given has to work. One that we guessed may not be needed: the baseline then decides. */
async function setUp(
  deps: SandboxDeps,
  sandbox: Sandbox,
  runner: Pick<TestRunner, 'setupScript'>,
): Promise<Pick<Prepared, 'setupCommand' | 'setupProblem'>> {
  const { settings, project, emit, signal } = deps;
  const script =
    settings.setupCommand === undefined
      ? await runner.setupScript(project.files)
      : inWorkingDirectory(deps, settings.setupCommand);
  if (!script) return { setupCommand: '', setupProblem: undefined };
  const result = await sandbox.shell({ script, timeoutMs: SETUP_TIMEOUT_MS, ...(signal && { signal }) });
  const setupCommand = shownCommand(script);
  if (settings.setupCommand !== undefined) {
    finished('setup-command', script, result, emit);
    return { setupCommand, setupProblem: undefined };
  }
  const setupProblem = failureOf('setup-command', script, result, emit)?.message;
  if (setupProblem)
    emit({
      kind: 'note',
      level: 'warning',
      text: `The set-up that was guessed (${shownCommand(script)}) did not work, so the tests run without it: ${lastError(result)}`,
    });
  return { setupCommand: setupProblem ? '' : setupCommand, setupProblem };
}

/** The line that names the cause, as far as tools mark it; the whole output is in the log. */
function lastError({ stdout, stderr }: ExecResult): string {
  const lines = plain(`${stdout.toString()}\n${stderr.toString()}`)
    .split('\n')
    .map(line => line.trim())
    .filter(line => line !== '');
  const marked = lines.findLast(line => /^(?:npm (?:ERR!|error) |E: |[\w .-]{0,30}error\b)/i.test(line));
  return (marked ?? lines.at(-1) ?? 'no output').slice(0, 500);
}

/** What people read of a script: its first line, which in scripts of ours is a comment that sums it up. */
const shownCommand = (script: string): string => (script.split('\n')[0] ?? '').replace(/^# /, '');

function finished(input: string, command: string, result: ExecResult, emit: SandboxDeps['emit']): void {
  const failure = failureOf(input, command, result, emit);
  if (failure) throw failure;
}

function failureOf(
  input: string,
  command: string,
  result: ExecResult,
  emit: SandboxDeps['emit'],
): UserError | undefined {
  const log = cutMiddle(plain(`${result.stdout.toString()}${result.stderr.toString()}`).trim(), 20_000);
  emit({
    kind: 'setup-ran',
    command: shownCommand(command),
    exit: result.exit,
    log,
    durationMs: result.durationMs,
  });
  if (result.exit.kind === 'code' && result.exit.code === 0) return undefined;
  const tail = log.split('\n').slice(-15).join('\n');
  return new UserError(
    `The sandbox could not be set up: \`${shownCommand(command)}\` ended with ${exitWords(result.exit)}.\n${tail}`,
    `Set the input \`${input}\` to a command that prepares the repository in the sandbox's image (it runs as an unprivileged user in a copy of the checkout; system packages belong into \`root-setup-command\` or the image).`,
  );
}
