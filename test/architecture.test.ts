/**
 * The rule of the house, checked. A file may import from its own room or from a lower floor:
 * never from another room on its own floor, never upward. Some doors have one key only.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';

const FLOORS = [
  ['types.ts', 'run-events.ts', 'errors.ts', 'usage.ts', 'version.ts', 'lib'],
  ['events', 'github', 'git', 'sandbox', 'test-runners', 'model', 'evidence', 'report'],
  ['agents'],
  ['commands'],
  [
    'config.ts',
    'admit.ts',
    'run.ts',
    'carry-out.ts',
    'work.ts',
    'check-work.ts',
    'prepare-work.ts',
    'publish-work.ts',
    'fix-comment.ts',
    'after-run.ts',
    'surroundings.ts',
    'outputs.ts',
    'main.ts',
    'post.ts',
    'cli.ts',
  ],
];
const TOP = FLOORS.length - 1;

const KEYS: Record<string, RegExp> = {
  'process.env': /^config\.ts$/,
  'getInput(': /^config\.ts$/,
  'node:child_process': /^lib\/exec\.ts$/,
  execa: /^lib\/exec\.ts$/,
  'setFailed(': /^(main|post)\.ts$/,
  'process.exit': /^(main|post)\.ts$/,
  '@octokit/': /^github\//,
  '@actions/github': /^github\//,
  "'openai'": /^model\//,
  'core.info': /^lib\/log\.ts$/,
  'console.': /^lib\/log\.ts$/,
};

const FORBIDDEN_NAME = /(^|[-/])(utils?|helpers?|managers?|common|misc|base|impl|index)(\.ts$|[-/])/;

const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter(file => file.endsWith('.ts'));
const source = (file: string) => readFileSync(join('src', file), 'utf8');
const roomOf = (file: string) => file.split('/')[0] ?? '';
const floorOf = (file: string) => FLOORS.findIndex(rooms => rooms.includes(roomOf(file)));

/** Relative imports of a source text, in every spelling that TypeScript knows. */
const importsOf = (file: string, text: string) =>
  [...text.matchAll(/(?:from|import)\s*\(?\s*['"`](\.[^'"`]+)['"`]/g)].map(([, path = '']) =>
    normalize(join(dirname(file), path)),
  );

const wrongImports = (file: string, text: string) =>
  importsOf(file, text).filter(target => {
    if (floorOf(target) !== floorOf(file)) return floorOf(target) > floorOf(file) || floorOf(target) < 0;
    return roomOf(target) !== roomOf(file) && ![0, TOP].includes(floorOf(file));
  });

const strayKeys = (file: string, text: string) =>
  Object.entries(KEYS)
    .filter(([word, owner]) => text.includes(word) && !owner.test(file))
    .map(([word]) => word);

describe('the house', () => {
  it.each(files)('%s imports only downward and stands in a known room', file => {
    expect(floorOf(file)).toBeGreaterThanOrEqual(0);
    expect(wrongImports(file, source(file))).toEqual([]);
  });

  it.each(files)('%s uses no door that it has no key to', file => {
    expect(strayKeys(file, source(file))).toEqual([]);
  });

  it.each(files)('%s is short enough to read and named for its subject', file => {
    expect(source(file).split('\n').length).toBeLessThanOrEqual(300);
    expect(file).not.toMatch(FORBIDDEN_NAME);
  });

  it('keeps lib small', () => {
    expect(files.filter(file => file.startsWith('lib/')).length).toBeLessThanOrEqual(5);
  });
});

describe('the rule itself catches', () => {
  it.each([
    ['an upward import', 'git/a.ts', "import { b } from '../agents/b.ts';"],
    ['an upward import over lines', 'git/a.ts', 'import {\n  b,\n} from "../commands/b.ts";'],
    ['a side-effect import', 'lib/a.ts', "import '../git/b.ts';"],
    ['a dynamic import', 'agents/a.ts', "await import('../commands/b.ts');"],
    ['a sideways import', 'git/a.ts', "export * from '../github/b.ts';"],
    ['an unknown room', 'git/a.ts', "import { b } from '../cellar/b.ts';"],
  ])('%s', (_what, file, text) => {
    expect(wrongImports(file, text)).not.toEqual([]);
  });

  it.each([
    ['process.env.HOME', 'git/a.ts'],
    ['process.exit(1)', 'commands/a.ts'],
    ["import { spawn } from 'node:child_process'", 'sandbox/a.ts'],
    ["import OpenAI from 'openai'", 'agents/a.ts'],
  ])('%s in %s', (text, file) => {
    expect(strayKeys(file, text)).not.toEqual([]);
  });
});
