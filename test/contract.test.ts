/** action.yml, the configuration, the outputs, the README and the examples say the same. */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { VERSION } from '../src/version.ts';
import { readActionFile } from './local-github/action-yml.ts';

const ROOT = join(import.meta.dirname, '..');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const action = await readActionFile(ROOT);
const actionText = read('action.yml');
const config = read('src/config.ts');

describe('inputs', () => {
  const used = new Set(
    [...config.matchAll(/\b(?:input|required|positive)\('([a-z-]+)'/g)].map(match => match[1]!),
  );
  for (const name of ['github-token', 'openai-api-key']) used.add(name);

  it('that are declared are the ones that are read', () => {
    expect([...used].sort()).toEqual([...action.inputs.keys()].sort());
  });

  it('are at most twenty', () => {
    expect(action.inputs.size).toBeLessThanOrEqual(20);
  });

  it('have their numbers as defaults where the configuration wants a number', () => {
    const numbers = [...config.matchAll(/positive\('([a-z-]+)'/g)].map(match => match[1]!);
    expect(numbers.length).toBeGreaterThan(3);
    for (const name of numbers) expect(Number(action.inputs.get(name)), name).toBeGreaterThan(0);
  });

  it('offer the sandbox kinds that there are', () => {
    const kinds = /SANDBOX_KINDS = \[([^\]]+)\]/.exec(config)?.[1]?.match(/[a-z-]+/g) ?? [];
    expect(kinds).toHaveLength(5);
    for (const kind of kinds) expect(actionText).toContain(`\`${kind}\``);
  });
});

describe('outputs', () => {
  const set = [
    ...(read('src/outputs.ts').split('const values')[1] ?? '')
      .split('};')[0]!
      .matchAll(/^ {4}'?([a-z-]+)'?:/gm),
  ].map(match => match[1]!);

  it('that are declared are the ones that are set', () => {
    expect(set.sort()).toEqual([...action.outputs].sort());
    expect(set.length).toBeGreaterThan(8);
  });
});

describe('the action', () => {
  it('runs on node24, with a post step that always runs, from files that are there', () => {
    expect(actionText).toMatch(
      /using: node24\n {2}main: dist\/index\.js\n {2}post: dist\/post\.js\n {2}post-if: always\(\)/,
    );
    for (const file of ['dist/index.js', 'dist/post.js', 'dist/package.json', 'dist/licenses.txt'])
      expect(existsSync(join(ROOT, file)), file).toBe(true);
  });

  it('knows its own version', () => {
    expect(JSON.parse(read('package.json'))).toMatchObject({ version: VERSION });
    expect(JSON.parse(read('package-lock.json'))).toMatchObject({ version: VERSION });
  });
});

describe('documentation', () => {
  it('has the tables that action.yml makes', () => {
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      ['--disable-warning=ExperimentalWarning', 'scripts/docs.ts', '--check'],
      { cwd: ROOT, encoding: 'utf8' },
    );
    expect(stdout + stderr + status).toMatch(/0$/);
  });

  const examples = readdirSync(join(ROOT, 'examples')).filter(name => name.endsWith('.yml'));

  it('has examples', () => {
    expect(examples.length).toBeGreaterThanOrEqual(4);
  });

  it.each(['README.md', ...examples.map(name => `examples/${name}`)])(
    '%s uses only inputs that exist',
    path => {
      const steps = [...read(path).matchAll(/uses: [^\n]*redgreen@[^\n]*\n((?: {6,}.*\n|\n)*)/g)].map(
        match => match[1] ?? '',
      );
      expect(steps.length).toBeGreaterThan(0);
      const names = steps.flatMap(step =>
        [...(step.split(/^ *with:\n/m)[1] ?? '').matchAll(/^ {10}([a-z-]+):/gm)].map(match => match[1]!),
      );
      expect(names.length).toBeGreaterThan(0);
      expect(names.filter(name => !action.inputs.has(name))).toEqual([]);
    },
  );

  it.each([
    'README.md',
    'ARCHITECTURE.md',
    'AGENTS.md',
    'SECURITY.md',
    'CHANGELOG.md',
    'docs/security.md',
    'docs/troubleshooting.md',
  ])('%s links only to files that are there', path => {
    const links = [...read(path).matchAll(/\]\((?!https?:|#|mailto:)([^)#\s]+)/g)].map(match => match[1]!);
    expect(links.filter(link => !existsSync(join(ROOT, path, '..', link)))).toEqual([]);
  });
});
