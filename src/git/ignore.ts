import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { UserError } from '../errors.ts';
import { readFiles } from './blobs.ts';
import { howItEnded } from './git.ts';
import type { Repository } from './repository.ts';
import { splitAtNul, type Tree } from './tree.ts';

/** The ignore rules of one commit, applied on the host. Whatever the commit tracks is never ignored. */
export interface IgnoreRules {
  /** Of these folders (relative, `/`), those that are ignored and hold nothing that is tracked. */
  readonly ignoredFolders: (folders: readonly string[]) => Promise<ReadonlySet<string>>;
  /** Of these files, those that are ignored. */
  readonly ignoredPaths: (paths: readonly string[]) => Promise<ReadonlySet<string>>;
}

/**
 * Writes the commit's own `.gitignore` files, and nothing else, into a scratch folder of ours and lets git judge names there: no rule that
 * the sandbox wrote is ever read, and neither is its tree.
 */
export async function openIgnoreRules(repository: Repository, tree: Tree): Promise<IgnoreRules> {
  const scratch = await mkdtemp(join(repository.folder, 'ignore-'));
  await writeRules(repository, tree, scratch);
  const tracked = trackedPaths(tree);
  const check = async (paths: readonly string[]) => {
    const asked = paths.filter(path => isPlainPath(path) && !tracked.has(path));
    return asked.length === 0 ? new Set<string>() : checkIgnore(repository, scratch, asked);
  };
  return {
    ignoredPaths: check,
    async ignoredFolders(folders) {
      // A rule such as `build/` matches folders alone, so git has to see one there.
      await Promise.all(folders.filter(isPlainPath).map(folder => makeFolder(join(scratch, folder))));
      return check(folders);
    },
  };
}

async function writeRules(repository: Repository, tree: Tree, scratch: string): Promise<void> {
  const rules = tree.entries.filter(
    entry => entry.mode !== '120000' && /(^|\/)\.gitignore$/.test(entry.path) && isPlainPath(entry.path),
  );
  for await (const { path, bytes } of readFiles(repository, rules)) {
    await mkdir(dirname(join(scratch, path)), { recursive: true });
    await writeFile(join(scratch, path), bytes, { flag: 'wx' });
  }
}

/** Every tracked file, and every folder above one. */
function trackedPaths(tree: Tree): ReadonlySet<string> {
  const all = new Set<string>();
  for (const { path } of [...tree.entries, ...tree.submodules]) {
    for (let end = path.length; end > 0 && !all.has(path.slice(0, end)); end = path.lastIndexOf('/', end - 1))
      all.add(path.slice(0, end));
  }
  return all;
}

/** Relative, without empty, dot or `.git` parts: what can stand in the scratch folder without leaving or confusing it. */
const isPlainPath = (path: string): boolean =>
  !path.includes('\0') && path.split('/').every(part => part !== '' && !/^(?:\.{1,2}|\.git)$/i.test(part));

async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { recursive: true });
  } catch (error) {
    // A name that a rule file of the commit already has: it is then a file for us, and no folder rule matches it.
    if (!['EEXIST', 'ENOTDIR', 'ENAMETOOLONG'].includes((error as NodeJS.ErrnoException).code ?? ''))
      throw error;
  }
}

async function checkIgnore(repository: Repository, scratch: string, paths: readonly string[]) {
  const result = await repository.git(['check-ignore', '--no-index', '-z', '--stdin'], {
    // The prefix keeps a name that begins with `:` from being read as pathspec magic.
    stdin: paths.map(path => `./${path}\0`).join(''),
    cwd: scratch,
    env: { GIT_WORK_TREE: scratch },
  });
  // 1 means that none is ignored.
  if (result.exit.kind !== 'code' || result.exit.code > 1 || result.truncated) {
    throw new UserError(
      `The ignore rules of the repository could not be applied: git check-ignore ${howItEnded(result)}`,
      'Check the .gitignore files of the base commit.',
    );
  }
  return new Set(splitAtNul(result.stdout).map(field => field.toString('utf8').slice('./'.length)));
}
