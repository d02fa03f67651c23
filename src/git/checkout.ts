import { lstat, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { UserError } from '../errors.ts';
import { isObjectId } from './object-id.ts';

/** What we take from the runner's checkout: where its objects are, and what its references name. */
export interface Checkout {
  readonly objectsFolder: string;
  /** The commit that is checked out; undefined on a branch without commits. */
  readonly head: string | undefined;
  /** Text of `.git/shallow`, when history was cut off. */
  readonly shallow: string | undefined;
  /** `refs/tags/…` → object name. */
  readonly tags: ReadonlyMap<string, string>;
}

/**
 * Reads the checkout at `workspace`; undefined when it is none. Only files are read and no git is started, so that nothing that the
 * checkout configures can run. Throws a UserError for a layout whose objects lie somewhere else.
 */
export async function readCheckout(workspace: string): Promise<Checkout | undefined> {
  const gitFolder = join(workspace, '.git');
  const kind = await kindOf(gitFolder);
  if (kind === 'absent') return undefined;
  await assertPlainLayout(gitFolder, kind);
  const packed = parsePackedRefs((await readPlain(join(gitFolder, 'packed-refs'))) ?? '');
  return {
    objectsFolder: join(gitFolder, 'objects'),
    head: await resolveHead(gitFolder, packed),
    shallow: await readPlain(join(gitFolder, 'shallow')),
    tags: await readTags(gitFolder, packed),
  };
}

const CURE = 'Check the repository out with actions/checkout into the workspace, before this action.';

async function assertPlainLayout(gitFolder: string, kind: Kind): Promise<void> {
  const refuse = (what: string) => {
    throw new UserError(`The checkout can not be used: ${what}.`, CURE);
  };
  if (kind === 'link') refuse('its .git is a symbolic link');
  if (kind !== 'folder') refuse('its .git is a file, as in a linked worktree or a submodule');
  if ((await kindOf(join(gitFolder, 'commondir'))) !== 'absent') refuse('it is a linked worktree');
  if ((await kindOf(join(gitFolder, 'objects'))) !== 'folder') refuse('its .git has no objects folder');
  if ((await kindOf(join(gitFolder, 'reftable'))) !== 'absent') refuse('it stores references as a reftable');
  if ((await kindOf(join(gitFolder, 'objects/info/alternates'))) !== 'absent') {
    refuse('it borrows objects from another repository (git clone --shared or --reference)');
  }
}

type Kind = 'absent' | 'file' | 'folder' | 'link' | 'other';

async function kindOf(path: string): Promise<Kind> {
  const stat = await lstat(path).catch(absentAsUndefined);
  if (!stat) return 'absent';
  if (stat.isSymbolicLink()) return 'link';
  if (stat.isDirectory()) return 'folder';
  return stat.isFile() ? 'file' : 'other';
}

function absentAsUndefined(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') throw error;
  return undefined;
}

/** Text of a regular file; links, pipes and devices count as absent, since reading them could hang or leave the folder. */
const readPlain = async (path: string): Promise<string | undefined> =>
  (await kindOf(path)) === 'file' ? await readFile(path, 'utf8') : undefined;

async function resolveHead(gitFolder: string, packed: ReadonlyMap<string, string>) {
  let text = (await readPlain(join(gitFolder, 'HEAD')))?.trim() ?? '';
  for (let depth = 0; depth < 5 && text.startsWith('ref:'); depth++) {
    const name = text.slice('ref:'.length).trim();
    if (!isReferenceName(name)) return undefined;
    text = (await readPlain(join(gitFolder, name)))?.trim() ?? packed.get(name) ?? '';
  }
  return isObjectId(text) ? text : undefined;
}

const isReferenceName = (name: string): boolean =>
  /^refs\/[^\0-\x20\x7f~^:?*[\\]+$/.test(name) && !/(^|\/)\.|\.\.|\/\/|\/$|\.lock(\/|$)/.test(name);

const parsePackedRefs = (text: string): ReadonlyMap<string, string> =>
  new Map(
    text
      .split('\n')
      .map(line => /^([0-9a-f]{40,64}) (\S+)$/.exec(line))
      .flatMap(match =>
        match?.[1] && match[2] && isObjectId(match[1]) ? [[match[2], match[1]] as const] : [],
      ),
  );

async function readTags(gitFolder: string, packed: ReadonlyMap<string, string>) {
  const tags = new Map(
    [...packed].filter(([name]) => name.startsWith('refs/tags/') && isReferenceName(name)),
  );
  for (const name of await filesBelow(gitFolder, 'refs/tags')) {
    const id = (await readPlain(join(gitFolder, name)))?.trim() ?? '';
    if (isReferenceName(name) && isObjectId(id)) tags.set(name, id);
  }
  return tags;
}

async function filesBelow(gitFolder: string, folder: string): Promise<string[]> {
  if ((await kindOf(join(gitFolder, folder))) !== 'folder') return [];
  const entries = await readdir(join(gitFolder, folder), { withFileTypes: true });
  const found = entries.map(entry => {
    const name = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return filesBelow(gitFolder, name);
    return entry.isFile() ? [name] : [];
  });
  return (await Promise.all(found)).flat();
}
