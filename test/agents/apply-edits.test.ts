import { describe, expect, it } from 'vitest';
import { applyEdits } from '../../src/agents/tools/apply-edits.ts';

const edit = (text: string, old: string, now: string, replace_all = false) =>
  applyEdits(text, [{ old, new: now, replace_all }]);

describe('applyEdits', () => {
  it.each([
    ['an exact match', 'a\nb\nc\n', 'b', 'B', 'a\nB\nc\n'],
    ['over several lines', 'a\nb\nc\n', 'a\nb', 'x', 'x\nc\n'],
    ['without regard to trailing blanks', 'a  \nb\n', 'a\nb', 'x', 'x\n'],
    [
      'with the indentation shifted',
      '  if (x) {\n    y();\n  }\n',
      'if (x) {\n  y();\n}',
      'if (z) {\n  y();\n}',
      '  if (z) {\n    y();\n  }\n',
    ],
    ['with less indentation', 'if x:\n  y\n', '  if x:\n    y', '  if z:\n    y', 'if z:\n  y\n'],
    ['with typographic quotes made plain', 'say(“hi”)\n', 'say("hi")', 'say("ho")', 'say("ho")\n'],
    ['keeping CRLF', 'a\r\nb\r\n', 'a\nb', 'a\nc', 'a\r\nc\r\n'],
    ['deleting', 'a\nb\nc\n', 'b\n', '', 'a\nc\n'],
    ['a line without a final newline', 'a\nb', 'b', 'c', 'a\nc'],
    ['with $ in the replacement', 'a', 'a', "$& $1 $'", "$& $1 $'"],
  ])('%s', (_title, text, old, now, expected) => {
    expect(edit(text, old, now)).toMatchObject({ ok: true, text: expected });
  });

  it('keeps tabs', () => {
    expect(edit('\tx\n\ty\n', 'x\ny', 'x\nz')).toMatchObject({ ok: true, text: '\tx\n\tz\n' });
  });

  it('does not shift lines of unequal surplus', () => {
    expect(edit('  a\n      b\n', 'a\nb', 'x').ok).toBe(false);
  });

  it('names the lines of an ambiguous match, and replaces all when asked', () => {
    expect(edit('x\ny\nx\n', 'x', 'z')).toMatchObject({
      ok: false,
      problem: expect.stringContaining('lines 1, 3'),
    });
    expect(edit('x\ny\nx\n', 'x', 'z', true)).toMatchObject({ ok: true, text: 'z\ny\nz\n' });
  });

  it('shows the closest real lines when nothing matches', () => {
    const text = 'function add(a, b) {\n  return a + b;\n}\n';
    expect(edit(text, 'function add(a, b) {\n  return b + a;\n}', 'x')).toMatchObject({
      ok: false,
      problem: expect.stringContaining('2:   return a + b;'),
    });
  });

  it.each([
    ['escaped line ends and quotes', 'a();\\n  say(\\"hi\\");'],
    ['spaces for a tab', 'a();\n    say("hi") ;'],
    ['everything on one line', 'a(); say("hi");'],
    ['line numbers', '1\ta();\n2\t  say("hi");'],
  ])('shows the real lines when `old` differs by %s', (_what, old) => {
    const result = edit('a();\n\tsay("hi");\nb();\n', old, 'x');
    expect(result).toMatchObject({
      ok: false,
      problem: expect.stringMatching(
        /^`old` was not found\. It differs by [^\n]*\n1: a\(\);\n2: \tsay\("hi"\);$/,
      ),
    });
  });

  it('finds the closest lines whatever their white space', () => {
    const text = 'if (a) {\n\tone( 1 );\n\ttwo();\n}\n';
    expect(edit(text, 'if (a) {\n  one(1);\n  three();\n}', 'x')).toMatchObject({
      ok: false,
      problem: expect.stringContaining('2: \tone( 1 );\n3: \ttwo();'),
    });
    expect(edit(text, 'nothing of this\nis there', 'x')).toMatchObject({
      problem: '`old` was not found. Read the file and quote it as it is.',
    });
  });

  it('says soon that something is not in a large file', () => {
    const text = 'const a = "b";\n'.repeat(100_000);
    const started = performance.now();
    expect(edit(text, 'nothing\n'.repeat(2_000), 'x').ok).toBe(false);
    expect(performance.now() - started).toBeLessThan(3_000);
  });

  it('knows where each edit’s text stands in the end', () => {
    const result = applyEdits('a\nb\nc\nd\n', [
      { old: 'c', new: 'C\nC2' },
      { old: 'a\n', new: 'A\nA2\nA3\n' },
      { old: 'C2', new: 'C2\nC3' },
      { old: 'b\n', new: '' },
    ]);
    expect(result).toMatchObject({ text: 'A\nA2\nA3\nC\nC2\nC3\nd\n' });
    expect(result.ok && result.places.slice(0, 3)).toEqual([
      { from: 4, to: 6 },
      { from: 1, to: 3 },
      { from: 5, to: 6 },
    ]);
  });

  it('recognises an edit that is applied already', () => {
    expect(edit('const b = 2;\n', 'const a = 1;', 'const b = 2;')).toMatchObject({
      ok: false,
      problem: expect.stringContaining('applied'),
    });
  });

  it('applies all edits or none, each on the result of the one before', () => {
    const both = applyEdits('a b', [
      { old: 'a', new: 'b2' },
      { old: 'b2 b', new: 'done' },
    ]);
    expect(both).toMatchObject({ ok: true, text: 'done' });
    const failed = applyEdits('a b', [
      { old: 'a', new: 'x' },
      { old: 'nope', new: 'y' },
    ]);
    expect(failed).toMatchObject({ ok: false, problem: expect.stringContaining('Edit 2 of 2') });
  });

  it('refuses an empty or unchanged old text', () => {
    expect(edit('a', '', 'b').ok).toBe(false);
    expect(edit('a', 'a', 'a').ok).toBe(false);
  });
});
