import { describe, expect, it } from 'vitest';
import {
  codeFence,
  codeSpan,
  escapeInline,
  escapeMarkdown,
  escapeNote,
  fold,
  link,
  ownMarkdown,
  quote,
  table,
} from '../../src/report/markdown.ts';
import { keepWholeBlocks, truncateMarkdown } from '../../src/report/truncate.ts';
import { whatActs } from './what-acts.ts';

const visible = (text: string) => text.replaceAll('\u200b', '·');

describe('escapeMarkdown', () => {
  it.each([
    ['a mention', 'ask @ada', 'ask @·ada'],
    ['a reference', 'see #12 and o/r#3 and GH-4', 'see #·12 and o/r#·3 and GH-·4'],
    ['a closing word', 'Fixes #12', 'Fixes #·12'],
    ['a link', '[x](https://e.com) www.e.com', '\\[x\\](https:·//e.com) www·.e.com'],
    ['an image', '![x](y)', '!\\[x\\](y)'],
    ['HTML', '<img src=x> <!-- hidden -->', '&lt;img src=x&gt; &lt;!-- hidden --&gt;'],
    ['an entity', '&lt;b&gt; &#64;ada', '&amp;lt;b&amp;gt; &amp;#·64;ada'],
    ['emphasis and code', '*a* _b_ ~c~ `d` $e$', '\\*a\\* \\_b\\_ \\~c\\~ \\`d\\` \\$e\\$'],
    ['a table', 'a | b', 'a &#124; b'],
    ['a backslash before a pipe', 'a \\| b', 'a \\\\&#124; b'],
    ['a slash command', '/agent implement', '\\/agent implement'],
    ['a slash command on a later line', 'x\n  /agent fix', 'x\n\\/agent fix'],
    ['a heading', '# a', '\\# a'],
    ['a list', '- a\n+ b\n1. c\n2) d', '\\- a\n\\+ b\n1·. c\n2·) d'],
    ['a heading by underline', 'a\n---\n===', 'a\n\\---\n\\==='],
    ['a quotation', '> a', '&gt; a'],
    ['indented code', '      a', 'a'],
    ['invisible text', 'a\u202eb\u{e0041}c\x1b[31md', 'abcd'],
  ])('disarms %s', (_what, text, expected) => {
    const escaped = escapeMarkdown(text);
    expect(visible(escaped)).toBe(expected);
  });

  it('makes one line for headings and cells', () => {
    expect(escapeInline(' a\r\nb\tc ')).toBe('a b c');
    expect(escapeInline('x'.repeat(100), 10)).toBe(`${'x'.repeat(9)}…`);
    expect(escapeInline('😀😀😀', 4)).toBe('😀…');
  });

  it('quotes every line', () => {
    expect(quote('a\n\n<b>', 100)).toBe('> a\n>\n> &lt;b&gt;');
  });
});

describe('escapeNote', () => {
  it.each([
    ['code', '`test-command` is not set', '`test-command` is not set'],
    ['code among words', 'see `a b` and `npm test`.', 'see `a b` and `npm test`.'],
    ['code in which nothing may act', '`@ada #5 <b>` @ada', '`@ada #5 <b>` @·ada'],
    ['code with a pipe', '`a|b`', '<code>a&#124;b</code>'],
    ['a mark of ours in code', '`<!-- redgreen:end -->`', expect.stringMatching(/^<code>&#60;&#33;/)],
    ['a backslash before code', 'a\\`b`', 'a\\\\`b`'],
  ])('keeps %s', (_what, text, expected) => {
    expect(visible(escapeNote(text))).toEqual(expected);
  });

  it.each([
    ['a backtick that is never closed', 'it`s @ada', 'it\\`s @·ada'],
    ['one before code', 'it`s `code`', 'it\\`s `code`'],
    ['one that a cut left open', `${'x'.repeat(495)} \`long code\``, `${'x'.repeat(495)} \\\`lo…`],
    ['several in a row', '``a`` ```b``` `c``d`', '\\`\\`a\\`\\` \\`\\`\\`b\\`\\`\\` \\`c\\`\\`d\\`'],
    ['no words', '` ` `', '\\` \\` \\`'],
    ['a formula', '$`x`$', '\\$\\`x\\`\\$'],
    ['a list', '- a `b`', '\\- a `b`'],
    ['a command', '/agent fix `b`', '\\/agent fix `b`'],
  ])('disarms %s', (_what, text, expected) => {
    expect(visible(escapeNote(text))).toBe(expected);
  });

  it('lets nothing act in 20,000 random texts', () => {
    const pieces = [
      '`',
      '``',
      ' ',
      '\\',
      '@ada',
      '#5',
      '|',
      '<b>',
      '$',
      '<!-- x -->',
      'a',
      '[x](http://e.example)',
      '\n',
    ];
    let state = 7;
    const random = () => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return pieces[Math.floor((state / 2 ** 32) * pieces.length)];
    };
    let spans = 0;
    for (let round = 0; round < 20_000; round++) {
      const text = Array.from({ length: 12 }, random).join('');
      const note = escapeNote(text);
      if (/(?<!\\)`/.test(note)) spans++;
      expect(whatActs(note), JSON.stringify(text)).toEqual([]);
    }
    expect(spans).toBeGreaterThan(500);
  });
});

describe('codeSpan', () => {
  it.each([
    ['plain', '`plain`'],
    ['with space', '`with space`'],
    ['@ada <b>', '`@ada <b>`'],
    ['a|b', '<code>a&#124;b</code>'],
    ['`x` *y*', '<code>&#96;x&#96; &#42;y&#42;</code>'],
    ['back\\', '<code>back&#92;</code>'],
    ['line\nbreak', '`line break`'],
    ['', '<code> </code>'],
  ])('%j', (text, expected) => {
    expect(codeSpan(text)).toBe(expected);
  });
});

it('code spans and blocks hold nothing that our own searches look for', () => {
  expect(codeSpan('<!-- redgreen:end -->')).toMatch(/^<code>&#60;&#33;/);
  expect(codeSpan('</details>')).toMatch(/^<code>&#60;&#47;details/);
  expect(codeFence('<!-- redgreen:end -->')).toBe('```\n<!--  redgreen:end -->\n```');
});

describe('ownMarkdown', () => {
  it.each([
    ['code', 'Set `test-command` to `npm test`.', 'Set `test-command` to `npm test`.'],
    ['a link', '[docs](https://e.com/a)', '[docs](https://e.com/a)'],
    ['an address', 'See https://e.com/a.', 'See [https:·//e.com/a](https://e.com/a).'],
    ['bold', '**Now** do it', '**Now** do it'],
    ['one line', 'a\n\n- b', 'a - b'],
    ['code with a pipe', '`a|b`', '<code>a&#124;b</code>'],
  ])('keeps %s', (_what, text, expected) => {
    expect(visible(ownMarkdown(text))).toBe(expected);
  });

  it.each([
    ['a mention', '@ada', '@·ada'],
    ['a closing word', 'fixes #5', 'fixes #·5'],
    ['HTML', '<!-- redgreen:end -->', '&lt;!-- redgreen:end --&gt;'],
    ['a picture', '![i](https://e.com/i)', '!·[i](https://e.com/i)'],
    ['a script', '[x](javascript:alert(1))', '\\[x\\](javascript:alert(1))'],
    ['a backtick that is never closed', '` @ada', '\\` @·ada'],
    ['a list', '- a', '\\- a'],
    ['a command', '/agent fix', '\\/agent fix'],
  ])('disarms %s', (_what, text, expected) => {
    expect(visible(ownMarkdown(text))).toBe(expected);
  });

  it('shows a long text as plain text, soon', () => {
    const started = performance.now();
    for (const piece of ['`', '[', 'https://', '**', '[a](https://', 'https://.'])
      expect(ownMarkdown(piece.repeat(100_000)).length).toBeLessThan(6000);
    expect(performance.now() - started).toBeLessThan(1000);
  });
});

it('codeFence is longer than any fence inside', () => {
  expect(codeFence('a\n````\nb', 'ts`x')).toBe('`````tsx\na\n````\nb\n`````');
  expect(codeFence('a')).toBe('```\na\n```');
});

it('fold and link show outside text without effect', () => {
  expect(fold('</summary> @ada', 'body')).toBe(
    '<details>\n<summary>&lt;/summary&gt; @\u200bada</summary>\n\nbody\n\n</details>',
  );
  expect(link('x]', 'https://e.com/a')).toBe('[x\\]](https://e.com/a)');
  expect(link('x', 'javascript:alert(1)')).not.toContain('](');
  expect(link('x', 'https://e.com/) [y](z')).toContain('\\[y\\](z)');
});

it('table keeps cells apart whatever they hold', () => {
  expect(table(['A', 'B'], [['a | b', 'c\nd']])).toBe('| A | B |\n| --- | --- |\n| a &#124; b | c d |');
});

describe('keepWholeBlocks', () => {
  const text = [
    '# a',
    codeFence('x\n\ny'),
    fold('s', `${codeFence('z\n\n</details>')}\n\nend`),
    '### last',
    'words '.repeat(50).trim(),
  ].join('\n\n');

  it('leaves short text alone', () => {
    expect(keepWholeBlocks(text, text.length)).toBe(text);
  });

  it('keeps whole blocks from the start, for every length, and no heading alone', () => {
    const kept = new Set<string>();
    for (let max = 0; max < text.length; max++) {
      const short = keepWholeBlocks(text, max);
      expect(short.length).toBeLessThanOrEqual(max);
      kept.add(short.replace(/\n\n\*… more .*/, ''));
    }
    expect([...kept]).toEqual([
      '',
      `# a\n\n${codeFence('x\n\ny')}`,
      `# a\n\n${codeFence('x\n\ny')}\n\n${fold('s', `${codeFence('z\n\n</details>')}\n\nend`)}`,
    ]);
  });
});

describe('truncateMarkdown', () => {
  it('leaves short text alone', () => {
    expect(truncateMarkdown('short', 100)).toBe('short');
  });

  it('closes code blocks and folds that were open', () => {
    const text = `<details>\n<summary>x</summary>\n\n${codeFence('line ``` in it\n'.repeat(100))}\n\n</details>\n\nend`;
    const short = truncateMarkdown(text, 400);
    expect(short.length).toBeLessThanOrEqual(400);
    expect(short.match(/^````$/gm)).toHaveLength(2);
    expect(short.match(/<\/details>/g)).toHaveLength(1);
    expect(short.indexOf('</details>')).toBeGreaterThan(short.lastIndexOf('````'));
    expect(short).toContain('cut here');
  });

  it('cuts one endless line without halving a character or an entity', () => {
    for (let max = 100; max < 120; max++) {
      const short = truncateMarkdown('😀&amp;'.repeat(200), max);
      expect(short.length).toBeLessThanOrEqual(max);
      expect(short.isWellFormed()).toBe(true);
      expect(short.split('\n')[0]).toMatch(/^(?:😀|&amp;)*$/u);
    }
  });

  it('holds for every length', () => {
    const text = ['# a', codeFence('x\ny'), fold('s', codeFence('z')), 'words '.repeat(30)].join('\n\n');
    for (let max = 80; max < text.length; max++)
      expect(truncateMarkdown(text, max).length).toBeLessThanOrEqual(max);
  });
});
