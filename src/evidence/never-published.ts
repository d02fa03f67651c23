/** Folders and files that tools leave behind, whether or not a repository ignores them. Tracked ones are published like any other. */
const FOLDERS = [
  'node_modules',
  '__pycache__',
  '.pytest_cache',
  '.venv',
  'venv',
  '.tox',
  '.nox',
  '.mypy_cache',
  '.ruff_cache',
  '.coverage',
  'coverage',
  '.nyc_output',
  '.hypothesis',
  '.eggs',
  '.cache',
  'target',
];
const FILES =
  /(\.py[cod]|\.egg-link|(^|\/)\.coverage(\..*)?|(^|\/)\.DS_Store|\.redgreen-part|(^|\/)\.env(\.(?!example$|sample$|template$|dist$)[^/]*)?|(^|\/)gha-creds-.*\.json)$/;

/** True for a folder whose content is never part of a change unless the base tracks it. */
export const isLeftoverFolder = (path: string): boolean => {
  const name = path.split('/').at(-1) ?? '';
  return FOLDERS.includes(name) || name.endsWith('.egg-info');
};

/** True for an untracked file that is never published. */
export const isLeftoverFile = (path: string): boolean =>
  FILES.test(path) || path.split('/').slice(0, -1).some(isLeftoverFolder);
