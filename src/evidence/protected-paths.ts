/** Lock files and their like: what is installed, to the version. */
const LOCKED =
  /(^|\/)(package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lockb?|uv\.lock|poetry\.lock|Pipfile(\.lock)?|requirements[^/]*\.txt)$/i;

/** Paths that no agent may change, whatever its role: what runs on GitHub's side, what instructs agents, and dependency manifests. */
const ALWAYS: readonly [RegExp, string][] = [
  [/^\.github\//i, 'files under .github run on GitHub with the repository’s rights'],
  [/(^|\/)\.git(attributes|modules)$/i, 'it changes how git reads the repository'],
  [/(^|\/)(CODEOWNERS|AGENTS\.md|CLAUDE\.md|GEMINI\.md)$/i, 'it decides who reviews or instructs agents'],
  [/(^|\/)\.(npmrc|yarnrc|yarnrc\.yml|pnpmfile\.cjs)$/i, 'it configures the package manager'],
  [LOCKED, 'dependencies are fixed; a missing one is reported with flag_blocked'],
];

/** Why a path is protected in every phase, or undefined. */
export const protection = (path: string): string | undefined =>
  ALWAYS.find(([pattern]) => pattern.test(path))?.[1];

/** True for files that say what a set-up installs: manifests and lock files. */
export const decidesDependencies = (path: string): boolean =>
  LOCKED.test(path) || /(^|\/)(package\.json|pyproject\.toml|setup\.(py|cfg))$/.test(path);

/** The parts of a package.json that decide what is installed and how tests run. */
const FROZEN_KEYS = [
  'dependencies',
  'devDependencies',
  'peerDependencies',
  'optionalDependencies',
  'overrides',
  'scripts',
  'jest',
  'vitest',
  'mocha',
  'type',
  'workspaces',
  'packageManager',
];

/** The keys of a package.json that differ and may not; the empty list when the change is harmless. */
export function frozenManifestKeys(before: string, after: string): readonly string[] {
  const [old, now] = [parseObject(before), parseObject(after)];
  if (!old || !now) return ['(not valid JSON)'];
  return FROZEN_KEYS.filter(key => JSON.stringify(old[key]) !== JSON.stringify(now[key]));
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
