import { cutMiddle, plain } from '../agents/cut-text.ts';
import { exitWords } from '../agents/tools/bash.ts';
import { UserError } from '../errors.ts';
import type { Sandbox, Snapshot } from '../sandbox/sandbox.ts';
import type { TestRunner } from '../test-runners/test-runner.ts';
import type { ExecResult, FileChange } from '../types.ts';
import type { Deps } from './deps.ts';

/** A sandbox after set-up, without network, and the snapshot from which fresh ones start. */
export interface Prepared {
  readonly sandbox: Sandbox;
  readonly snapshot: Snapshot;
  /** Empty when there was nothing to install. */
  readonly setupCommand: string;
  /** What set-up wrote into the work folder; never part of a change. */
  readonly leftovers: readonly FileChange[];
}

const SETUP_TIMEOUT_MS = 20 * 60_000;

/** Copy in, root set-up, set-up with network, network cut, snapshot. Disposes of the sandbox when any of it fails. */
export async function prepareSandbox(deps: Deps, runner: TestRunner): Promise<Prepared> {
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
    await sandbox.copyIn(project.read());
    if (settings.included.length > 0) await sandbox.copyIn(settings.included);
    await sandbox.plantGit(project.tag);
    const setupCommand = settings.setupCommand ?? (await runner.setupScript(project.files));
    if (setupCommand) {
      const result = await sandbox.shell({
        script: setupCommand,
        timeoutMs: SETUP_TIMEOUT_MS,
        ...(signal && { signal }),
      });
      finished('setup-command', setupCommand, result, emit);
    }
    await sandbox.cutNetwork();
    const { change: leftovers } = await project.difference(sandbox);
    const snapshot = await sandbox.snapshot();
    emit({
      kind: 'note',
      level: 'info',
      text: `sandbox ${sandbox.kind}, ${sandbox.image}; snapshot ${snapshot.digest.slice(0, 19)}`,
    });
    return { sandbox, snapshot, setupCommand, leftovers };
  } catch (error) {
    await sandbox.dispose();
    throw error;
  }
}

function finished(input: string, command: string, result: ExecResult, emit: Deps['emit']): void {
  const log = cutMiddle(plain(`${result.stdout.toString()}${result.stderr.toString()}`).trim(), 20_000);
  emit({ kind: 'setup-ran', command, exit: result.exit, log, durationMs: result.durationMs });
  if (result.exit.kind === 'code' && result.exit.code === 0) return;
  const tail = log.split('\n').slice(-15).join('\n');
  throw new UserError(
    `The sandbox could not be set up: \`${command.split('\n')[0]}\` ended with ${exitWords(result.exit)}.\n${tail}`,
    `Set the input \`${input}\` to a command that prepares the repository in the sandbox's image (it runs as an unprivileged user in a copy of the checkout; system packages belong into \`root-setup-command\` or the image).`,
  );
}
