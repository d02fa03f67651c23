import { UserError } from '../errors.ts';
import type { FileMode } from '../types.ts';
import { howItEnded, succeeded } from './git.ts';
import { assertObjectId } from './object-id.ts';
import type { Repository } from './repository.ts';

export interface TreeEntry {
  readonly path: string;
  readonly mode: FileMode;
  readonly oid: string;
  /** Undefined when the object is missing, as in a partial clone. */
  readonly sizeBytes: number | undefined;
}

/** All files of one commit. */
export interface Tree {
  readonly commit: string;
  /** Sorted by path. */
  readonly entries: readonly TreeEntry[];
  readonly submodules: readonly { readonly path: string; readonly oid: string }[];
  /** Paths that are not UTF-8, approximated. They stay in the commit as they are, and never enter the sandbox. */
  readonly unreadable: readonly string[];
}

/** Reads the file list of a commit. Throws a UserError when its folders are missing, as in a treeless clone. */
export async function readTree(repository: Repository, commit: string): Promise<Tree> {
  assertObjectId(commit);
  const result = await repository.git(['ls-tree', '-r', '-l', '-z', '--full-tree', commit], {
    maxOutputBytes: 512 * 1024 * 1024,
  });
  if (!succeeded(result)) {
    throw new UserError(
      `The files of commit ${commit} can not be listed: git ls-tree ${howItEnded(result)}`,
      PARTIAL_CLONE_CURE,
    );
  }
  const rows = splitAtNul(result.stdout).map(parseRow);
  return {
    commit,
    entries: rows.flatMap(row => (row.kind === 'file' ? [row.entry] : [])).sort(byPath),
    submodules: rows.flatMap(row => (row.kind === 'submodule' ? [row.submodule] : [])),
    unreadable: rows.flatMap(row => (row.kind === 'unreadable' ? [row.path] : [])),
  };
}

export const PARTIAL_CLONE_CURE =
  'The checkout holds only a part of the repository. Remove `filter:` and `sparse-checkout:` from the actions/checkout step.';

export const byPath = (one: { readonly path: string }, other: { readonly path: string }): number =>
  one.path < other.path ? -1 : Number(one.path > other.path);

/** The fields of a `-z` output, as bytes. */
export function splitAtNul(bytes: Buffer): Buffer[] {
  const fields: Buffer[] = [];
  for (let start = 0; start < bytes.length; ) {
    const end = bytes.indexOf(0, start);
    fields.push(bytes.subarray(start, end < 0 ? bytes.length : end));
    start = end < 0 ? bytes.length : end + 1;
  }
  return fields;
}

type Row =
  | { readonly kind: 'file'; readonly entry: TreeEntry }
  | { readonly kind: 'submodule'; readonly submodule: { readonly path: string; readonly oid: string } }
  | { readonly kind: 'unreadable'; readonly path: string };

function parseRow(row: Buffer): Row {
  const tab = row.indexOf(0x09);
  const [mode = '', , oid = '', size = ''] = row.subarray(0, tab).toString('latin1').split(/ +/);
  const name = row.subarray(tab + 1);
  const path = name.toString('utf8');
  if (!Buffer.from(path).equals(name)) return { kind: 'unreadable', path };
  if (mode === '160000') return { kind: 'submodule', submodule: { path, oid } };
  return {
    kind: 'file',
    entry: { path, mode: fileMode(mode), oid, sizeBytes: /^\d+$/.test(size) ? Number(size) : undefined },
  };
}

// Old commits hold modes such as 100664; git itself reads them so.
function fileMode(mode: string): FileMode {
  if (mode === '120000') return '120000';
  return Number.parseInt(mode, 8) & 0o100 ? '100755' : '100644';
}
