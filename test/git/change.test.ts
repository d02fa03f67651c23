import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readFiles } from '../../src/git/blobs.ts';
import { computeChange } from '../../src/git/change.ts';
import { ACTIONS_BOT, commitChange } from '../../src/git/commit.ts';
import { openIgnoreRules } from '../../src/git/ignore.ts';
import { diffStat, patchOf } from '../../src/git/patch.ts';
import { readTree } from '../../src/git/tree.ts';
import type { TreeFile } from '../../src/types.ts';
import { ODD_NAMES } from './odd-names.ts';
import { collect, file, git, head, open, repositoryWith, temporaryFolder, write } from './workbench.ts';

async function start(files: Record<string, string | Buffer>, ...initOptions: string[]) {
  const workspace = repositoryWith(files, ...initOptions);
  return openBench(workspace);
}

async function openBench(workspace: string) {
  const repository = await open(workspace);
  const base = await readTree(repository, head(workspace));
  const ignore = await openIgnoreRules(repository, base);
  const files = await collect(readFiles(repository, base.entries));
  const change = (found: readonly TreeFile[], kept: string[] = []) =>
    computeChange({ repository, base, ignore, files: found, kept });
  return { workspace, repository, base, ignore, files, change };
}

const summary = (change: readonly { path: string; status: string }[]) =>
  change.map(({ path, status }) => `${status} ${path}`);

describe('computeChange', () => {
  it('is empty when nothing changed', async () => {
    const { files, change } = await start({ a: '1', 'b/c': '2', empty: '' });
    expect(await change(files)).toEqual([]);
  });

  it('tells added, modified and deleted paths, with their bytes, in order', async () => {
    const { files, change } = await start({ keep: 'k', edit: 'old', gone: 'g', same: '12' });
    const found = [
      file('new/file', 'n'),
      file('edit', 'new'),
      ...files.filter(({ path }) => ['keep'].includes(path)),
      file('same', '21'),
    ];
    const result = await change(found);
    expect(summary(result)).toEqual(['modified edit', 'deleted gone', 'added new/file', 'modified same']);
    expect(result[0]).toMatchObject({ before: file('edit', 'old'), after: file('edit', 'new') });
    expect(result[1]?.before?.bytes.toString()).toBe('g');
    expect(result[1]).not.toHaveProperty('after');
    expect(result[2]).not.toHaveProperty('before');
  });

  it('sees a changed mode and a file turned into a link', async () => {
    const { change } = await start({ run: 'x', other: 'y' });
    expect(summary(await change([file('run', 'x', '100755'), file('other', 'y', '120000')]))).toEqual([
      'modified other',
      'modified run',
    ]);
  });

  it('never takes a refused path, or what lies below one, for a deletion', async () => {
    const { change } = await start({ 'dir/a': '1', b: '2', c: '3' });
    expect(summary(await change([], ['dir', 'b']))).toEqual(['deleted c']);
  });

  it('leaves out what the base ignores, but not what it tracks in spite of its rules', async () => {
    const { change } = await start({ '.gitignore': '*.log\nout/\n', 'kept.log': '1', 'out/kept': '1' });
    const found = [
      file('.gitignore', ''),
      file('kept.log', '2'),
      file('out/kept', '2'),
      file('new.log', 'x'),
      file('out/new', 'x'),
      file('src/a.ts', ''),
    ];
    // The sandbox emptied .gitignore: the base's rules hold all the same.
    expect(summary(await change(found))).toEqual([
      'modified .gitignore',
      'modified kept.log',
      'modified out/kept',
      'added src/a.ts',
    ]);
  });

  it('leaves submodules and what lies below them alone', async () => {
    const workspace = repositoryWith({ a: '1' });
    git(workspace, 'update-index', '--add', '--cacheinfo', `160000,${'2'.repeat(40)},vendor/lib`);
    git(workspace, 'commit', '--quiet', '--message=submodule');
    const { repository, change } = await openBench(workspace);
    const result = await change([
      file('a', '2'),
      file('vendor/lib/x.c', 'planted'),
      file('vendor/lib', 'file instead'),
    ]);
    expect(summary(result)).toEqual(['modified a']);
    const commit = await commitChange({ repository, parent: head(workspace), change: result, message: 'm' });
    expect((await readTree(repository, commit.sha)).submodules).toHaveLength(1);
  });
});

describe('commitChange', () => {
  it('stores every name, mode and byte of the change, in SHA-1 and SHA-256', async () => {
    for (const format of ['sha1', 'sha256']) {
      const { workspace, repository, change } = await start(
        { gone: '', dir: 'file', 'was/folder': '' },
        `--object-format=${format}`,
      );
      const found = [
        ...ODD_NAMES.filter(name => !name.includes('\\')).map((name, index) => file(name, `${index}\r\n`)),
        file('empty', ''),
        file('binary', Buffer.from([0, 1, 255, 10])),
        file('run', '#!/bin/sh\n', '100755'),
        file('link', 'run', '120000'),
        file('dir/now/folder', 'x'),
        file('was', 'a file now'),
      ];
      const commit = await commitChange({
        repository,
        parent: head(workspace),
        change: await change(found),
        message: 'Subject\n\nBody',
      });
      const tree = await readTree(repository, commit.sha);
      const stored = await collect(readFiles(repository, tree.entries));
      const sorted = found.toSorted((one, other) => (one.path < other.path ? -1 : 1));
      expect(stored).toEqual(sorted);
    }
  });

  it('is made by the Actions bot on the parent, with the message as given', async () => {
    const { workspace, repository, change } = await start({ a: '1' });
    const message = 'Add b\n\nCo-authored-by: ada <1+ada@users.noreply.github.com>\n';
    const commit = await commitChange({
      repository,
      parent: head(workspace),
      change: await change([file('a', '2')]),
      message: `${message}\0`,
    });
    const shown = (await repository.git(['cat-file', 'commit', commit.sha])).stdout.toString();
    expect(shown).toContain(
      `tree ${commit.tree}\nparent ${head(workspace)}\nauthor ${ACTIONS_BOT.name} <${ACTIONS_BOT.email}> `,
    );
    expect(shown).toContain(`committer ${ACTIONS_BOT.name} `);
    expect(shown.split('\n\n').slice(1).join('\n\n')).toBe(message);
  });

  it('writes nothing into the checkout', async () => {
    const { workspace, repository, change } = await start({ a: '1' });
    const before = git(workspace, 'count-objects', '-v');
    await commitChange({
      repository,
      parent: head(workspace),
      change: await change([file('a', '2')]),
      message: 'm',
    });
    expect(git(workspace, 'count-objects', '-v')).toBe(before);
    expect(git(workspace, 'status', '--porcelain')).toBe('');
  });

  it('stores hundreds of files at once', async () => {
    const { workspace, repository, change, files } = await start({ a: '1' });
    const many = Array.from({ length: 400 }, (_, index) => file(`many/${index}`, `content ${index}`));
    const commit = await commitChange({
      repository,
      parent: head(workspace),
      change: await change([...files, ...many]),
      message: 'm',
    });
    expect((await readTree(repository, commit.sha)).entries).toHaveLength(401);
  });

  it.each(['.git/hooks/post-commit', '.GIT/config', 'a/git~1/x', '../up'])(
    'fails for the path %s',
    async path => {
      const { workspace, repository } = await start({ a: '1' });
      const change = [{ path, status: 'added' as const, after: file(path, 'x') }];
      await expect(
        commitChange({ repository, parent: head(workspace), change, message: 'm' }),
      ).rejects.toThrow();
    },
  );
});

describe('openIgnoreRules', () => {
  it('prunes ignored folders, and never one that holds a tracked file', async () => {
    const { ignore } = await start({
      '.gitignore': 'node_modules/\nfold/*\n!fold/keep\n/out\n',
      'out/tracked': '',
      'sub/.gitignore': 'tmp/\n',
    });
    const asked = [
      'node_modules',
      'sub/node_modules',
      'fold',
      'fold/keep',
      'fold/x',
      'out',
      'sub/tmp',
      'tmp',
      'src',
    ];
    expect([...(await ignore.ignoredFolders(asked))].sort()).toEqual([
      'fold/x',
      'node_modules',
      'sub/node_modules',
      'sub/tmp',
    ]);
  });

  it('judges files, odd names included', async () => {
    const { ignore } = await start({ '.gitignore': '*.log\n' });
    const odd = ODD_NAMES.map(name => `${name}.log`);
    expect([...(await ignore.ignoredPaths([...odd, ...ODD_NAMES]))].sort()).toEqual(odd.toSorted());
  });

  it('is not led astray by names that leave the folder or mean git itself', async () => {
    const { repository, ignore } = await start({ '.gitignore': '*\n' });
    const hostile = [
      '../escape',
      '/absolute',
      'a/../../b',
      '',
      '.',
      '.git',
      'a/.git/hooks',
      'x\0y',
      '.gitignore/below',
    ];
    await ignore.ignoredFolders(hostile);
    expect(existsSync(join(repository.folder, 'escape'))).toBe(false);
    expect([...(await ignore.ignoredFolders(['fine', '../escape']))]).toEqual(['fine']);
  });

  it('does not follow a rule file that is a link', async () => {
    const workspace = repositoryWith({ rules: '*.log\n' });
    symlinkSync('rules', join(workspace, '.gitignore'));
    git(workspace, 'add', '--all');
    git(workspace, 'commit', '--quiet', '--message=link');
    const { ignore } = await openBench(workspace);
    expect((await ignore.ignoredPaths(['a.log'])).size).toBe(0);
  });
});

describe('patchOf and diffStat', () => {
  it('make a patch that git applies, and facts that agree with it', async () => {
    const { workspace, repository, change } = await start({
      'a.txt': 'one\ntwo\n',
      'gone.txt': 'x\n',
      image: Buffer.from([0, 1, 2]),
      run: 'r\n',
      'tab\tname': 'q\n',
    });
    const found = [
      file('a.txt', 'one\n2\n3\n'),
      file('image', Buffer.from([0, 9, 9, 9])),
      file('new "file"', 'n'),
      file('run', 'r\n', '100755'),
      file('tab\tname', 'p\n'),
    ];
    const parent = head(workspace);
    const { sha, tree } = await commitChange({
      repository,
      parent,
      change: await change(found),
      message: 'm',
    });
    expect(await diffStat(repository, parent, sha)).toEqual([
      { path: 'a.txt', status: 'modified', added: 2, removed: 1 },
      { path: 'gone.txt', status: 'deleted', added: 0, removed: 1 },
      { path: 'image', status: 'modified', added: undefined, removed: undefined },
      { path: 'new "file"', status: 'added', added: 1, removed: 0 },
      { path: 'run', status: 'modified', added: 0, removed: 0 },
      { path: 'tab\tname', status: 'modified', added: 1, removed: 1 },
    ]);
    const patch = join(temporaryFolder(), 'change.patch');
    writeFileSync(patch, await patchOf(repository, parent, sha));
    git(workspace, 'apply', '--index', patch);
    expect(git(workspace, 'write-tree')).toBe(tree);
  });

  it('are empty for equal commits', async () => {
    const { workspace, repository } = await start({ a: '' });
    expect(await diffStat(repository, head(workspace), head(workspace))).toEqual([]);
    expect(await patchOf(repository, head(workspace), head(workspace))).toHaveLength(0);
  });
});

describe('a hostile checkout', () => {
  it('runs none of its hooks, monitors, filters or commands, and lends none of its settings', async () => {
    const workspace = repositoryWith({
      '.gitattributes': '* filter=evil diff=evil\n',
      a: 'one\n',
      'src/b': 'two\n',
    });
    const marker = join(temporaryFolder(), 'marker');
    const script = join(workspace, '.git/evil.sh');
    write(workspace, { '.git/evil.sh': `#!/bin/sh\ntouch ${marker}\ncat\n` });
    chmodSync(script, 0o755);
    for (const hook of [
      'post-commit',
      'pre-push',
      'post-index-change',
      'reference-transaction',
      'post-checkout',
      'pre-commit',
    ]) {
      write(workspace, { [`.git/hooks/${hook}`]: `#!/bin/sh\ntouch ${marker}\n` });
      chmodSync(join(workspace, '.git/hooks', hook), 0o755);
    }
    const commands = [
      'core.fsmonitor',
      'filter.evil.clean',
      'filter.evil.smudge',
      'filter.evil.process',
      'diff.evil.textconv',
      'diff.evil.command',
      'diff.external',
      'core.sshCommand',
      'core.alternateRefsCommand',
      'gpg.program',
      'credential.helper',
      'uploadpack.packObjectsHook',
    ];
    const config = commands.map(key => {
      const [section, ...rest] = key.split('.');
      const name = rest.pop();
      return `[${section}${rest.length > 0 ? ` "${rest.join('.')}"` : ''}]\n\t${name} = ${script}\n`;
    });
    write(workspace, {
      '.git/config': `[core]\n\trepositoryformatversion = 0\n\tworktree = /\n${config.join('')}[commit]\n\tgpgSign = true\n`,
    });
    write(workspace, { '.git/info/attributes': '* filter=evil diff=evil\n' });
    const commitId = (await open(workspace)).head ?? '';

    const repository = await open(workspace);
    const base = await readTree(repository, commitId);
    const ignore = await openIgnoreRules(repository, base);
    await collect(readFiles(repository, base.entries));
    const change = await computeChange({
      repository,
      base,
      ignore,
      files: [file('a', 'changed\n'), file('.git/config', 'x')],
      kept: ['.git'],
    });
    const commit = await commitChange({ repository, parent: commitId, change, message: 'm' });
    await patchOf(repository, commitId, commit.sha);
    expect(summary(change)).toEqual(['deleted .gitattributes', 'modified a', 'deleted src/b']);
    expect(existsSync(marker)).toBe(false);
    // The traps are live: git itself, told to work there, springs one.
    spawnSync('git', ['-c', 'core.worktree=..', 'status'], { cwd: join(workspace, 'src'), timeout: 10_000 });
    expect(existsSync(marker)).toBe(true);
  });
});
