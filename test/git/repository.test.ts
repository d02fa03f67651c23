import { cpSync, existsSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { UserError } from '../../src/errors.ts';
import { createGit } from '../../src/git/git.ts';
import { hasCommit, nearestTag } from '../../src/git/repository.ts';
import { readTree } from '../../src/git/tree.ts';
import { git, head, open, repositoryWith, temporaryFolder, write } from './workbench.ts';

describe('openRepository', () => {
  it('reads the commits of the checkout without copying them', async () => {
    const workspace = repositoryWith({ 'a.txt': 'a' });
    const repository = await open(workspace);
    expect(repository.head).toBe(head(workspace));
    expect(repository.isShallow).toBe(false);
    expect(await hasCommit(repository, head(workspace))).toBe(true);
    expect(await hasCommit(repository, '1'.repeat(40))).toBe(false);
  });

  it('is empty where the workspace is no checkout', async () => {
    const repository = await open(temporaryFolder());
    expect(repository.head).toBeUndefined();
    expect(repository.isShallow).toBe(true);
  });

  it('finds a head that is detached, packed, or on a branch without commits', async () => {
    const detached = repositoryWith({ a: '' });
    git(detached, 'checkout', '--quiet', '--detach');
    expect((await open(detached)).head).toBe(head(detached));

    const packed = repositoryWith({ a: '' });
    git(packed, 'pack-refs', '--all');
    expect(existsSync(join(packed, '.git/refs/heads/main'))).toBe(false);
    expect((await open(packed)).head).toBe(head(packed));

    const unborn = repositoryWith({ a: '' });
    git(unborn, 'checkout', '--quiet', '--orphan', 'empty');
    expect((await open(unborn)).head).toBeUndefined();
  });

  it('does not leave .git for a head that names a path outside', async () => {
    const workspace = repositoryWith({ a: '' });
    writeFileSync(join(workspace, 'outside'), head(workspace));
    writeFileSync(join(workspace, '.git/HEAD'), 'ref: refs/../../outside\n');
    expect((await open(workspace)).head).toBeUndefined();
  });

  it('works on a shallow clone', async () => {
    const origin = repositoryWith({ a: '1' });
    write(origin, { a: '2' });
    git(origin, 'commit', '--quiet', '--all', '--message=second');
    const clone = join(temporaryFolder(), 'clone');
    git(origin, 'clone', '--quiet', '--depth=1', `file://${origin}`, clone);
    const repository = await open(clone);
    expect(repository.isShallow).toBe(true);
    expect((await readTree(repository, head(clone))).entries).toHaveLength(1);
    const log = await repository.git(['rev-list', '--count', head(clone)]);
    expect(log.stdout.toString()).toBe('1\n');
  });

  it('works on a SHA-256 repository', async () => {
    const workspace = repositoryWith({ a: '1' }, '--object-format=sha256');
    const repository = await open(workspace);
    expect(repository.objectFormat).toBe('sha256');
    expect((await readTree(repository, head(workspace))).entries[0]?.oid).toHaveLength(64);
  });

  const layouts: [string, (workspace: string) => void][] = [
    [
      '.git is a file',
      w => {
        renameSync(join(w, '.git'), join(w, '..', 'real'));
        writeFileSync(join(w, '.git'), 'gitdir: ../real\n');
      },
    ],
    [
      '.git is a symbolic link',
      w => {
        renameSync(join(w, '.git'), join(w, '..', 'real'));
        symlinkSync('../real', join(w, '.git'));
      },
    ],
    [
      'objects is a symbolic link',
      w => {
        renameSync(join(w, '.git/objects'), join(w, '..', 'objects'));
        symlinkSync('../../objects', join(w, '.git/objects'));
      },
    ],
    [
      'objects are borrowed',
      w => {
        writeFileSync(join(w, '.git/objects/info/alternates'), '/elsewhere\n');
      },
    ],
    [
      'it is a linked worktree',
      w => {
        writeFileSync(join(w, '.git/commondir'), '../real\n');
      },
    ],
  ];
  it.each(layouts)('refuses a checkout where %s, and says what to do', async (_what, change) => {
    const workspace = repositoryWith({ a: '' });
    change(workspace);
    const error = await open(workspace).catch(thrown => thrown);
    expect(error).toBeInstanceOf(UserError);
    expect(error.cure).toContain('actions/checkout');
  });

  it('says so when git is not there', async () => {
    await expect(createGit({ path: '/nonexistent' })(['version'])).rejects.toThrow(UserError);
  });

  it('takes nothing but full object names for commits', async () => {
    const repository = await open(repositoryWith({ a: '' }));
    await expect(hasCommit(repository, '--help')).rejects.toThrow('not a full object name');
    await expect(readTree(repository, 'HEAD')).rejects.toThrow('not a full object name');
  });
});

describe('nearestTag', () => {
  it('names the tag below the commit, loose or packed, annotated or not', async () => {
    const workspace = repositoryWith({ a: '1' });
    git(workspace, 'tag', 'v1.0.0');
    expect(await nearestTag(await open(workspace), head(workspace))).toBe('v1.0.0');
    git(workspace, 'commit', '--quiet', '--allow-empty', '--message=more');
    git(workspace, 'tag', '--annotate', '--message=x', 'release/2');
    git(workspace, 'pack-refs', '--all');
    git(workspace, 'commit', '--quiet', '--allow-empty', '--message=even more');
    expect(await nearestTag(await open(workspace), head(workspace))).toBe('release/2');
  });

  it('is undefined without tags', async () => {
    const workspace = repositoryWith({ a: '1' });
    expect(await nearestTag(await open(workspace), head(workspace))).toBeUndefined();
  });
});

it('keeps working when the checkout moves its own branch meanwhile', async () => {
  const workspace = repositoryWith({ a: '1' });
  const before = head(workspace);
  const repository = await open(workspace);
  mkdirSync(join(workspace, 'x'));
  cpSync(join(workspace, 'a'), join(workspace, 'x/a'));
  git(workspace, 'add', '.');
  git(workspace, 'commit', '--quiet', '--amend', '--message=amended');
  rmSync(join(workspace, '.git/refs/heads/main'));
  expect((await readTree(repository, before)).entries.map(({ path }) => path)).toEqual(['a']);
});
