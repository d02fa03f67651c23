import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { UserError } from '../../src/errors.ts';
import { commitChange } from '../../src/git/commit.ts';
import { fetchCommit } from '../../src/git/fetch.ts';
import { push } from '../../src/git/push.ts';
import { explainRefusal } from '../../src/git/push-refusal.ts';
import { hasCommit } from '../../src/git/repository.ts';
import { readTree } from '../../src/git/tree.ts';
import { type GitServer, startGitServer } from './git-server.ts';
import { file, git, head, open, repositoryWith, temporaryFolder, write } from './workbench.ts';

const TOKEN = 'ghs_secret';
let server: GitServer;
let remote: string;
let workspace: string;
let url: string;

beforeEach(async () => {
  workspace = repositoryWith({ a: '1\n' });
  const root = temporaryFolder();
  remote = join(root, 'owner/repo.git');
  git(root, 'clone', '--quiet', '--bare', workspace, remote);
  server = await startGitServer(root, TOKEN);
  url = `${server.url}/owner/repo.git`;
});
afterEach(() => server.close());

const commitOn = async (repository: Awaited<ReturnType<typeof open>>, parent: string, text = 'x') => {
  const after = file('new', text);
  return (
    await commitChange({
      repository,
      parent,
      change: [{ path: 'new', status: 'added', after }],
      message: 'm',
    })
  ).sha;
};

async function ready(text?: string) {
  const repository = await open(workspace);
  return {
    repository,
    url,
    token: TOKEN,
    sha: await commitOn(repository, head(workspace), text),
    branch: 'agent/issue-1',
    expected: undefined,
  };
}

describe('push', () => {
  it('makes a new branch, with the token in a header and nowhere else', async () => {
    const input = await ready();
    expect(await push(input)).toEqual({ kind: 'pushed' });
    expect(git(remote, 'rev-parse', 'agent/issue-1')).toBe(input.sha);
    expect(server.authorizations.at(-1)).toBe(
      `basic ${Buffer.from(`x-access-token:${TOKEN}`).toString('base64')}`,
    );
    const folder = input.repository.folder;
    const texts = readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter(entry => entry.isFile())
      .map(entry => readFileSync(join(entry.parentPath, entry.name), 'latin1'));
    expect(texts.length).toBeGreaterThan(3);
    const secrets = [TOKEN, Buffer.from(`x-access-token:${TOKEN}`).toString('base64')];
    expect(texts.filter(text => secrets.some(secret => text.includes(secret)))).toEqual([]);
  });

  it('moves our branch forward from where it was expected', async () => {
    const first = await ready();
    await push(first);
    const sha = (
      await commitChange({
        repository: first.repository,
        parent: first.sha,
        change: [{ path: 'more', status: 'added', after: file('more', '') }],
        message: 'm',
      })
    ).sha;
    expect(await push({ ...first, sha, expected: first.sha })).toEqual({ kind: 'pushed' });
    expect(git(remote, 'rev-parse', 'agent/issue-1')).toBe(sha);
  });

  it('pushes from a shallow clone', async () => {
    write(workspace, { a: '2\n' });
    git(workspace, 'commit', '--quiet', '--all', '--message=second');
    git(workspace, 'push', '--quiet', remote, 'main');
    const clone = join(temporaryFolder(), 'clone');
    git(workspace, 'clone', '--quiet', '--depth=1', `file://${remote}`, clone);
    const repository = await open(clone);
    const sha = await commitOn(repository, head(clone));
    expect(
      await push({ repository, url, token: TOKEN, sha, branch: 'agent/issue-2', expected: undefined }),
    ).toEqual({ kind: 'pushed' });
    expect(git(remote, 'rev-list', '--count', 'agent/issue-2')).toBe('3');
  });

  it('says what to do about a branch that is named like the folder of ours', async () => {
    const input = await ready();
    git(remote, 'branch', 'agent', 'main');
    expect(await push(input)).toMatchObject({
      kind: 'refused',
      reason: 'other',
      detail: expect.stringContaining('refs/heads/agent'),
      cure: 'Rename or delete the branch that is named like the folder of ours (agent).',
    });
    expect(git(remote, 'branch', '--list', 'agent/*')).toBe('');
  });

  it('never overwrites a branch that exists, moved, or was deleted meanwhile', async () => {
    const mine = await ready();
    git(remote, 'branch', 'agent/issue-1', 'main');
    expect(await push(mine)).toMatchObject({ kind: 'refused', reason: 'moved' });
    const other = await commitOn(mine.repository, head(workspace), 'other');
    await push({ ...mine, sha: other, expected: head(workspace) });
    expect(await push({ ...mine, expected: head(workspace) })).toMatchObject({
      kind: 'refused',
      reason: 'moved',
    });
    expect(git(remote, 'rev-parse', 'agent/issue-1')).toBe(other);
    git(remote, 'branch', '-D', 'agent/issue-1');
    expect(await push({ ...mine, expected: head(workspace) })).toMatchObject({
      kind: 'refused',
      reason: 'moved',
    });
  });

  it('never steps back, even where the branch is as expected', async () => {
    const mine = await ready();
    await push(mine);
    await expect(push({ ...mine, sha: head(workspace), expected: mine.sha })).rejects.toThrow(
      'nothing is ever forced',
    );
    expect(git(remote, 'rev-parse', 'agent/issue-1')).toBe(mine.sha);
  });

  it('says that the token may not push', async () => {
    expect(await push({ ...(await ready()), token: 'wrong' })).toMatchObject({
      kind: 'refused',
      reason: 'permission',
    });
    expect(await push({ ...(await ready()), url: `${server.url}/owner/absent.git` })).toMatchObject({
      reason: 'permission',
    });
  });

  it('says that the server can not be reached', async () => {
    expect(await push({ ...(await ready()), url: 'http://127.0.0.1:1/owner/repo.git' })).toMatchObject({
      reason: 'unreachable',
    });
  });

  it.each([
    [
      'workflow-files',
      'refusing to allow a GitHub App to create or update workflow `.github/workflows/ci.yml` without `workflows` permission',
    ],
    ['protected', 'error: GH006: Protected branch update failed for refs/heads/agent/issue-1.'],
  ])('passes on what the server says: %s', async (reason, text) => {
    writeFileSync(join(remote, 'hooks/pre-receive'), `#!/bin/sh\ncat <<'X' >&2\n${text}\nX\nexit 1\n`);
    chmodSync(join(remote, 'hooks/pre-receive'), 0o755);
    const result = await push(await ready());
    expect(result).toMatchObject({ kind: 'refused', reason });
    expect(result.kind === 'refused' && result.detail).toContain(text);
  });

  it('runs no hook of the checkout and obeys none of its settings', async () => {
    const marker = join(temporaryFolder(), 'marker');
    write(workspace, { '.git/hooks/pre-push': `#!/bin/sh\ntouch ${marker}\n` });
    chmodSync(join(workspace, '.git/hooks/pre-push'), 0o755);
    git(workspace, 'config', `url.http://127.0.0.1:1/.insteadOf`, server.url);
    git(workspace, 'config', 'core.alternateRefsCommand', `touch ${marker};`);
    expect(await push(await ready())).toEqual({ kind: 'pushed' });
    expect(existsSync(marker)).toBe(false);
  });

  it.each(['--all', 'a..b', 'refs heads', 'x.lock', ''])('does not take %j for a branch', async branch => {
    await expect(push({ ...(await ready()), branch })).rejects.toThrow('not a branch name');
  });
});

describe('fetchCommit', () => {
  const fetched = async (what: string, depth?: number) => {
    const repository = await open(workspace);
    return {
      repository,
      sha: await fetchCommit({ repository, url, token: TOKEN, what, ...(depth && { depth }) }),
    };
  };

  it('brings a commit by its name or by a reference', async () => {
    const developer = join(temporaryFolder(), 'clone');
    git(workspace, 'clone', '--quiet', remote, developer);
    write(developer, { b: 'new' });
    git(developer, 'add', '.');
    git(developer, 'commit', '--quiet', '--message=theirs');
    git(developer, 'push', '--quiet', 'origin', 'HEAD:refs/pull/7/head');
    for (const what of [head(developer), 'refs/pull/7/head']) {
      const { repository, sha } = await fetched(what);
      expect(sha).toBe(head(developer));
      expect((await readTree(repository, sha)).entries.map(({ path }) => path)).toEqual(['a', 'b']);
    }
  });

  it('keeps the history of a full clone, and takes no more than asked where there is none', async () => {
    write(workspace, { a: '2\n' });
    git(workspace, 'commit', '--quiet', '--all', '--message=second');
    git(workspace, 'push', '--quiet', remote, 'main');
    const { repository, sha } = await fetched('refs/heads/main', 1);
    expect((await repository.git(['rev-list', '--count', sha])).stdout.toString()).toBe('2\n');

    const empty = await open(temporaryFolder());
    await fetchCommit({ repository: empty, url, token: TOKEN, what: sha, depth: 1 });
    expect(await hasCommit(empty, sha)).toBe(true);
    expect((await empty.git(['rev-list', '--count', sha])).stdout.toString()).toBe('1\n');
  });

  it('says what to do when the commit is not there or may not be read', async () => {
    const error = await fetched('refs/heads/absent').catch(thrown => thrown);
    expect(error).toBeInstanceOf(UserError);
    expect(error.cure).toContain('contents: read');
    expect(error.message).not.toContain(TOKEN);
  });

  it.each(['main', '--upload-pack=x', 'refs/heads/a:refs/heads/b', 'refs/heads/a b'])(
    'does not take %j for a reference',
    async what => {
      await expect(fetched(what)).rejects.toThrow('not an object name or a full reference');
    },
  );

  it('uses no protocol but HTTP', async () => {
    const repository = await open(workspace);
    for (const url of [`file://${remote}`, 'ext::sh -c id', 'ssh://git@example.com/x'])
      await expect(
        fetchCommit({ repository, url, token: undefined, what: 'refs/heads/main' }),
      ).rejects.toThrow('only https and http');
    await expect(
      fetchCommit({
        repository,
        url: 'https://user:pass@example.com/x',
        token: undefined,
        what: 'refs/heads/main',
      }),
    ).rejects.toThrow('must not carry');
    const { exit, stderr } = await repository.git(['fetch', remote, 'main']);
    expect(exit).toMatchObject({ kind: 'code', code: 128 });
    expect(stderr.toString()).toContain('not allowed');
  });
});

describe('explainRefusal', () => {
  it.each([
    [
      'workflow-files',
      '! [remote rejected] x (refusing to allow a Personal Access Token to create or update workflow `.github/workflows/a.yml` without `workflow` scope)',
    ],
    ['protected', 'remote: error: GH013: Repository rule violations found for refs/heads/x.'],
    ['protected', 'remote: - GITHUB PUSH PROTECTION'],
    ['moved', ' ! [rejected]        x -> x (fetch first)'],
    ['moved', ' ! [rejected]        x -> x (stale info)'],
    [
      'permission',
      "remote: Permission to o/r.git denied to github-actions[bot].\nfatal: unable to access 'https://github.com/o/r/': The requested URL returned error: 403",
    ],
    ['permission', 'remote: Write access to repository not granted.'],
    ['unreachable', "fatal: unable to access 'https://x/': Could not resolve host: x"],
    ['unreachable', 'error: RPC failed; HTTP 502 curl 22 The requested URL returned error: 502'],
    [
      'other',
      "remote: error: GH001: File big.bin is 120.00 MB; this exceeds GitHub's file size limit of 100.00 MB",
    ],
    [
      'other',
      "! [remote rejected] agent/issue-1 -> agent/issue-1 (cannot lock ref 'refs/heads/agent/issue-1': 'refs/heads/agent' exists; cannot create 'refs/heads/agent/issue-1')",
    ],
    ['moved', "! [remote rejected] x -> x (cannot lock ref 'refs/heads/x': is at 1 but expected 2)"],
    ['other', 'fatal: something new'],
  ])('%s: %s', (reason, output) => {
    const refusal = explainRefusal(output);
    expect(refusal.reason).toBe(reason);
    expect(refusal.cure).not.toBe('');
  });

  it('gives the detail in a few clean lines', () => {
    const { detail } = explainRefusal(
      `To https://x/y\nremote: \x1b[31mno\x1b[0m\r\n\nremote:\n${'long '.repeat(1000)}`,
    );
    expect(detail).toMatch(/^remote: no\nlong/);
    expect(detail.length).toBeLessThanOrEqual(1000);
  });
});
