import { mkdirSync, mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { parseCall } from '../../src/agents/tools/parse-call.ts';
import { type Tool, toolSpec } from '../../src/agents/tools/tool.ts';
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
  it('says that nothing matches, and that the path is not there', async () => {
    put('a', 'x');
    expect((await call('search', { pattern: 'zzz' })).text).toBe('No matches.');
    expect((await call('search', { pattern: 'x', path: 'nope' })).text).toContain('no nope');
  });
  it('searches for what is no regular expression as plain text, and says so', async () => {
    put('a.js', "f(x[0]);\ng('*');\n");
    for (const [pattern, hit] of [
      ['f(x', 'a.js:1:f(x[0]);'],
      ['x[', 'a.js:1:f(x[0]);'],
      ["g('*'", "a.js:2:g('*');"],
    ] as const) {
      const { ok, text } = await call('search', { pattern });
      expect({ ok, text }).toEqual({ ok: true, text: expect.stringContaining(hit) });
    }
    expect((await call('search', { pattern: 'f(x' })).text).toMatch(/^No regular expression.*plain text/);
    expect((await call('search', { pattern: 'x\\[' })).text).toBe('a.js:1:f(x[0]);');
    expect((await call('search', { pattern: 'nope(' })).text).toMatch(/plain text: no matches/);
    expect((await call('search', { pattern: 'f(x', files_only: true })).text).toMatch(/\na\.js$/);
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

describe('what an edit shows', () => {
  const lines = Array.from({ length: 60 }, (_, i) => `l${i + 1}`).join('\n');
  const change = (n: number) => ({ old: `l${n}\n`, new: `L${n}\nmore\n` });

  it('has each line once where edits lie close together, whatever their order', async () => {
    put('a.txt', lines);
    const { text } = await call('edit', { path: 'a.txt', edits: [change(14), change(10), change(30)] });
    const shown = text.split('\n').slice(1);
    expect(shown).toEqual([...new Set(shown)]);
    expect(text.match(/^…$/gm)).toHaveLength(1);
    const real = get('a.txt').split('\n');
    for (const line of shown.filter(each => each !== '…')) {
      const [number, content] = line.split('\t');
      expect(real[Number(number) - 1]).toBe(content);
    }
    for (const n of [10, 14, 30]) expect(text).toContain(`\tL${n}`);
  });
});

describe('a shell command that names what the step may not change', () => {
  it('is told so at once, once for each path', async () => {
    put('test/a.js', '1');
    const first = await call('bash', { command: 'echo 2 > test/a.js' });
    expect(first.text).toBe(
      'exit 0\n(no output)\n<harness>Not to be changed in this step, and will be undone: test/a.js (tests are read-only).</harness>',
    );
    expect((await call('bash', { command: 'echo 3 > test/a.js' })).text).not.toContain('harness');
    expect((await call('bash', { command: 'rm -r ../test', workdir: 'test' })).text).toContain(
      'will be undone: test (tests are read-only)',
    );
  });
  it('is not told of what it only reads, or of places outside', async () => {
    put('test/b.js', 'x > test/c.js');
    for (const command of [
      'cat test/b.js',
      'grep x test/b.js > /dev/null',
      'cp test/b.js c.js',
      'sed s/x/y/ test/b.js',
    ])
      expect((await call('bash', { command })).text, command).not.toContain('harness');
  });
});

describe('the end of a step', () => {
  it('comes with finish and flag_blocked', async () => {
    expect((await call('finish', { summary: 'done' })).end).toMatchObject({
      kind: 'finished',
      report: { summary: 'done', functions: [], files: [] },
    });
    expect(
      (await call('flag_blocked', { reason: 'spec_ambiguous', evidence: 'it says both A and B' })).end,
    ).toMatchObject({ kind: 'blocked' });
  });
  it('asks once for evidence that says nothing', async () => {
    const empty = { reason: 'environment', evidence: 'n/a' };
    const first = await call('flag_blocked', empty);
    expect(first).toMatchObject({ ok: false, text: expect.stringContaining('Say what you saw') });
    expect(first.end).toBeUndefined();
    expect((await call('flag_blocked', empty)).end).toMatchObject({ block: { evidence: 'n/a' } });
  });
  it('describes each tool in at most sixty words', () => {
    for (const spec of tools.map(toolSpec))
      expect(spec.description.split(/\s+/).length).toBeLessThanOrEqual(60);
  });
});
