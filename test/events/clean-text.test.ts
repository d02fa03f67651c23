import { describe, expect, it } from 'vitest';
import { cleanText } from '../../src/events/clean-text.ts';

const tags = (text: string) => [...text].map(c => String.fromCodePoint(0xe0000 + c.charCodeAt(0))).join('');

describe('hidden text is gone:', () => {
  it.each([
    ['an HTML comment', 'a <!-- SECRET --> b', 'a  b'],
    ['a comment over lines', 'a\n<!--\nSECRET\n\nSECRET\n-->\nb', 'a\n\nb'],
    ['a comment that ends with --!>', 'a <!-- SECRET --!> b', 'a  b'],
    ['a comment in a comment', 'a <!<!-- x -->-- SECRET --> b', 'a  b'],
    ['a comment that never ends', 'a\n<!-- SECRET\nSECRET', 'a'],
    ['an encoded comment', 'a &lt;!-- SECRET --&gt; b', 'a  b'],
    ['a comment encoded many times', `a &${'amp;'.repeat(50)}lt;!-- SECRET --&#x3e; b`, 'a  b'],
    ['a comment broken by a zero-width space', 'a <\u200b!-- SECRET --> b', 'a  b'],
    ['CDATA', 'a <![CDATA[ SECRET ]]> b', 'a  b'],
    ['a processing instruction', 'a <? SECRET ?> b', 'a  b'],
    ['a declaration', 'a <!SECRET> b', 'a  b'],
    ['an attribute', '<img alt="SECRET" src="x.png">', '<img src="x.png">'],
    ['an attribute that holds a bracket', '<b title="> SECRET">x</b>', '<b>x</b>'],
    ['words in a tag that no page knows', 'a <note SECRET SECRET> b', 'a <note> b'],
    ['words in a closing tag', 'a <b>x</b SECRET>', 'a <b>x</b>'],
    ['the description of an image', '![SECRET](x.png)', '![](x.png)'],
    ['the title of a link', '[x](y "SECRET")', '[x](y)'],
    ['a definition that nothing uses', 'a\n\n[//]: # (SECRET)\n\nb', 'a\n\nb'],
    ['the title of a used definition', 'see [x]\n\n[x]: http://y "SECRET"', 'see [x]\n\n[x]: http://y'],
    ['a title on the next line', 'see [x]\n\n[x]: \n http://y\n "SECRET"', 'see [x]\n\n[x]: http://y'],
    ['a title with an escaped quote', 'a\n\n[//]: # "S \\" SECRET"\n\nb', 'a\n\nb'],
    ['a comment encoded many times with numbers', `a &${'#38;#x26;'.repeat(50)}lt;!-- SECRET -->b`, 'a b'],
    ['Unicode tags', `a${tags('SECRET')}b`, 'ab'],
    ['zero-width characters', 'S\u200bE\u200dC\u2060R\ufeffE\u00adT', 'SECRET'],
    ['bidirectional controls', 'a\u202eb\u2066c\u200fd\u061ce', 'abcde'],
    ['control characters', 'a\0b\x08c\x7fd\x9be', 'abcde'],
    ['ANSI sequences', 'a\x1b[8mb\x1b[0mc\x1b]8;;SECRET\x07d', 'abcd'],
    ['encoded invisible characters', 'a&#8203;b&zwnj;c&#x202E;d', 'abcd'],
    ['bytes in variation selectors', '\u2764\ufe0f\ufe0e\ufe0f\u{e0101}\u{e0155}', '\u2764\ufe0f'],
    ['half of a surrogate pair', 'a\ud800b', 'a\ufffdb'],
  ])('%s', (_what, text, clean) => {
    expect(cleanText(text)).toBe(clean);
  });
});

describe('visible text stays:', () => {
  it.each([
    ['Markdown', '# Title\n\n- [ ] *a*\n- `b`\n\n> c & d < e > f && g << h'],
    ['types with angle brackets', 'Map<string, number> and a < b, c > d, Array<Foo>'],
    ['letters of the world and emoji', 'Zażółć 測試 שלום ❤️ 👍🏽'],
    ['entities that stand for letters', 'caf&eacute;'],
    ['a stray ampersand and a bare number', 'R&D, &#;, &unknown;'],
    ['HTML in a fence', '```html\n<!-- shown --><img alt="shown">\n&lt;\n[x]: # (shown)\n```'],
    ['HTML in a fence of tildes', '~~~~\n```\n<!-- shown -->\n~~~~'],
    ['a fence that never ends', 'a\n```\n<!-- shown -->'],
  ])('%s', (_what, text) => {
    expect(cleanText(text)).toBe(text);
  });

  it('a literal opening of a comment loses only its mark', () => {
    expect(cleanText('write <!-- to begin')).toBe('write -- to begin');
  });
});

describe('a fence hides nothing', () => {
  it.each([
    ['inside a comment', 'a\n<!--\n```\nSECRET\n```\n-->\nb'],
    ['inside HTML, where it is no fence', '<div>\n```\n<!-- SECRET -->\n```\n</div>'],
    ['inside pre, past an empty line', '<pre>\n\n```\n<!-- SECRET -->\n```\n</pre>'],
    ['after an invisible character', '\u200b```\n<!-- SECRET -->\n```'],
    ['made of entities', '&#96;&#96;&#96;\n<!-- SECRET -->\n&#96;&#96;&#96;'],
    ['with a backtick in its first line', '``` a`b\n<!-- SECRET -->\n```'],
    ['that was closed already', '```\nx\n```\n<!-- SECRET -->\n```\ny\n```'],
    ['inside a quote', '> ```\n> <!-- SECRET -->\n> ```'],
    ['for invisible characters in it', '```\n\u200b\u202e\u200b\n```'],
  ])('%s', (_what, text) => {
    expect(cleanText(text)).not.toMatch(/SECRET|[\u200b\u202e]/);
  });
});

describe('long text', () => {
  it('keeps its beginning and its end, and says how much is left out', () => {
    const clean = cleanText(`BEGIN ${'x'.repeat(50_000)} END`);
    expect(Buffer.byteLength(clean)).toBeLessThanOrEqual(16_384);
    expect(clean).toMatch(/^BEGIN x+\n\n\[… [\d,]+ bytes left out …\]\n\nx+ END$/);
  });

  it('is never cut inside a character', () => {
    for (const shift of [0, 1, 2, 3]) {
      const clean = cleanText('a'.repeat(shift) + '👍'.repeat(1_000), 400);
      expect(clean).not.toContain('\ufffd');
      expect(Buffer.byteLength(clean)).toBeLessThanOrEqual(400);
    }
  });

  it('up to the limit is whole', () => {
    expect(cleanText('x'.repeat(16_384))).toBe('x'.repeat(16_384));
  });

  it.each([
    ['<!--'.repeat(16_000)],
    ['<!'.repeat(10_000) + '-->'.repeat(10_000)],
    ['<a "'.repeat(16_000)],
    ['['.repeat(65_000)],
    ['![a]('.repeat(13_000)],
    [`&${'amp;'.repeat(16_000)}`],
    ['[a]: b\n'.repeat(9_000)],
    [`[${'a]: '.repeat(16_000)}`],
    [`[a]: x${' '.repeat(65_000)}y`],
    [`[a]: x\n${' '.repeat(65_000)}\n${' '.repeat(65_000)}y`],
    [`[a]: ${'('.repeat(65_000)} x`],
    ['[a]: b (\n'.repeat(7_000)],
    ['\u2028['.repeat(40_000)],
    [`&${'#38;#x26;'.repeat(15_000)}lt;`],
  ])('that attacks the cleaner is done with soon: %#', text => {
    const started = performance.now();
    cleanText(text);
    expect(performance.now() - started).toBeLessThan(3_000);
  });
});

it('cleaning twice changes nothing more', () => {
  const text = 'a &amp;lt;b <!-- x --> [x]: # (y)\n\n```\n&lt;\n```\n<i title="q">z</i>';
  expect(cleanText(cleanText(text))).toBe(cleanText(text));
});
