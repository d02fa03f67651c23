/** Real repositories in a folder that is removed after the test. */
import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { onTestFinished } from 'vitest';
import { type OpenRepositoryOptions, openRepository } from '../../src/git/repository.ts';
import type { FileMode, TreeFile } from '../../src/types.ts';

export const PATH = process.env.PATH ?? '';

export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'redgreen-git-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const DEVELOPER = {
  encoding: 'utf8',
  timeout: 20_000,
  env: {
    PATH,
    HOME: '/nonexistent',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_AUTHOR_NAME: 'Ada',
    GIT_AUTHOR_EMAIL: 'ada@example.com',
    GIT_COMMITTER_NAME: 'Ada',
    GIT_COMMITTER_EMAIL: 'ada@example.com',
    GIT_CONFIG_COUNT: '2',
    GIT_CONFIG_KEY_0: 'protocol.file.allow',
    GIT_CONFIG_VALUE_0: 'always',
    GIT_CONFIG_KEY_1: 'safe.directory',
    GIT_CONFIG_VALUE_1: '*',
  },
} as const;

/** Git as a developer has it: porcelain, in a folder. Blocks, so never against a server of this process. */
export const git = (cwd: string, ...args: string[]): string =>
  execFileSync('git', args, { ...DEVELOPER, cwd, stdio: ['ignore', 'pipe', 'pipe'] }).trim();

/** The same without blocking. */
export const gitAsync = async (cwd: string, ...args: string[]): Promise<string> =>
  (await promisify(execFile)('git', args, { ...DEVELOPER, cwd })).stdout.trim();

export function write(folder: string, files: Readonly<Record<string, string | Buffer>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

/** A repository with one commit of these files; returns its folder. */
export function repositoryWith(
  files: Readonly<Record<string, string | Buffer>>,
  ...initOptions: string[]
): string {
  const folder = join(temporaryFolder(), 'workspace');
  mkdirSync(folder);
  git(folder, 'init', '--quiet', '--initial-branch=main', ...initOptions);
  write(folder, files);
  git(folder, 'add', '--all', '--force');
  git(folder, 'commit', '--quiet', '--allow-empty', '--message=first');
  return folder;
}

export const head = (folder: string): string => git(folder, 'rev-parse', 'HEAD');

export const open = (workspace: string, options: Partial<OpenRepositoryOptions> = {}) =>
  openRepository({ workspace, folder: temporaryFolder(), path: PATH, ...options });

export const file = (path: string, text: string | Buffer, mode: FileMode = '100644'): TreeFile => ({
  path,
  mode,
  bytes: Buffer.from(text),
});

export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}
