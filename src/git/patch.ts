import { gitOutput } from './git.ts';
import { assertObjectId } from './object-id.ts';
import type { Repository } from './repository.ts';
import { splitAtNul } from './tree.ts';

/** A patch that `git apply` takes, binary files included. Bytes, since the files need not be UTF-8. */
export function patchOf(repository: Repository, from: string, to: string): Promise<Buffer> {
  return diffTree(repository, ['-p', '--binary', '--full-index', '--no-color'], from, to);
}

export interface DiffRow {
  readonly path: string;
  readonly status: 'added' | 'modified' | 'deleted';
  /** Lines; undefined for a binary file. */
  readonly added: number | undefined;
  readonly removed: number | undefined;
}

/** The facts of the file summary, in the order of paths. A moved file counts as deleted here and added there. */
export async function diffStat(
  repository: Repository,
  from: string,
  to: string,
): Promise<readonly DiffRow[]> {
  const output = await diffTree(repository, ['-z', '--raw', '--numstat'], from, to);
  const fields = splitAtNul(output).map(field => field.toString('utf8'));
  const first = fields.findIndex((field, index) => index % 2 === 0 && !field.startsWith(':'));
  const raw = first < 0 ? [] : fields.slice(0, first);
  const statuses = new Map<string, DiffRow['status']>();
  for (let index = 0; index < raw.length; index += 2)
    statuses.set(raw[index + 1] ?? '', STATUS[raw[index]?.slice(-1) ?? ''] ?? 'modified');
  return fields.slice(raw.length).map(field => parseNumstat(field, statuses));
}

async function diffTree(repository: Repository, format: readonly string[], from: string, to: string) {
  assertObjectId(from);
  assertObjectId(to);
  return gitOutput(
    repository.git,
    ['diff-tree', '-r', ...format, '--no-ext-diff', '--no-textconv', '--no-renames', from, to],
    { maxOutputBytes: 1024 * 1024 * 1024 },
  );
}

const STATUS: Readonly<Record<string, DiffRow['status']>> = { A: 'added', D: 'deleted' };

function parseNumstat(field: string, statuses: ReadonlyMap<string, DiffRow['status']>): DiffRow {
  const [added = '', removed = ''] = field.split('\t', 2);
  const path = field.slice(added.length + removed.length + 2);
  const lines = (text: string) => (text === '-' ? undefined : Number(text));
  return { path, status: statuses.get(path) ?? 'modified', added: lines(added), removed: lines(removed) };
}
