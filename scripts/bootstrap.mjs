// The first step of every npm script, in plain JavaScript so that it runs on Node 20 or newer:
// installs the development dependencies when they are missing or stale, then goes on under the
// Node 24 that they bring along, because that is what GitHub's runner uses for `node24` actions.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const bin = join(root, 'node_modules', '.bin');
const node = join(bin, 'node');
const stamp = join(root, 'node_modules', '.redgreen-lock');
const lock = createHash('sha256')
  .update(readFileSync(join(root, 'package-lock.json')))
  .digest('hex');

const installed = existsSync(node) && existsSync(stamp) && readFileSync(stamp, 'utf8') === lock;
if (!installed) {
  console.error('Installing development dependencies (npm ci) …');
  const npm = spawnSync('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: root,
    stdio: ['ignore', 2, 2],
  });
  if (npm.status !== 0) {
    console.error('npm ci failed. Check that a package registry can be reached, then run the command again.');
    process.exit(1);
  }
  writeFileSync(stamp, lock);
}

const version = spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout?.trim() ?? '';
if (!version.startsWith('v24.')) {
  console.error(
    `Expected Node 24 at node_modules/.bin/node, found "${version}".\n` +
      'Its install script may have been blocked: package.json allows it under "allowScripts"; run "npm ci" once more.',
  );
  process.exit(1);
}

const [script, ...rest] = process.argv.slice(2);
const env = { ...process.env, PATH: `${bin}:${process.env.PATH}` };
const child = spawn(node, ['--disable-warning=ExperimentalWarning', script, ...rest], {
  cwd: root,
  stdio: 'inherit',
  env,
});
// A script ends by itself, so that it can clean up. A terminal's interrupt it gets too; a termination is passed on,
// and npm's shell dies of one without a word: then this process has another parent.
const parent = process.ppid;
process.on('SIGINT', () => undefined);
process.on('SIGTERM', () => child.kill());
const watch = setInterval(() => {
  if (process.ppid === parent) return;
  clearInterval(watch);
  child.kill();
}, 500);
child.once('exit', code => process.exit(code ?? 1));
