import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { UserError } from '../errors.ts';
import { type Checkout, readCheckout } from './checkout.ts';
import { createGit, type Git, type GitHost, gitOutput } from './git.ts';
import { assertObjectId, formatOf, type ObjectFormat } from './object-id.ts';

/** A bare repository that we wrote: no remote, hook, filter or setting of anyone else, and the checkout's objects to read from. */
export interface Repository {
  readonly git: Git;
  /** Ours alone; index files and scratch folders lie here. */
  readonly folder: string;
  readonly gitDir: string;
  readonly objectFormat: ObjectFormat;
  /** The commit that is checked out in the workspace; undefined when there is no checkout. */
  readonly head: string | undefined;
  /** True when a shallow fetch loses nothing: history is cut off already, or there is none. */
  readonly isShallow: boolean;
  /** Proxy and certificate variables, for the children that use the network. */
  readonly networkEnv: Readonly<Record<string, string>>;
}

export interface OpenRepositoryOptions extends GitHost {
  readonly workspace: string;
  /** An existing folder that only we can write to, outside the workspace. */
  readonly folder: string;
  /** Default SHA-1 without a checkout; with one, its own. */
  readonly objectFormat?: ObjectFormat;
  readonly networkEnv?: Readonly<Record<string, string>>;
}

/** Opens a trusted repository on the checkout's objects; an empty one where the workspace is no checkout. Throws a UserError for layouts that can not be trusted. */
export async function openRepository(options: OpenRepositoryOptions): Promise<Repository> {
  const checkout = await readCheckout(resolve(options.workspace));
  const gitDir = join(options.folder, 'repo.git');
  const objectFormat = checkout?.head ? formatOf(checkout.head) : (options.objectFormat ?? 'sha1');
  await gitOutput(createGit(options), [
    'init',
    '--quiet',
    '--bare',
    '--template=',
    `--object-format=${objectFormat}`,
    gitDir,
  ]);
  if (checkout) await borrow(checkout, gitDir);
  return {
    git: createGit(options, gitDir),
    folder: options.folder,
    gitDir,
    objectFormat,
    head: checkout?.head,
    isShallow: !checkout?.head || checkout.shallow !== undefined,
    networkEnv: options.networkEnv ?? {},
  };
}

/** True when the commit itself is here; its files may still be missing from a partial clone. */
export async function hasCommit(repository: Repository, commit: string): Promise<boolean> {
  assertObjectId(commit);
  const { exit } = await repository.git(['cat-file', '-e', `${commit}^{commit}`]);
  return exit.kind === 'code' && exit.code === 0;
}

/** The tag that `git describe` would name for the commit; undefined without tags or without the history that leads to one. */
export async function nearestTag(repository: Repository, commit: string): Promise<string | undefined> {
  assertObjectId(commit);
  const { exit, stdout } = await repository.git(['describe', '--tags', '--abbrev=0', commit]);
  return exit.kind === 'code' && exit.code === 0 ? stdout.toString('utf8').trim() : undefined;
}

async function borrow(checkout: Checkout, gitDir: string): Promise<void> {
  if (/[\n\r]/.test(checkout.objectsFolder)) {
    throw new UserError(
      'The path of the workspace contains a line break.',
      'Check out into a folder with an ordinary name.',
    );
  }
  await mkdir(join(gitDir, 'objects/info'), { recursive: true });
  await writeFile(join(gitDir, 'objects/info/alternates'), `${checkout.objectsFolder}\n`);
  // References are what fetch and push tell the server that we have: without them each would move the whole history.
  const head = checkout.head ? [['refs/redgreen/head', checkout.head] as const] : [];
  const lines = [...head, ...checkout.tags].map(([name, id]) => `${id} ${name}\n`);
  await writeFile(join(gitDir, 'packed-refs'), lines.join(''));
  if (checkout.shallow !== undefined) await writeFile(join(gitDir, 'shallow'), checkout.shallow);
}
