/** Builds dist/: TypeScript to lib/, then two bundles. The same source always gives the same bytes. */
import { cpSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from './lib/run.ts';

const out = process.argv[2] ?? 'dist';
const aside = mkdtempSync(join(tmpdir(), 'redgreen-build-'));

try {
  rmSync('lib', { recursive: true, force: true });
  run('tsc', ['-p', 'tsconfig.build.json']);
  writeFileSync('lib/package.json', '{ "type": "module" }\n');
  rmSync(out, { recursive: true, force: true });
  run('ncc', ['build', 'lib/main.js', '--out', out, '--minify', '--license', 'licenses.txt', '--no-cache', '--quiet']);
  // ncc always writes index.js, so the post step is bundled aside and renamed.
  run('ncc', ['build', 'lib/post.js', '--out', aside, '--minify', '--no-cache', '--quiet']);
  cpSync(join(aside, 'index.js'), join(out, 'post.js'));
  writeFileSync(join(out, 'package.json'), '{ "type": "module" }\n');
  for (const name of ['index.js', 'post.js']) {
    console.log(`${join(out, name)}  ${(statSync(join(out, name)).size / 1e6).toFixed(2)} MB`);
    if (readFileSync(join(out, name), 'utf8').includes(process.cwd())) throw new Error(`${name} contains a path of this machine`);
  }
} finally {
  rmSync(aside, { recursive: true, force: true });
}
