/** A local GitHub with one repository, one issue and a maintainer, in a folder of its own. */
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gitEnv, run } from './process.ts';
import { type LocalGitHub, startLocalGitHub } from './server.ts';
import type { Issue, Permissions, Repository, Settings } from './state.ts';

export interface Sample {
  readonly folder: string;
  readonly github: LocalGitHub;
  readonly repository: Repository;
  readonly issue: Issue;
  readonly close: () => Promise<void>;
}

/** What the example workflow grants. */
export const FULL: Permissions = {
  actions: 'write',
  checks: 'read',
  contents: 'write',
  issues: 'write',
  pull_requests: 'write',
  statuses: 'read',
};

export async function startSample(settings: Partial<Settings> = {}): Promise<Sample> {
  const folder = await mkdtemp(join(tmpdir(), 'local-github-'));
  await chmod(folder, 0o755);
  const github = await startLocalGitHub({ folder: join(folder, 'repositories') });
  const repository = await github.addRepository({
    owner: 'octo-org',
    name: 'hello',
    files: {
      'README.md': '# hello\n',
      'run.sh': '#!/bin/sh\necho hi\n',
      '.github/workflows/ci.yml': 'on: push\n',
    },
    collaborators: { mona: 'write', reader: 'read', sorter: 'triage', keeper: 'maintain' },
    settings,
  });
  const issue = github.addIssue(repository, { title: 'Say goodbye', body: 'Please.', author: 'visitor' });
  const close = async () => {
    await github.close();
    await rm(folder, { recursive: true, force: true });
  };
  return { folder, github, repository, issue, close };
}

/** git on the client's side. Returns both streams and the code; never throws. */
export async function clientGit(cwd: string, ...args: string[]) {
  const identity = ['-c', 'user.name=Client', '-c', 'user.email=client@example.com'];
  const result = await run('git', [...identity, ...args], { cwd, env: gitEnv(cwd) });
  return { code: result.code, stdout: result.stdout.toString(), stderr: result.stderr };
}

/** The address of a repository with a token in it. */
export const remoteUrl = ({ github }: Sample, token: string, path = 'octo-org/hello.git'): string =>
  `${github.serverUrl.replace('http://', `http://x-access-token:${token}@`)}/${path}`;
