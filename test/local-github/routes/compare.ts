/** What a branch changed since it left another, as a pull request shows it. */
import { userBody } from '../bodies.ts';
import { git, readRef } from '../git-repository.ts';
import { type Answer, type Context, notFound, type Route } from '../rest.ts';
import { fullName, type Repository } from '../state.ts';

export const compareRoutes: readonly Route[] = [
  { method: 'GET', path: '/compare/{range+}', needs: [{ contents: 'read' }], handle: compareRange },
];

const MAX_FILES = 300;

async function compareRange({ repository, params, urls }: Context): Promise<Answer> {
  const [from = '', to = ''] = (params.range ?? '').split('...');
  const [base, head] = [await commitOf(repository, from), await commitOf(repository, to)];
  if (!base || !head) throw notFound();
  const inFolder = (...args: string[]) => git(repository.folder, args);
  const mergeBase = await inFolder('merge-base', base, head).catch(() => {
    throw notFound();
  });
  const [behind = 0, ahead = 0] = (await inFolder('rev-list', '--left-right', '--count', `${base}...${head}`))
    .split('\t')
    .map(Number);
  const url = `${urls.apiUrl}/repos/${fullName(repository)}`;
  const commit = (sha: string) => ({
    sha,
    url: `${url}/commits/${sha}`,
    author: userBody(repository.owner, urls),
  });
  const shas = (await inFolder('rev-list', '--reverse', `${base}..${head}`)).split('\n').filter(Boolean);
  const body = {
    url: `${url}/compare/${params.range}`,
    status: ahead > 0 ? (behind > 0 ? 'diverged' : 'ahead') : behind > 0 ? 'behind' : 'identical',
    ahead_by: ahead,
    behind_by: behind,
    total_commits: ahead,
    base_commit: commit(base),
    merge_base_commit: commit(mergeBase),
    commits: shas.map(commit),
    files: await filesBetween(repository, mergeBase, head),
  };
  return { status: 200, body };
}

/** A branch, a commit, or `owner:branch` of a fork, whose commits lie here too. */
async function commitOf(repository: Repository, name: string): Promise<string | undefined> {
  const [owner, branch] = name.includes(':') ? name.split(':') : [undefined, name];
  const isOwn = owner === undefined || owner.toLowerCase() === repository.owner.login.toLowerCase();
  if (isOwn) return readRef(repository.folder, branch ?? '');
  const pulls = [...repository.issues.values()].flatMap(({ pull }) => pull ?? []);
  return pulls.find(pull => pull.headOwner.login === owner && pull.headRef === branch)?.headSha;
}

const STATUSES: Readonly<Record<string, string>> = {
  A: 'added',
  D: 'removed',
  M: 'modified',
  R: 'renamed',
  T: 'changed',
};

async function filesBetween({ folder }: Repository, base: string, head: string) {
  const output = await git(folder, ['diff', '-z', '--name-status', '--find-renames', base, head]);
  const fields = output.split('\0').filter(Boolean);
  const files: Record<string, unknown>[] = [];
  for (let at = 0; at < fields.length && files.length < MAX_FILES; ) {
    const status = fields[at++]?.[0] ?? '';
    const previous = status === 'R' ? fields[at++] : undefined;
    const filename = fields[at++] ?? '';
    const paths = previous ? [previous, filename] : [filename];
    const patch = await patchOf(folder, base, head, paths);
    const count = (sign: string) => (patch ?? '').split('\n').filter(line => line.startsWith(sign)).length;
    files.push({
      sha:
        (await git(folder, ['rev-parse', '--verify', '--quiet', `${head}:${filename}`]).catch(() => null)) ??
        null,
      filename,
      status: STATUSES[status] ?? 'changed',
      additions: count('+'),
      deletions: count('-'),
      changes: count('+') + count('-'),
      ...(patch !== undefined && { patch }),
      ...(previous && { previous_filename: previous }),
    });
  }
  return files;
}

/** From the first hunk on; undefined for binary files. */
async function patchOf(folder: string, base: string, head: string, paths: readonly string[]) {
  const diff = await git(folder, ['diff', '--find-renames', base, head, '--', ...paths]);
  const start = diff.indexOf('\n@@');
  return start < 0 ? undefined : diff.slice(start + 1);
}
