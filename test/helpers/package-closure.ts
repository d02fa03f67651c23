import { cpSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

interface Locked {
  readonly dependencies?: Record<string, string>;
  readonly optionalDependencies?: Record<string, string>;
  readonly peerDependencies?: Record<string, string>;
}

/** Copies an installed package of this project and all that it needs into `target`, as `npm install` would have put them there. */
export function copyPackage(root: string, name: string, target: string): void {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, Locked>;
  };
  const found = new Set<string>();
  const visit = (key: string | undefined) => {
    if (!key || found.has(key)) return;
    found.add(key);
    const { dependencies, optionalDependencies, peerDependencies } = packages[key] ?? {};
    for (const needed of Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies }))
      visit(locate(root, packages, needed, key));
  };
  visit(`node_modules/${name}`);
  for (const key of found)
    cpSync(join(root, key), join(target, key), {
      recursive: true,
      filter: source => !/\.(map|d\.ts|d\.mts)$/.test(source),
    });
  cpSync(join(root, 'node_modules/.bin', name), join(target, 'node_modules/.bin', name), {
    verbatimSymlinks: true,
  });
}

/** Where node would find it: in the package's own folder, then in each folder above. */
function locate(
  root: string,
  packages: Record<string, Locked>,
  name: string,
  from: string,
): string | undefined {
  const parts = from.split('/node_modules/');
  const folders = [...parts.map((_, i) => `${parts.slice(0, parts.length - i).join('/node_modules/')}/`), ''];
  const keys = folders.map(folder => `${folder}node_modules/${name}`);
  return keys.find(key => packages[key] && existsSync(join(root, key)));
}
