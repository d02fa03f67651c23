import type { BaseFiles } from '../types.ts';
import { hasJavascriptLock } from './javascript-setup.ts';
import { readPackageJson } from './package-json.ts';
import type { TestRunner } from './test-runner.ts';

interface Monorepo {
  readonly root: BaseFiles;
  /** The files of `folder`, as if it were the root. */
  readonly inside: BaseFiles;
  readonly folder: string;
}

export interface SetupPlaces {
  readonly root: boolean;
  /** The files to install by in the folder; undefined for nothing there. */
  readonly inside?: BaseFiles;
}

/**
 * Where the dependencies of one folder of a repository are installed: at the root, where that is a workspace of which
 * the folder is a member; in the folder, where it stands alone; in both, where each has dependencies of its own.
 */
export const setupPlaces = (runner: TestRunner, repo: Monorepo): Promise<SetupPlaces> =>
  runner.language === 'Python' ? pythonPlaces(repo) : javascriptPlaces(repo);

async function javascriptPlaces({ root, inside, folder }: Monorepo): Promise<SetupPlaces> {
  if (!(await readPackageJson(inside))) return { root: true };
  const manifest = await readPackageJson(root);
  if (hasJavascriptLock(inside) || !manifest) return { root: false, inside };
  const patterns = [...packagePatterns(manifest.workspaces), ...(await pnpmPatterns(root))];
  return isMember(patterns, folder) ? { root: true } : { root: true, inside };
}

async function pythonPlaces({ root, inside }: Monorepo): Promise<SetupPlaces> {
  if (!inside.paths.some(path => PYTHON_PROJECT.test(path))) return { root: true };
  const hasOwnLock = inside.paths.some(path => /^(uv|poetry|Pipfile)\.lock$/.test(path));
  const isUvWorkspace =
    root.paths.includes('uv.lock') &&
    /^[ \t]*\[tool\.uv\.workspace\]/m.test((await root.text('pyproject.toml')) ?? '');
  if (hasOwnLock || !isUvWorkspace || !inside.paths.includes('pyproject.toml'))
    return { root: false, inside };
  // uv finds the workspace's lock file above by itself.
  return { root: false, inside: { ...inside, paths: [...inside.paths, 'uv.lock'] } };
}

const PYTHON_PROJECT =
  /^(pyproject\.toml|setup\.(py|cfg)|Pipfile|[^/]*requirements[^/]*\.txt|requirements\/[^/]*\.txt)$/;

function packagePatterns(workspaces: unknown): string[] {
  const list =
    typeof workspaces === 'object' && workspaces !== null && 'packages' in workspaces
      ? workspaces.packages
      : workspaces;
  return Array.isArray(list) ? list.filter(pattern => typeof pattern === 'string') : [];
}

/** The list under `packages:` of pnpm-workspace.yaml. */
async function pnpmPatterns(root: BaseFiles): Promise<string[]> {
  const lines = ((await root.text('pnpm-workspace.yaml')) ?? '').split('\n');
  const start = lines.findIndex(line => /^packages:/.test(line));
  if (start < 0) return [];
  const rest = lines.slice(start + 1);
  const end = rest.findIndex(line => /^[^\s#-]/.test(line));
  const list = end < 0 ? rest : rest.slice(0, end);
  return list.flatMap(line => /^\s*-\s*['"]?([^'"\s#]+)/.exec(line)?.[1] ?? []);
}

const MAX_PATTERN_CHARS = 200;

function isMember(patterns: readonly string[], folder: string): boolean {
  const matches = (pattern: string) => globOf(pattern).test(folder);
  const short = patterns.filter(pattern => pattern.length <= MAX_PATTERN_CHARS);
  return (
    short.some(pattern => !pattern.startsWith('!') && matches(pattern)) &&
    !short.some(pattern => pattern.startsWith('!') && matches(pattern.slice(1)))
  );
}

function globOf(pattern: string): RegExp {
  const parts = pattern.replace(/^\.\//, '').replace(/\/$/, '').split(/(\*+)/);
  const source = parts.map((part, index) =>
    index % 2 === 0 ? part.replace(/[.+?^${}()|[\]\\]/g, '\\$&') : part.length > 1 ? '.*' : '[^/]*',
  );
  return new RegExp(`^${source.join('')}$`);
}
