/** A temporary copy of a fixture project, with a shell of this machine: the sandbox of these tests. */
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { exec } from '../../src/lib/exec.ts';
import { type RunTestsOptions, runTests } from '../../src/test-runners/run-tests.ts';
import type { TestRunner } from '../../src/test-runners/test-runner.ts';
import type { BaseFiles, Shell, TestRun } from '../../src/types.ts';

export interface LocalProject {
  readonly workdir: string;
  readonly shell: Shell;
  readonly write: (path: string, text: string) => void;
  readonly text: (path: string) => string;
  readonly run: (runner: TestRunner, options?: Partial<RunTestsOptions>) => Promise<TestRun>;
}

export interface LocalOptions {
  /** A folder to put first on the path. */
  readonly bin?: string;
  readonly files?: Readonly<Record<string, string>>;
}

const SYSTEM_PATH = process.env.PATH ?? '/usr/bin:/bin';

/** Copies `test/fixtures/projects/<name>` (nothing for ''), adds `files`, and removes all when the test ends. */
export function openProject(name: string, { bin, files = {} }: LocalOptions = {}): LocalProject {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'redgreen-test-runners-')));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const workdir = join(root, 'work');
  mkdirSync(workdir);
  mkdirSync(join(root, 'home'));
  if (name) cpSync(join('test/fixtures/projects', name), workdir, { recursive: true });
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(workdir, path)), { recursive: true });
    writeFileSync(join(workdir, path), text);
  };
  for (const [path, text] of Object.entries(files)) write(path, text);

  const shell: Shell = ({ script, env, ...rest }) =>
    exec({
      file: '/bin/sh',
      args: ['-c', script],
      cwd: workdir,
      env: { PATH: bin ? `${bin}:${SYSTEM_PATH}` : SYSTEM_PATH, HOME: join(root, 'home'), ...env },
      ...rest,
    });
  const run = (runner: TestRunner, options: Partial<RunTestsOptions> = {}) =>
    runTests({
      shell,
      runner,
      testCommand: undefined,
      files: [],
      workdir,
      scratch: join(root, 'scratch'),
      timeoutMs: 50_000,
      ...options,
    });
  return { workdir, shell, write, text: path => readFileSync(join(workdir, path), 'utf8'), run };
}

/** Lends a project this repository's own packages. */
export function linkPackages(project: LocalProject): void {
  symlinkSync(join(process.cwd(), 'node_modules'), join(project.workdir, 'node_modules'));
}

export function fixtureFiles(name: string): BaseFiles {
  const root = join('test/fixtures/projects', name);
  const entries = readdirSync(root, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name).slice(root.length + 1))
    .sort();
  return memoryFiles(Object.fromEntries(paths.map(path => [path, readFileSync(join(root, path), 'utf8')])));
}

export const memoryFiles = (texts: Readonly<Record<string, string>>): BaseFiles => ({
  paths: Object.keys(texts).sort(),
  text: async path => texts[path],
});

/** `name: status` or `name: kind of failure`, in the order of the report. */
export const outcomes = (run: TestRun): Record<string, string> =>
  Object.fromEntries(
    (run.report?.cases ?? []).map(test => [
      test.id.slice(test.file.length + 2),
      test.failure?.kind ?? test.status,
    ]),
  );
