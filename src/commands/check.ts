import { UserError } from '../errors.ts';
import type { CheckRow } from '../report/check-table.ts';
import type { Emit, RunEvent } from '../run-events.ts';
import { containerInput } from '../sandbox/find-container.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { TestRunner } from '../test-runners/test-runner.ts';
import { checkTests, cureForMissingProgram, ENGINE_CURE } from './check-tests.ts';
import type { SandboxDeps } from './deps.ts';
import { disposeAll } from './dispose-all.ts';
import { type Prepared, prepareSandbox } from './prepare-sandbox.ts';
import { findStack, type Stack } from './stack.ts';
import { skippedRow, type Tried, tryRow } from './try-row.ts';

/**
 * Tries what a run needs before it meets the model's work: the test stack, the sandbox, set-up and the suite. In the rows, `failed` is what
 * keeps every run from its work, `warning` what a run can live with.
 */
export async function checkSandbox(
  open: (emit: Emit) => SandboxDeps,
  emit: Emit,
): Promise<readonly CheckRow[]> {
  const deps = open(emit);
  const found = await findRow(deps);
  const { value: stack } = found;
  const watch = watchStages(emit, heard => foundOrNot(open(heard), found));
  const tried = await tryRow({ ...deps, what: 'Sandbox', cure: ENGINE_CURE }, async () => ({
    value: await prepareSandbox(watch.deps, stack?.runner ?? NO_SETUP),
    found: '',
  }));
  const notes = watch.notes.filter(text => !TOLD_ELSEWHERE.test(text)).map(noteRow);
  const { value: prepared } = tried;
  if (!prepared)
    return [
      found.row,
      ...brokenRows(tried.row, watch),
      ...notes,
      skippedRow('Tests', 'the lines above come first'),
    ];
  try {
    const tests = stack
      ? await checkTests(watch.deps, stack, prepared.snapshot)
      : [skippedRow('Tests', 'the test stack comes first')];
    return [found.row, sandboxRow(prepared.sandbox), setupRow(prepared, watch), ...notes, ...tests];
  } finally {
    await disposeAll(deps.emit, prepared.snapshot, prepared.sandbox);
  }
}

const findRow = (deps: SandboxDeps): Promise<Tried<Stack>> =>
  tryRow({ ...deps, what: 'Test stack' }, async () => {
    const detected = await findStack(deps);
    if (detected.runner) return { value: detected, found: `${detected.runner.name}: ${detected.why}` };
    throw new UserError(
      `none was recognised; looked for: ${detected.looked.join('; ')}`,
      'Set `test-command` to the command that runs the tests, or `working-directory` to the folder of the package that has them.',
    );
  });

/** In a folder that is not there no command of the inputs can work: what it said would only lead astray. */
const foundOrNot = (deps: SandboxDeps, { value }: Tried<Stack>): SandboxDeps =>
  value || deps.settings.workingDirectory === undefined
    ? deps
    : { ...deps, settings: { ...deps.settings, setupCommand: undefined, workingDirectory: undefined } };

/** For a repository whose test stack is not known: then nothing is installed but what the inputs say. */
const NO_SETUP: Pick<TestRunner, 'setupScript'> = { setupScript: async () => '' };

type SetupRan = Extract<RunEvent, { kind: 'setup-ran' }>;
type Stage = 'Sandbox' | 'Root set-up' | 'Files' | 'Set-up' | 'Network' | 'Snapshot';

interface Watch {
  readonly deps: SandboxDeps;
  /** Warnings; rows of their own here, so they are kept from being told twice. */
  readonly notes: string[];
  readonly setups: SetupRan[];
  readonly opened: () => Sandbox | undefined;
  /** What was begun last. */
  readonly stage: () => Stage;
}

/** The same dependencies, which remember how far a sandbox got. */
function watchStages(emit: Emit, open: (emit: Emit) => SandboxDeps): Watch {
  let stage: Stage = 'Sandbox';
  let opened: Sandbox | undefined;
  const notes: string[] = [];
  const setups: SetupRan[] = [];
  const at = <Args extends unknown[], Result>(next: Stage, call: (...args: Args) => Result) => {
    return (...args: Args): Result => {
      stage = next;
      return call(...args);
    };
  };
  const deps = open(event => {
    const isWarning = event.kind === 'note' && event.level === 'warning';
    if (isWarning) notes.push(event.text);
    if (event.kind === 'setup-ran') setups.push(event);
    emit(isWarning ? { ...event, level: 'info' } : event);
  });
  const watched: SandboxDeps = {
    ...deps,
    openSandbox: async () => {
      const sandbox = await deps.openSandbox();
      opened = sandbox;
      return {
        ...sandbox,
        rootShell: at('Root set-up', sandbox.rootShell),
        copyIn: at('Files', sandbox.copyIn),
        shell: at('Set-up', sandbox.shell),
        cutNetwork: at('Network', sandbox.cutNetwork),
        snapshot: at('Snapshot', sandbox.snapshot),
      };
    },
  };
  return { deps: watched, notes, setups, opened: () => opened, stage: () => stage };
}

/** What worked until it broke, and what broke. */
function brokenRows(broken: CheckRow, watch: Watch): readonly CheckRow[] {
  const sandbox = watch.opened();
  if (!sandbox) return [broken, skippedRow('Set-up', 'the sandbox comes first')];
  const what = watch.stage();
  const row = { ...broken, what, cure: setupCure(watch) ?? broken.cure };
  if (what === 'Set-up') return [sandboxRow(sandbox), row];
  if (what === 'Network' || what === 'Snapshot')
    return [sandboxRow(sandbox), setupRow({ setupProblem: undefined }, watch), row];
  return [sandboxRow(sandbox), row, skippedRow('Set-up', 'the line above comes first')];
}

/** For a set-up whose output says more than that it failed. */
function setupCure({ setups, stage }: Watch): string | undefined {
  const last = setups.at(-1);
  if (!last || (last.exit.kind === 'code' && last.exit.code === 0)) return undefined;
  return stage() === 'Root set-up' ? ROOT_CURE : cureForMissingProgram(last.log);
}

const ROOT_CURE =
  "Mend the input `root-setup-command`. It runs as root in the sandbox's image, before any file of the repository is there. If it may not install packages, take `--cap-drop ALL` out of the service's `options:`, or use an image that has them.";

function sandboxRow({ kind, image, isolated }: Sandbox): CheckRow {
  const found = `${kind}, ${image.replaceAll(/(sha256:[0-9a-f]{12})[0-9a-f]+/g, '$1')}`;
  return isolated
    ? { what: 'Sandbox', state: 'ok', found: `${found}; isolated, no network after set-up`, cure: '' }
    : { what: 'Sandbox', state: 'warning', found: `${found}; NOT isolated`, cure: NOT_ISOLATED };
}

const NOT_ISOLATED = `Code of the repository and of the model can read what this job can. Give the job a service container, and set \`${containerInput('sandbox')}\` and \`sandbox: auto\`.`;

function setupRow({ setupProblem }: Pick<Prepared, 'setupProblem'>, watch: Watch): CheckRow {
  if (setupProblem === undefined)
    return { what: 'Set-up', state: 'ok', found: shownSetups(watch) || 'nothing to install', cure: '' };
  return {
    what: 'Set-up',
    state: 'warning',
    found: `guessed from the lock file, and it did not work: ${setupProblem}`,
    cure: setupCure(watch) ?? GUESSED_CURE,
  };
}

const GUESSED_CURE =
  'If the tests need it, set `setup-command` to what installs their dependencies, or take an image that has the tools.';

const shownSetups = ({ setups }: Watch): string =>
  setups.map(({ command, durationMs }) => `${command}, ${(durationMs / 1000).toFixed(1)} s`).join('; ');

/** In the rows of the sandbox and of its set-up. */
const TOLD_ELSEWHERE = /^(?:The set-up that was guessed|unsafe-local)/;

/** Notes are told in one piece; their advice belongs into the last column. */
function noteRow(text: string): CheckRow {
  const what = /^(?:Files of|Not in the sandbox)/.test(text) ? 'Files' : 'Sandbox';
  const [, found = text, advice = ''] = /^(.*?)[.:] (If the tests need them.*|add `.*)$/s.exec(text) ?? [];
  return { what, state: 'warning', found, cure: `${advice.slice(0, 1).toUpperCase()}${advice.slice(1)}` };
}
