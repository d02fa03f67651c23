import { UserError } from '../errors.ts';
import type { BaseFiles } from '../types.ts';
import { cleanLine, cutEnd } from './clean-text.ts';

const MAX_NAMED = 5;

/**
 * The user's `working-directory` without `./` and a slash at its end; undefined for the root. Throws a `UserError` for one
 * that leads out of the repository or is not a folder of the commit.
 */
export function checkFolder(files: BaseFiles, given: string | undefined): string | undefined {
  const folder = (given ?? '')
    .trim()
    .replace(/^(\.\/+)+/, '')
    .replace(/\/+$/, '');
  const refuse = (why: string): UserError => {
    const shown = cutEnd(cleanLine(given ?? ''), 200);
    return new UserError(`The working directory ${JSON.stringify(shown)} ${why}.`, cure(files, folder));
  };
  if (given?.trim().startsWith('/'))
    throw refuse('is absolute, but tests run in a copy of the repository that lies elsewhere');
  if (folder === '' || folder === '.') return undefined;
  const parts = folder.split('/');
  if (parts.includes('..')) throw refuse('has a `..` in it, so that it may lead out of the repository');
  if (/[\u0000-\u001f\u007f\\]/.test(folder)) throw refuse('has a backslash or a control character in it');
  if (parts.some(part => part === '' || part === '.')) throw refuse('has an empty part in it');
  if (files.paths.includes(folder)) throw refuse('is a file, not a folder');
  if (!files.paths.some(path => path.startsWith(`${folder}/`)))
    throw refuse('is not in the commit that is worked on');
  return folder;
}

/** Folders below the root with a manifest, shortest paths first, at most five. */
export const manifestFolders = (files: BaseFiles): string[] => allManifestFolders(files).slice(0, MAX_NAMED);

function allManifestFolders(files: BaseFiles): string[] {
  const folders = files.paths.flatMap(path => (isManifest(path) ? path.slice(0, path.lastIndexOf('/')) : []));
  const depth = (folder: string) => folder.split('/').length;
  return [...new Set(folders)].sort((a, b) => depth(a) - depth(b) || (a < b ? -1 : 1));
}

const isManifest = (path: string): boolean =>
  /\/(package\.json|pyproject\.toml|setup\.py|requirements\.txt)$/.test(path) &&
  !/(^|\/)(node_modules|vendor|fixtures?|__fixtures__|testdata|samples|templates?|\.[^/]+)\//.test(path);

function cure(files: BaseFiles, wanted: string): string {
  const what =
    'Set `working-directory` to a folder of the repository, relative to its root (such as `packages/app`)';
  const folders = allManifestFolders(files);
  const last = wanted.slice(wanted.lastIndexOf('/') + 1).toLowerCase();
  const isClose = (folder: string) =>
    last !== '' &&
    folder
      .toLowerCase()
      .split('/')
      .some(part => isLike(part, last));
  const close = folders.filter(isClose).slice(0, MAX_NAMED);
  const named = (close.length > 0 ? close : folders.slice(0, MAX_NAMED))
    .map(folder => `\`${folder}\``)
    .join(', ');
  if (close.length > 0) return `${what}. Did you mean ${named}?`;
  return named ? `${what}. Folders with a project of their own: ${named}.` : `${what}, or leave it out.`;
}

/** Equal but for a few letters at either end, or one in the middle. */
function isLike(name: string, wanted: string): boolean {
  if (name.includes(wanted) || (name.length > 2 && wanted.includes(name))) return true;
  let start = 0;
  while (start < name.length && name[start] === wanted[start]) start++;
  let end = 0;
  while (
    end < name.length - start &&
    end < wanted.length - start &&
    name.at(-1 - end) === wanted.at(-1 - end)
  )
    end++;
  return Math.max(name.length, wanted.length) - start - end <= 2 && start + end >= 2;
}
