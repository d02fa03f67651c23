import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { FileChange } from '../types.ts';
import type { Change } from './change.ts';
import { type GitOptions, gitOutput } from './git.ts';
import { assertObjectId, blobId, zeroId } from './object-id.ts';
import type { Repository } from './repository.ts';
import { splitAtNul } from './tree.ts';

export interface Author {
  readonly name: string;
  readonly email: string;
}

/** The account behind GITHUB_TOKEN: GitHub shows its picture and name. */
export const ACTIONS_BOT: Author = {
  name: 'github-actions[bot]',
  email: '41898282+github-actions[bot]@users.noreply.github.com',
};

export interface CommitInput {
  readonly repository: Repository;
  readonly parent: string;
  readonly change: Change;
  /** Complete, with trailers such as `Co-authored-by`. */
  readonly message: string;
  /** Default the Actions bot. */
  readonly author?: Author;
}

export interface Commit {
  readonly sha: string;
  readonly tree: string;
}

/**
 * Turns a change into a commit on `parent` with plumbing alone: bytes go in as they are, no path is ever opened. Moves no branch.
 * Throws when the commit would differ from the change in any path.
 */
export async function commitChange(input: CommitInput): Promise<Commit> {
  const { repository, parent, change } = input;
  assertObjectId(parent);
  const text = (args: readonly string[], options?: GitOptions) =>
    gitOutput(repository.git, args, options).then(bytes => bytes.toString('utf8').trim());
  const folder = await mkdtemp(join(repository.folder, 'index-'));
  try {
    const env = { GIT_INDEX_FILE: join(folder, 'index') };
    await writeBlobs(repository, change);
    await text(['read-tree', parent], { env });
    await text(['update-index', '-z', '--index-info'], { env, stdin: indexInfo(repository, change) });
    const tree = await text(['write-tree'], { env });
    const sha = await text(['commit-tree', tree, '-p', parent, '-F', '-'], {
      env: identity(input.author ?? ACTIONS_BOT),
      stdin: input.message.replaceAll('\0', ''),
    });
    await assertSamePaths(repository, parent, sha, change);
    return { sha, tree };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * All new blobs in one process. `hash-object --stdin-paths` would open paths and `--stdin` takes one blob a process; fast-import takes any
 * number from its input, runs no filter or hook, and moves no reference when it is given none.
 */
async function writeBlobs(repository: Repository, change: Change): Promise<void> {
  const blobs = change.flatMap(({ after }) => (after ? [after.bytes] : []));
  if (blobs.length === 0) return;
  const written = await gitOutput(repository.git, ['fast-import', '--quiet', '--done'], {
    stdin: Readable.from(importStream(blobs)),
  });
  const expected = blobs.map(bytes => `${blobId(repository.objectFormat, bytes)}\n`).join('');
  if (written.toString('latin1') !== expected) throw new Error('git stored other bytes than it was given');
}

function* importStream(blobs: readonly Buffer[]): Generator<Buffer> {
  for (const [index, bytes] of blobs.entries()) {
    yield Buffer.from(`blob\nmark :${index + 1}\ndata ${bytes.length}\n`);
    if (bytes.length > 0) yield bytes;
    yield Buffer.from(`\nget-mark :${index + 1}\n`);
  }
  yield Buffer.from('done\n');
}

/** Deletions first, so that a folder may take the place of a file. */
function indexInfo(repository: Repository, change: Change): string {
  const line = ({ path, after }: FileChange) =>
    after
      ? `${after.mode} ${blobId(repository.objectFormat, after.bytes)}\t${path}\0`
      : `0 ${zeroId(repository.objectFormat)}\t${path}\0`;
  return [...change.filter(({ after }) => !after), ...change.filter(({ after }) => after)].map(line).join('');
}

const identity = ({ name, email }: Author) => ({
  GIT_AUTHOR_NAME: name,
  GIT_AUTHOR_EMAIL: email,
  GIT_COMMITTER_NAME: name,
  GIT_COMMITTER_EMAIL: email,
});

async function assertSamePaths(repository: Repository, parent: string, sha: string, change: Change) {
  const names = await gitOutput(repository.git, [
    'diff-tree',
    '-r',
    '-z',
    '--no-renames',
    '--name-only',
    parent,
    sha,
  ]);
  const committed = splitAtNul(names)
    .map(name => name.toString('utf8'))
    .sort();
  const wanted = change.map(({ path }) => path).sort();
  if (committed.join('\0') !== wanted.join('\0'))
    throw new Error(`the commit holds ${committed.length} changed paths, the change ${wanted.length}`);
}
