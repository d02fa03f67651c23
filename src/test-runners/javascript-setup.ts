import type { BaseFiles } from '../types.ts';
import { type PackageJson, readPackageJson } from './package-json.ts';

/** The script that installs a JavaScript project's dependencies; empty when it has none. `packageManager` beats lock files. */
export async function javascriptSetup(files: BaseFiles): Promise<string> {
  const manifest = await readPackageJson(files);
  const has = (...paths: string[]) => paths.some(path => files.paths.includes(path));
  if (!manifest || !(hasDependencies(manifest) || has('pnpm-workspace.yaml'))) return '';
  const [, name, version] = /^(npm|pnpm|yarn|bun)@([\w.-]+)/.exec(manifest.packageManager ?? '') ?? [];
  const manager = name ?? MANAGERS.find(({ locks }) => has(...locks))?.name ?? 'npm';
  const lock = MANAGERS.find(known => known.name === manager)?.locks ?? [];
  return installCommand({ manager, version, isLocked: has(...lock), isBerry: has('.yarnrc.yml') });
}

/** True where a lock file of any package manager lies at the root of `files`. */
export const hasJavascriptLock = (files: BaseFiles): boolean =>
  MANAGERS.some(({ locks }) => locks.some(path => files.paths.includes(path)));

const MANAGERS = [
  { name: 'npm', locks: ['package-lock.json', 'npm-shrinkwrap.json'] },
  { name: 'pnpm', locks: ['pnpm-lock.yaml'] },
  { name: 'yarn', locks: ['yarn.lock'] },
  { name: 'bun', locks: ['bun.lock', 'bun.lockb'] },
] as const;

interface Install {
  readonly manager: string;
  readonly version: string | undefined;
  readonly isLocked: boolean;
  readonly isBerry: boolean;
}

function installCommand({ manager, version, isLocked, isBerry }: Install): string {
  const orNpx = (npmPackage: string, frozen: string) => {
    const rest = isLocked ? `install ${frozen}` : 'install';
    const tagged = version ? `${npmPackage}@${version}` : npmPackage;
    return `if command -v ${manager} >/dev/null 2>&1; then ${manager} ${rest}; else npx --yes ${tagged} ${rest}; fi`;
  };
  if (manager === 'pnpm' || manager === 'bun') return orNpx(manager, '--frozen-lockfile');
  if (manager === 'yarn' && isBerry && !version?.startsWith('1.')) {
    return orNpx('@yarnpkg/cli-dist', '--immutable');
  }
  if (manager === 'yarn') return orNpx(version ? 'yarn' : 'yarn@1', '--frozen-lockfile');
  return `npm ${isLocked ? 'ci' : 'install'} --no-audit --no-fund`;
}

const hasDependencies = (manifest: PackageJson): boolean =>
  manifest.workspaces !== undefined ||
  [
    manifest.dependencies,
    manifest.devDependencies,
    manifest.optionalDependencies,
    manifest.peerDependencies,
  ].some(group => Object.keys(group).length > 0);
