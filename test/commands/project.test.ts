/** A commit and a sandbox, side by side: what goes in, and what counts as a difference. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openProject, type Project } from '../../src/commands/project.ts';
import { openSandbox } from '../../src/sandbox/open-sandbox.ts';
import type { CopyOutOptions, Sandbox } from '../../src/sandbox/sandbox.ts';
import { file, git, head, open, PATH, repositoryWith, temporaryFolder } from '../git/workbench.ts';
import { IMPLEMENT, UP_TO_RED } from './lines.ts';
import { playStory, type StoryOptions } from './story.ts';

async function projectAt(workspace: string): Promise<Project> {
  return openProject(await open(workspace), head(workspace));
}

async function sandboxWith(project: Project): Promise<Sandbox> {
  const sandbox = await openSandbox({
    kind: 'unsafe-local',
    container: undefined,
    image: undefined,
    runLabel: 'Project-test',
    hostFolder: temporaryFolder(),
    hostPath: PATH,
    dockerHost: undefined,
    note: () => undefined,
  });
  onTestFinished(() => sandbox.dispose());
  await sandbox.copyIn(project.read());
  return sandbox;
}

const shown = async (project: Project, sandbox: Sandbox) => {
  const { change, refused } = await project.difference(sandbox);
  expect(refused).toEqual([]);
  return change.map(({ status, path }) => `${status} ${path}`);
};

describe('a project', () => {
  it('leaves names that can not enter a sandbox in the commit, and takes them for no deletion', async () => {
    const project = await projectAt(repositoryWith({ a: '1', 'Icon\r': 'x', 'b\u001b/c': 'x' }));
    const sandbox = await sandboxWith(project);
    expect(project.unusable).toEqual([
      { path: 'Icon\r', reason: 'control characters in the name' },
      { path: 'b\u001b/c', reason: 'control characters in the name' },
    ]);
    expect(await shown(project, sandbox)).toEqual([]);
    await sandbox.shell({ script: 'rm a; echo new >d' });
    expect(await shown(project, sandbox)).toEqual(['deleted a', 'added d']);
  });

  it('grants what it tracks beside the limits of what a run may add', async () => {
    const workspace = repositoryWith({ 'a/b/one': '1234567890', two: '12345' });
    const project = await projectAt(workspace);
    const sandbox = await sandboxWith(project);
    const asked: CopyOutOptions[] = [];
    const copyOut = (options: CopyOutOptions) => {
      asked.push(options);
      return sandbox.copyOut(options);
    };
    await project.difference({ ...sandbox, copyOut });
    expect(asked).toMatchObject([
      { maxFiles: 100_002, maxFolders: 200_002, maxTotalBytes: 512 * 1024 * 1024 + 15 },
    ]);
  });

  it('shows git neither what lies below ignored folders nor dependencies', async () => {
    const project = await projectAt(repositoryWith({ '.gitignore': 'cache/\n', 'src/a.js': '1' }));
    const sandbox = await sandboxWith(project);
    const made = await sandbox.shell({
      script: `for top in cache/a src/node_modules/b; do
        mkdir -p $top; (cd $top; seq 3000 | sed 's,.*,&/x,' | xargs mkdir -p); echo x >$top/7/x/file; done
        mkdir -p src/new; echo x >src/new/file`,
    });
    expect(made.exit).toEqual({ kind: 'code', code: 0 });
    expect(await shown(project, sandbox)).toEqual(['added src/new/file']);
    const scratch = readdirSync(project.repository.folder).filter(name => name.startsWith('ignore-'));
    const entries = scratch.flatMap(name =>
      readdirSync(join(project.repository.folder, name), { recursive: true, encoding: 'utf8' }),
    );
    expect(entries.sort()).toEqual(['.gitignore', 'cache', 'src', 'src/new']);
  });

  it('reads tracked files in dependency folders and in ignored ones, and nothing else there', async () => {
    const workspace = repositoryWith({
      '.gitignore': 'out/\n',
      'node_modules/mine/index.js': '1',
      'out/kept/a': '1',
      'out/b': '1',
    });
    const project = await projectAt(workspace);
    const sandbox = await sandboxWith(project);
    await sandbox.copyIn(
      ['node_modules/mine/index.js', 'node_modules/mine/more/x.js', 'node_modules/other/deep/y.js']
        .concat(['out/kept/a', 'out/kept/more', 'out/other/z'])
        .map(path => file(path, '2')),
    );
    await sandbox.remove(['out/b']);
    expect(await shown(project, sandbox)).toEqual([
      'modified node_modules/mine/index.js',
      'deleted out/b',
      'modified out/kept/a',
    ]);
  });

  it('does not look into submodules', async () => {
    const workspace = repositoryWith({ a: '1' });
    git(workspace, 'update-index', '--add', '--cacheinfo', `160000,${'2'.repeat(40)},vendor/lib`);
    git(workspace, 'commit', '--quiet', '--message=submodule');
    const project = await projectAt(workspace);
    const sandbox = await sandboxWith(project);
    await sandbox.shell({ script: 'mkdir -p vendor/lib/src; echo x >vendor/lib/src/x; mkfifo vendor/lib/p' });
    expect(await shown(project, sandbox)).toEqual([]);
  });
});

const POINTER = `version https://git-lfs.github.com/spec/v1\noid sha256:${'a'.repeat(64)}\nsize 12345\n`;

/** Warnings of a whole honest run. */
async function warnings(options: StoryOptions): Promise<readonly string[]> {
  const story = await playStory([...UP_TO_RED, ...IMPLEMENT], options);
  expect(story.result).toMatchObject({ outcome: 'proven' });
  return story.events.flatMap(event =>
    event.kind === 'note' && event.level === 'warning' && !event.text.startsWith('unsafe-local')
      ? [event.text]
      : [],
  );
}

describe.concurrent('a run says once', () => {
  it('which names stay outside, the first three and how many more', async () => {
    const files = Object.fromEntries(['Icon\r', 'a\t', 'b\t', 'c\t', 'd\t'].map(name => [name, 'x']));
    expect(await warnings({ files })).toEqual([
      'Not in the sandbox, and not changed by the run: "Icon\\r" (control characters in the name), "a\\t" (control characters in the name), "b\\t" (control characters in the name) and 2 more.',
    ]);
  });

  it('which submodules are empty, unless their files were brought in', async () => {
    const inner = { HEAD: `${'2'.repeat(40)}\n`, 'objects/x': '', 'refs/x': '' };
    const files = Object.fromEntries(
      ['vendor/one', 'vendor/two'].flatMap(path =>
        Object.entries(inner).map(([name, text]) => [`${path}/.git/${name}`, text]),
      ),
    );
    const included = [file('vendor/two/index.js', 'brought')];
    expect(await warnings({ files, settings: { included } })).toEqual([
      expect.stringMatching(/^Files of submodules are not in the sandbox: vendor\/one\. .*`include`/),
    ]);
  });

  it('which files are only pointers of Git LFS, unless they were brought in', async () => {
    const files = { '.gitattributes': '*.bin filter=lfs\n', 'one.bin': POINTER, 'two.bin': POINTER };
    const included = [file('two.bin', 'the real thing'), file('odd\r', 'x')];
    const texts = await warnings({ files, settings: { included } });
    expect(texts).toEqual([
      expect.stringMatching(/^Not in the sandbox.*"odd\\r"/),
      expect.stringMatching(/^Files of Git LFS are only pointers in the sandbox: one\.bin\. .*`include`/),
    ]);
  });
});
