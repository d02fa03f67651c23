/** Builds dist/: TypeScript to lib/, then two bundles. The same source always gives the same bytes. */
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { minify } from 'terser';
import { run } from './lib/run.ts';

const out = process.argv[2] ?? 'dist';
const aside = mkdtempSync(join(tmpdir(), 'redgreen-build-'));

try {
  rmSync('lib', { recursive: true, force: true });
  run('tsc', ['-p', 'tsconfig.build.json']);
  writeFileSync('lib/package.json', '{ "type": "module" }\n');
  rmSync(out, { recursive: true, force: true });
  run('ncc', ['build', 'lib/main.js', '--out', out, '--minify', '--no-cache', '--quiet']);
  // ncc always writes index.js, so the post step is bundled aside and renamed.
  run('ncc', ['build', 'lib/post.js', '--out', aside, '--minify', '--no-cache', '--quiet']);
  cpSync(join(aside, 'index.js'), join(out, 'post.js'));
  for (const chunk of readdirSync(aside).filter(name => /^\d+\.index\.js$/.test(name))) shareChunk(chunk);
  await minifyChunks();
  writeFileSync(join(out, 'licenses.txt'), licenses());
  writeFileSync(join(out, 'package.json'), '{ "type": "module" }\n');
  for (const name of readdirSync(out).filter(each => each.endsWith('.js'))) {
    console.log(`${join(out, name)}  ${(statSync(join(out, name)).size / 1e6).toFixed(2)} MB`);
    if (readFileSync(join(out, name), 'utf8').includes(process.cwd()))
      throw new Error(`${name} contains a path of this machine`);
  }
} finally {
  rmSync(aside, { recursive: true, force: true });
}

/** Both bundles load the same lazy chunk by name, so it has to be the same. */
function shareChunk(name: string): void {
  const [ours, theirs] = [join(out, name), join(aside, name)];
  if (!existsSync(ours)) cpSync(theirs, ours);
  else if (!readFileSync(ours).equals(readFileSync(theirs)))
    throw new Error(`the bundles disagree about ${name}; build post into a folder of its own`);
}

/** ncc minifies its main file alone, not the chunks that are loaded later. */
async function minifyChunks(): Promise<void> {
  for (const name of readdirSync(out).filter(each => /^\d+\.index\.js$/.test(each))) {
    const { code } = await minify(readFileSync(join(out, name), 'utf8'), {
      module: true,
      compress: true,
      mangle: true,
    });
    if (!code) throw new Error(`${name} could not be minified`);
    writeFileSync(join(out, name), code);
  }
}

/** The licence of every package that can end up in the bundle: ncc's own list leaves out ES modules. */
function licenses(): string {
  const lock = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
    packages: Record<string, { version?: string; dev?: boolean; license?: string }>;
  };
  const shipped = Object.entries(lock.packages).filter(
    ([path, facts]) => path.startsWith('node_modules/') && !facts.dev,
  );
  return shipped
    .map(([path, facts]) => {
      const file = readdirSync(path).find(name => /^(licen[cs]e|copying)(\.\w+)?$/i.test(name));
      const text = file ? readFileSync(join(path, file), 'utf8').trim() : '(the package has no licence file)';
      return `${path.replace(/^.*node_modules\//, '')} ${facts.version}\n${facts.license ?? ''}\n\n${text}\n`;
    })
    .join(`\n${'-'.repeat(80)}\n\n`);
}
