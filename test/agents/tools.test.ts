import { mkdirSync, mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { parseCall, type Tool, toolSpec } from '../../src/agents/tools/tool.ts';
import { toolSet } from '../../src/agents/tools/tool-set.ts';
import { localShell } from '../helpers/local-shell.ts';

let folder: string;
let tools: readonly Tool[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tools-'));
  tools = toolSet({
    shell: localShell(folder),
    workdir: folder,
    objectTo: path => (path.startsWith('test/') ? 'tests are read-only' : undefined),
    runTests: async ({ files, full }) => ({
      ok: true,
      text: `ran ${files.join(',') || (full ? 'all' : 'mine')}`,
      summary: '',
    }),
  });
});

async function call(name: string, args: unknown) {
  const parsed = parseCall(tools, {
    id: '1',
    name,
    arguments: typeof args === 'string' ? args : JSON.stringify(args),
  });
  if ('error' in parsed) return { ok: false, text: parsed.error, end: undefined };
  return parsed.tool.run(parsed.args, undefined);
}
const put = (path: string, text: string) => {
  mkdirSync(join(folder, path, '..'), { recursive: true });
  writeFileSync(join(folder, path), text);
};
const get = (path: string) => readFileSync(join(folder, path), 'utf8');

describe('bash', () => {
  it('gives exit and output of both streams', async () => {
    expect((await call('bash', { command: 'echo out; echo err >&2; exit 3' })).text).toMatch(
      /^exit 3\n[\s\S]*out[\s\S]*err|^exit 3\n[\s\S]*err[\s\S]*out/,
    );
  });
  it('takes a work folder, and numbers written as text', async () => {
    put('sub/a', '');
    expect((await call('bash', { command: 'ls', workdir: 'sub', timeout_s: '5' })).text).toContain('a');
  });
  it('says that a command timed out', async () => {
    expect((await call('bash', { command: 'sleep 9', timeout_s: 1 })).text).toContain('timed out after 1 s');
  });
});

describe('read', () => {
  it('numbers lines and says how to go on', async () => {
    put('a.txt', Array.from({ length: 1000 }, (_, i) => `l${i + 1}`).join('\n'));
    const first = await call('read', { path: 'a.txt' });
    expect(first.text.startsWith('1\tl1\n2\tl2')).toBe(true);
    expect(first.text).toContain('… 600 more lines: offset=401');
    expect((await call('read', { path: 'a.txt', offset: 1000 })).text).toBe('1000\tl1000');
    expect((await call('read', { path: 'a.txt', offset: 1001 })).text).toContain('has 1000 lines');
  });
  it('lists folders, and says what is not there, empty or binary', async () => {
    put('d/x.js', '1');
    put('d/sub/y', '');
    put('empty', '');
    writeFileSync(join(folder, 'bin'), Buffer.from([0, 1, 2, 10, 0]));
    expect((await call('read', { path: 'd' })).text.split('\n').sort()).toEqual(['sub/', 'x.js']);
    expect((await call('read', { path: 'nope' })).text).toContain('no file nope');
    expect((await call('read', { path: 'empty' })).text).toContain('empty');
    expect((await call('read', { path: 'bin' })).text).toContain('binary');
  });
  it('reads names with spaces, quotes and leading dashes', async () => {
    for (const name of ["a b'c.txt", '-n', '$(x)']) {
      put(name, 'inside\n');
      expect((await call('read', { path: name })).text).toBe('1\tinside');
    }
  });
});

describe('search', () => {
  it('finds by extended regular expression, by name pattern, and not in dependencies', async () => {
    put('src/a.ts', 'const x = 12;\nother\n');
    put('src/b.js', 'const x = 34;\n');
    put('node_modules/m/a.ts', 'const x = 56;\n');
    expect((await call('search', { pattern: 'x = \\d+' })).text.split('\n').sort()).toEqual([
      'src/a.ts:1:const x = 12;',
      'src/b.js:1:const x = 34;',
    ]);
    expect((await call('search', { pattern: 'const', glob: '**/*.ts' })).text).toBe(
      'src/a.ts:1:const x = 12;',
    );
    expect((await call('search', { pattern: 'const', files_only: true, path: 'src/b.js' })).text).toBe(
      'src/b.js',
    );
  });
  it('says that nothing matches, that the path is not there, and that a pattern is wrong', async () => {
    put('a', 'x');
    expect((await call('search', { pattern: 'zzz' })).text).toBe('No matches.');
    expect((await call('search', { pattern: 'x', path: 'nope' })).text).toContain('no nope');
    expect((await call('search', { pattern: '(' })).text).toContain('does not work');
  });
});

describe('edit and write', () => {
  it('edits in place, keeps the mode, and shows the new lines', async () => {
    put('a.js', 'const a = 1;\nconst b = 2;\n');
    const { mode } = statSync(join(folder, 'a.js'));
    const result = await call('edit', { path: 'a.js', edits: [{ old: 'b = 2', new: 'b = 3' }] });
    expect(result.ok).toBe(true);
    expect(result.text).toContain('2\tconst b = 3;');
    expect(get('a.js')).toBe('const a = 1;\nconst b = 3;\n');
    expect(statSync(join(folder, 'a.js')).mode).toBe(mode);
  });
  it('takes one edit that is not in a list', async () => {
    put('a.txt', 'x');
    expect((await call('edit', { path: 'a.txt', edits: { old: 'x', new: 'y' } })).ok).toBe(true);
  });
  it('reports a syntax error but keeps the edit', async () => {
    put('a.js', 'f(1);\n');
    const result = await call('edit', { path: 'a.js', edits: [{ old: 'f(1);', new: 'f(1;' }] });
    expect(result.text).toContain('SyntaxError');
    expect(get('a.js')).toBe('f(1;\n');
    expect((await call('write', { path: 'p.py', content: 'def f(:\n' })).text).toContain('SyntaxError');
    expect((await call('write', { path: 'd.json', content: '{' })).text).toContain('Syntax error');
  });
  it('changes nothing when one edit does not apply', async () => {
    put('a.txt', 'x y');
    const result = await call('edit', {
      path: 'a.txt',
      edits: [
        { old: 'x', new: 'z' },
        { old: 'q', new: 'r' },
      ],
    });
    expect(result.ok).toBe(false);
    expect(get('a.txt')).toBe('x y');
  });
  it('creates folders, and refuses paths outside, in .git, and those that the step may not change', async () => {
    expect((await call('write', { path: 'new/deep/a.txt', content: 'hi\n' })).text).toBe(
      'Wrote new/deep/a.txt (1 lines).',
    );
    for (const path of ['../out', '/etc/x', '.git/config', 'sub/.GIT/hooks/x'])
      expect((await call('write', { path, content: '' })).ok).toBe(false);
    expect((await call('write', { path: 'test/a.js', content: '' })).text).toContain('tests are read-only');
    expect((await call('edit', { path: 'nope', edits: [{ old: 'a', new: 'b' }] })).text).toContain('no file');
  });
});

describe('calls as models write them', () => {
  it('finds tools whatever the case, and lists them otherwise', async () => {
    expect((await call('Run_Tests', {})).text).toBe('ran mine');
    expect((await call('execute', {})).text).toContain('The tools are: bash, read, search');
  });
  it('mends almost-JSON once, and explains what does not fit', async () => {
    expect((await call('run_tests', "{files: ['a.js'],}")).text).toBe('ran a.js');
    expect((await call('run_tests', '{"files": "a.js"}')).text).toBe('ran a.js');
    expect((await call('run_tests', '{"scope": "full"')).text).toBe('ran all');
    expect((await call('read', 'please read a.js')).text).toContain('not valid JSON');
    expect((await call('read', {})).text).toContain('path');
  });
  it('ends with finish and flag_blocked', async () => {
    expect((await call('finish', { summary: 'done' })).end).toMatchObject({
      kind: 'finished',
      report: { summary: 'done', functions: [], files: [] },
    });
    expect((await call('flag_blocked', { reason: 'spec_ambiguous', evidence: 'e' })).end).toMatchObject({
      kind: 'blocked',
    });
    expect((await call('flag_blocked', { reason: 'tired', evidence: 'e' })).ok).toBe(false);
  });
  it('describes each tool in at most sixty words', () => {
    for (const spec of tools.map(toolSpec))
      expect(spec.description.split(/\s+/).length).toBeLessThanOrEqual(60);
  });
});
