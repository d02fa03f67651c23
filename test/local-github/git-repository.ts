/** The git side of a repository: a bare one on disk, asked through git alone. */
import { chmod, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gitEnv, run } from './process.ts';

export type Files = Readonly<Record<string, string | Buffer>>;
/** Null deletes. */
export type FileChanges = Readonly<Record<string, string | Buffer | null>>;

const AUTHOR = {
  GIT_AUTHOR_NAME: 'Sample Author',
  GIT_AUTHOR_EMAIL: 'author@example.com',
  GIT_AUTHOR_DATE: '2026-11-02T09:00:00Z',
  GIT_COMMITTER_NAME: 'Sample Author',
  GIT_COMMITTER_EMAIL: 'author@example.com',
  GIT_COMMITTER_DATE: '2026-11-02T09:00:00Z',
};

/** Runs git in a repository's folder and returns what it printed; throws when it fails. */
export async function git(folder: string, args: readonly string[], input?: string | Buffer): Promise<string> {
  const options = {
    cwd: folder,
    env: { ...gitEnv(folder), ...AUTHOR },
    ...(input !== undefined && { input }),
  };
  const result = await run('git', args, options);
  if (result.code !== 0) throw new Error(`git ${args.join(' ')}: ${result.stderr.trim()}`);
  return result.stdout.toString().trim();
}

/** Creates the bare repository with one commit on `branch`, which holds the files. */
export async function createBareRepository(folder: string, branch: string, files: Files): Promise<void> {
  await initBareRepository(folder, branch);
  await commitFiles(folder, branch, files, 'Initial commit');
}

/** Creates a bare repository with the branches of another one. */
export async function createForkedRepository(folder: string, branch: string, parent: string): Promise<void> {
  await initBareRepository(folder, branch);
  await git(folder, ['fetch', '--quiet', parent, '+refs/heads/*:refs/heads/*']);
}

async function initBareRepository(folder: string, branch: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  await git(folder, ['init', '--quiet', '--bare', `--initial-branch=${branch}`]);
  // Every pushed ref goes through the hook, which decides as GitHub does and words refusals as GitHub does.
  await git(folder, ['config', 'receive.procReceiveRefs', 'refs']);
  await git(folder, ['config', 'uploadpack.allowAnySHA1InWant', 'true']);
  const hook = join(folder, 'hooks', 'proc-receive');
  const script = fileURLToPath(new URL('./proc-receive.ts', import.meta.url));
  await mkdir(join(folder, 'hooks'), { recursive: true });
  await writeFile(
    hook,
    `#!/bin/sh\nexec '${process.execPath}' --disable-warning=ExperimentalWarning '${script}'\n`,
  );
  await chmod(hook, 0o755);
}

/** Adds one commit with these files changed to a branch, a new one beginning at the default branch. A file with `#!` is executable. */
export async function commitFiles(
  folder: string,
  branch: string,
  files: FileChanges,
  message: string,
): Promise<string> {
  const parent = (await readRef(folder, `refs/heads/${branch}`)) ?? (await readRef(folder, 'HEAD'));
  const lines = ['commit refs/heads/'.concat(branch)];
  lines.push('committer Sample Author <author@example.com> 1793610000 +0000');
  lines.push(`data ${Buffer.byteLength(message)}`, message);
  if (parent) lines.push(`from ${parent}`);
  const parts: Buffer[] = [Buffer.from(`${lines.join('\n')}\n`)];
  for (const [path, content] of Object.entries(files)) {
    if (content === null) {
      parts.push(Buffer.from(`D ${path}\n`));
      continue;
    }
    const bytes = Buffer.from(content as string);
    const mode = bytes.subarray(0, 2).toString() === '#!' ? '100755' : '100644';
    parts.push(Buffer.from(`M ${mode} inline ${path}\ndata ${bytes.length}\n`), bytes, Buffer.from('\n'));
  }
  await git(folder, ['fast-import', '--quiet'], Buffer.concat(parts));
  return git(folder, ['rev-parse', `refs/heads/${branch}`]);
}

/** Every file below a folder, for `createBareRepository`. */
export async function readFiles(folder: string): Promise<Files> {
  const files: Record<string, Buffer> = {};
  for (const path of (await readdir(folder, { recursive: true, encoding: 'utf8' })).sort()) {
    const file = join(folder, path);
    if ((await stat(file)).isFile()) files[path] = await readFile(file);
  }
  return files;
}

/** The commit of a ref, or undefined when there is none. */
export async function readRef(folder: string, ref: string): Promise<string | undefined> {
  const result = await run('git', ['rev-parse', '--verify', '--quiet', `${ref}^{commit}`], {
    cwd: folder,
    env: gitEnv(folder),
  });
  return result.code === 0 ? result.stdout.toString().trim() : undefined;
}

/** Refs that begin so, with their commits, sorted. */
export async function listRefs(folder: string, prefix: string): Promise<{ ref: string; sha: string }[]> {
  const output = await git(folder, ['for-each-ref', '--format=%(refname) %(objectname)']);
  return output.split('\n').flatMap(line => {
    const [ref = '', sha = ''] = line.split(' ');
    return ref.startsWith(prefix) ? [{ ref, sha }] : [];
  });
}

/** Whether two commits have an ancestor in common. */
export async function areRelated(folder: string, one: string, other: string): Promise<boolean> {
  return (await run('git', ['merge-base', one, other], { cwd: folder, env: gitEnv(folder) })).code === 0;
}

export interface Comparison {
  readonly commits: number;
  readonly additions: number;
  readonly deletions: number;
  readonly changedFiles: number;
  readonly mergeable: boolean;
}

/** What a pull request from `head` into `base` would change. */
export async function compare(folder: string, base: string, head: string): Promise<Comparison> {
  const commits = Number(await git(folder, ['rev-list', '--count', `${base}..${head}`]));
  const rows = (await git(folder, ['diff', '--numstat', `${base}...${head}`])).split('\n').filter(Boolean);
  const sum = (column: number) =>
    rows.reduce((total, row) => total + (Number(row.split('\t')[column]) || 0), 0);
  const merge = await run('git', ['merge-tree', '--write-tree', base, head], {
    cwd: folder,
    env: gitEnv(folder),
  });
  return {
    commits,
    additions: sum(0),
    deletions: sum(1),
    changedFiles: rows.length,
    mergeable: merge.code === 0,
  };
}

/** A commit that merges `head` into `base`, which no branch points to; undefined when they can not be merged. */
export async function mergeCommit(
  folder: string,
  base: string,
  head: string,
  message: string,
): Promise<string | undefined> {
  const merged = await run('git', ['merge-tree', '--write-tree', base, head], {
    cwd: folder,
    env: gitEnv(folder),
  });
  if (merged.code !== 0) return undefined;
  const tree = merged.stdout.toString().trim();
  return git(folder, ['commit-tree', tree, '-p', base, '-p', head, '-m', message]);
}

/** Merges with a merge commit and moves the base branch. */
export async function merge(folder: string, baseRef: string, head: string, message: string): Promise<string> {
  const base = await git(folder, ['rev-parse', `refs/heads/${baseRef}`]);
  const commit = await mergeCommit(folder, base, head, message);
  if (!commit) throw new Error(`${head} can not be merged into ${baseRef}`);
  await git(folder, ['update-ref', `refs/heads/${baseRef}`, commit, base]);
  return commit;
}
