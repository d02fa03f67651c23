import { type DetectedRunner, detectRunner } from '../test-runners/detect.ts';
import { checkFolder } from '../test-runners/find-folder.ts';
import { inFolderScript } from '../test-runners/in-folder.ts';
import type { TestRunner } from '../test-runners/test-runner.ts';
import type { SandboxDeps } from './deps.ts';

/** The test stack of a run: the runner, and the command that it builds on. */
export interface Stack {
  readonly runner: TestRunner;
  /** As `detectRunner` gave it; undefined for the runner's default. */
  readonly testCommand: string | undefined;
}

/** Recognises the test stack, in the folder that the inputs name. */
export const findStack = ({ project, settings }: SandboxDeps): Promise<DetectedRunner> =>
  detectRunner(project.files, {
    ...(settings.testCommand !== undefined && { testCommand: settings.testCommand }),
    ...(settings.workingDirectory !== undefined && { folder: settings.workingDirectory }),
  });

/** A command of the inputs, where the inputs say that it runs. Throws a UserError for a folder that is none. */
export function inWorkingDirectory({ project, settings }: SandboxDeps, script: string): string {
  const folder = checkFolder(project.files, settings.workingDirectory);
  return folder === undefined ? script : inFolderScript(script, folder);
}
