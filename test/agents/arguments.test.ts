/** Calls as models write them: what is taken as it was meant, and what the answer to the rest says. */
import { describe, expect, it } from 'vitest';
import { nameCauseTool } from '../../src/agents/tools/name-cause.ts';
import { parseCall } from '../../src/agents/tools/parse-call.ts';
import type { Tool } from '../../src/agents/tools/tool.ts';
import { toolSet } from '../../src/agents/tools/tool-set.ts';
import { localShell } from '../helpers/local-shell.ts';

const tools: readonly Tool[] = [
  ...toolSet({
    shell: localShell('/'),
    workdir: '/',
    objectTo: () => undefined,
    runTests: async () => ({ ok: true, text: '', summary: '' }),
  }),
  nameCauseTool({ shown: () => [], take: undefined }),
];

function parse(name: string, given: unknown) {
  const text = typeof given === 'string' ? given : JSON.stringify(given);
  const parsed = parseCall(tools, { id: '1', name, arguments: text });
  return 'error' in parsed ? parsed.error : [parsed.tool.name, parsed.args];
}

const EDIT = ['edit', { path: 'a.js', edits: [{ old: 'x', new: 'y' }] }];

describe('tools', () => {
  it.each([
    ['Run_Tests', {}, ['run_tests', {}]],
    ['functions.read', { path: 'a' }, ['read', { path: 'a' }]],
    ['tools.read', { path: 'a' }, ['read', { path: 'a' }]],
    ['functions_read', { path: 'a' }, ['read', { path: 'a' }]],
    ['default_api:bash', { command: 'ls' }, ['bash', { command: 'ls' }]],
    ['container.exec', { cmd: 'ls' }, ['bash', { command: 'ls' }]],
    ['read_file', { path: 'a' }, ['read', { path: 'a' }]],
    ['cat', { file: 'a' }, ['read', { path: 'a' }]],
    ['open_file', { filename: 'a' }, ['read', { path: 'a' }]],
    ['str_replace', { path: 'a.js', old_str: 'x', new_str: 'y' }, EDIT],
    ['edit_file', { path: 'a.js', edits: [{ old: 'x', new: 'y' }] }, EDIT],
    ['create_file', { path: 'a', contents: 'b' }, ['write', { path: 'a', content: 'b' }]],
    ['shell', { cmd: 'ls' }, ['bash', { command: 'ls' }]],
    ['execute', { command: 'ls' }, ['bash', { command: 'ls' }]],
    ['test', { file: 'a.test.js' }, ['run_tests', { files: ['a.test.js'] }]],
  ])('%s %j is understood', (name, given, expected) => {
    expect(parse(name, given)).toEqual(expected);
  });

  it.each(['grep', 'rg', 'find', 'functions.grep'])('%s leads to search', name => {
    expect(parse(name, { pattern: 'x' })).toBe(
      `There is no tool "${name}". Use search: {pattern, path?, glob?, files_only?}.`,
    );
  });

  it('lists the tools for any other name, and names of objects’ own are no tools', () => {
    for (const name of ['frobnicate', 'constructor', 'functions.', ''])
      expect(parse(name, {})).toMatch(/^There is no tool .*The tools are: bash, read, search/);
    expect(parse('x'.repeat(5_000), {}).length).toBeLessThan(300);
  });
});

describe('arguments', () => {
  it.each([
    ['edit', { file: 'a.js', old_string: 'x', new_string: 'y' }, EDIT],
    ['edit', { file_path: 'a.js', oldText: 'x', newText: 'y' }, EDIT],
    ['edit', { filename: 'a.js', edits: { old: 'x', new: 'y' } }, EDIT],
    ['edit', { path: 'a.js', edits: '[{"old_string": "x", "new_string": "y"}]' }, EDIT],
    ['edit', { arguments: { path: 'a.js', old: 'x', new: 'y' } }, EDIT],
    ['edit', [{ path: 'a.js', old: 'x', new: 'y' }], EDIT],
    [
      'edit',
      { path: 'a.js', old: 'x', new: 'y', replaceAll: 'true' },
      ['edit', { path: 'a.js', edits: [{ old: 'x', new: 'y', replace_all: true }] }],
    ],
    ['search', { query: 'x', filesOnly: true }, ['search', { pattern: 'x', files_only: true }]],
    ['search', { regex: 'x', include: '*.ts' }, ['search', { pattern: 'x', glob: '*.ts' }]],
    ['write', { path: 'a', text: 'b' }, ['write', { path: 'a', content: 'b' }]],
    ['run_tests', { files: 'a.js' }, ['run_tests', { files: ['a.js'] }]],
    ['run_tests', { scope: 'FULL' }, ['run_tests', { scope: 'full' }]],
    ['read', { path: 'a', limit: 1000 }, ['read', { path: 'a', limit: 400 }]],
    ['read', { path: 'a', limit: '1000', offset: 0 }, ['read', { path: 'a', limit: 400 }]],
    ['read', { path: 'a', offset: 2.5, limit: null }, ['read', { path: 'a', offset: 2 }]],
    ['bash', { command: 'ls', timeout_s: 3600 }, ['bash', { command: 'ls', timeout_s: 600 }]],
    [
      'flag_blocked',
      { reason: 'Spec ambiguous', evidence: 'e' },
      ['flag_blocked', { reason: 'spec_ambiguous', evidence: 'e' }],
    ],
  ])('%s %j is taken as it was meant', (name, given, expected) => {
    expect(parse(name, given)).toEqual(expected);
  });

  it('keeps a name that the tool itself has, and takes nothing from a prototype', () => {
    expect(parse('read', { path: 'a', file: 'b' })).toEqual(['read', { path: 'a' }]);
    expect(parse('read', '{"path": "a", "__proto__": {"limit": 3}}')).toEqual(['read', { path: 'a' }]);
    expect(parse('read', { constructor: 'a' })).toContain('path is missing');
  });

  it('leaves the texts of an edit as they are', () => {
    const edits = [{ old: ' "true" ', new: '[1]', replace_all: false }];
    expect(parse('edit', { path: 'a', edits })).toEqual(['edit', { path: 'a', edits }]);
    expect(parse('write', { path: 'a', content: '{"a": 1}' })).toEqual([
      'write',
      { path: 'a', content: '{"a": 1}' },
    ]);
  });

  it.each([
    ["{files: ['a.js'],}", ['run_tests', { files: ['a.js'] }]],
    ['{"scope": "full"', ['run_tests', { scope: 'full' }]],
    ['"{\\"scope\\": \\"full\\"}"', ['run_tests', { scope: 'full' }]],
    ['', ['run_tests', {}]],
  ])('almost-JSON is mended: %s', (text, expected) => {
    expect(parse('run_tests', text)).toEqual(expected);
  });

  it.each([
    ['read', 'please read a.js', /^The arguments of read are not valid JSON: .* Send the call again\.$/],
    [
      'write',
      '{"path": "a.js", "content": "const half = \\"',
      /^The arguments of write are not valid JSON: they are cut off within a text/,
    ],
    ['read', {}, 'read was not run: path is missing (you sent nothing). Shape: {path, offset?, limit?}'],
    [
      'edit',
      { where: 'a', old_string: 'x' },
      'edit was not run: path, edits are missing (you sent where, old_string). Shape: {path, edits: [{old, new, replace_all?}]}',
    ],
    [
      'edit',
      { path: 'a', edits: [{ old: 'x' }] },
      'edit was not run: edits[0].new is missing (you sent old). Shape: {path, edits: [{old, new, replace_all?}]}',
    ],
    ['edit', { path: 'a', edits: [] }, 'edit was not run: edits is empty.'],
    [
      'edit',
      { path: 'a', edits: Array.from({ length: 21 }, () => ({ old: 'x', new: 'y' })) },
      'edit was not run: edits has 21 entries; at most 20 are taken.',
    ],
    [
      'name_cause',
      { cause: 'the wrong thing is done here', file: 'a.js', evidence: 'Math.floor(x)' },
      'name_cause was not run: evidence must be a list of {source, quote}.',
    ],
    [
      'name_cause',
      { cause: 'short', file: 'a.js', evidence: [] },
      'name_cause was not run: cause needs at least 20 characters; evidence is empty.',
    ],
    [
      'read',
      { path: ['a'], limit: 'many' },
      'read was not run: path must be a text; limit must be a number.',
    ],
    ['run_tests', { files: 3 }, 'run_tests was not run: files must be a list of texts.'],
    ['flag_blocked', { reason: 'tired', evidence: 'e' }, /reason must be one of test_contradicts_spec, /],
    [
      'bash',
      '["ls", "-l"]',
      'bash was not run: its arguments must be an object. Shape: {command, timeout_s?, workdir?}',
    ],
  ])('%s %j is answered by what is wrong', (name, given, expected) => {
    const answer = parse(name, given);
    if (typeof expected === 'string') expect(answer).toBe(expected);
    else expect(answer).toMatch(expected);
  });

  it('answers briefly whatever was sent', () => {
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`${'k'.repeat(200)}${i}`, i]));
    expect(parse('read', many).length).toBeLessThan(700);
  });
});
