import { decodeEntities } from './html-entities.ts';
import { splitSegments } from './markdown-segments.ts';

/**
 * Text from an issue or a comment as a reader of the page saw it: whatever the page hides is gone (comments, invisible
 * characters, attributes, link titles, image descriptions, link definitions that nothing uses). Fenced code stays as it
 * is, but for invisible characters. Longer than `maxBytes` of UTF-8 keeps its beginning and its end.
 */
export function cleanText(text: string, maxBytes = 16_384): string {
  const lines = text.toWellFormed().replace(/\r\n?/g, '\n');
  const cleaned = splitSegments(lines).map(segment =>
    segment.kind === 'code' ? stripInvisible(segment.text) : cleanProse(segment.text),
  );
  const tidy = cleaned.join('\n').replace(/\n{3,}/g, '\n\n');
  return cutMiddle(tidy.trim(), maxBytes);
}

const PROSE_STEPS = [
  decodeEntities,
  stripInvisible,
  stripComments,
  stripDefinitions,
  stripTitles,
  stripAttributes,
];

/** Each step can uncover work for another (`<!<!-- -->-- … -->`), so they are repeated until nothing changes. */
function cleanProse(prose: string): string {
  let text = prose;
  for (;;) {
    const cleaned = PROSE_STEPS.reduce((value, step) => step(value), text);
    if (cleaned === text) return text;
    text = cleaned;
  }
}

const ANSI = /\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?)/g;
const INVISIBLE = new RegExp(
  [
    '[\\0-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f-\\x9f]',
    '[\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b-\\u200f\\u202a-\\u202e]',
    '[\\u2060-\\u206f\\u3164\\ufe00-\\ufe0d\\ufeff\\uffa0\\ufff0-\\ufffb]',
    '[\\u{1bca0}-\\u{1bca3}\\u{1d173}-\\u{1d17a}\\u{e0000}-\\u{e0fff}]',
    // One selector after a character chooses how it is drawn; more carry hidden bytes.
    '(?<=[\\ufe0e\\ufe0f])[\\ufe0e\\ufe0f]',
  ].join('|'),
  'gu',
);

/** Removes characters that have no shape: controls, zero-width, bidirectional, tags, surplus variation selectors. */
export function stripInvisible(text: string): string {
  return text.replace(ANSI, '').replace(INVISIBLE, '');
}

const HIDDEN = /<!--|<!\[CDATA\[|<\?|<![a-z]/gi;

/** HTML comments, declarations, instructions and CDATA. One that never ends hides the rest when it begins a line, as on the page. */
function stripComments(text: string): string {
  const endless = new Set<string>();
  let kept = '';
  let at = 0;
  for (;;) {
    HIDDEN.lastIndex = at;
    const opened = HIDDEN.exec(text);
    if (!opened) return kept + text.slice(at);
    kept += text.slice(at, opened.index);
    const closing = closingOf(opened[0]);
    const end = endless.has(closing.source) ? undefined : endAfter(text, opened.index + 2, closing);
    if (end === undefined && /(^|\n) {0,3}$/.test(kept.slice(-4))) return kept;
    if (end === undefined) endless.add(closing.source);
    at = end ?? opened.index + 2;
  }
}

function closingOf(opening: string): RegExp {
  if (opening === '<!--') return /--!?>/g;
  if (opening === '<?') return /\?>/g;
  return opening.startsWith('<![') ? /\]\]>/g : />/g;
}

function endAfter(text: string, from: number, closing: RegExp): number | undefined {
  closing.lastIndex = from;
  return closing.test(text) ? closing.lastIndex : undefined;
}

// Every part begins with what the part before it can not hold, so that no text makes it try one place many times:
// a line end at most once, a title only after white space and without an opening bracket inside its own.
const DEFINITION = new RegExp(
  [
    String.raw`(?<![^\n]) {0,3}\[([^\]\n]+)\]:[ \t]*(?:\n[ \t]*)?(<[^>\n]*>|\S+)`,
    String.raw`(?:(?:[ \t]+(?:\n[ \t]*)?|\n[ \t]*)`,
    String.raw`(?:"(?:\\[^]|[^"\\])*"|'(?:\\[^]|[^'\\])*'|\((?:\\[^]|[^()\\])*\)))?[ \t]*(?![^\n])`,
  ].join(''),
  'g',
);

/** Link definitions are never shown: one that nothing uses is a hiding place, and so is the title of any. */
function stripDefinitions(text: string): string {
  const body = text.replace(DEFINITION, '').toLowerCase();
  return text.replace(DEFINITION, (_whole, label: string, target: string) =>
    body.includes(`[${label.toLowerCase()}]`) ? `[${label}]: ${target}` : '',
  );
}

/** Titles of links show only under a mouse; descriptions of images only when the image is missing. */
function stripTitles(text: string): string {
  return text
    .replace(/!\[[^\][]+\]([([])/g, '![]$1')
    .replace(/(\]\([^()\s]*)\s+(?:"[^"]*"|'[^']*'|\([^()]*\))\s*\)/g, '$1)');
}

/** A tag keeps its name and where it points; the page drops or hides everything else in it. */
function stripAttributes(text: string): string {
  return text.replace(/<(\/?[a-z][a-z0-9-]*)\s(?:"[^"]*"|'[^']*'|[^"'<>])*>/gi, (tag, name: string) => {
    const target = /\s(href|src)\s*=\s*("[^"\s]*"|'[^'\s]*'|[^\s"'<>]+)/i.exec(tag);
    return target ? `<${name} ${target[1]}=${target[2]}>` : `<${name}>`;
  });
}

function cutMiddle(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= maxBytes) return text;
  const half = Math.floor((maxBytes - 64) / 2);
  const head = bytes.subarray(0, boundary(bytes, half));
  const tail = bytes.subarray(boundary(bytes, bytes.length - half));
  const left = bytes.length - head.length - tail.length;
  return `${head}\n\n[… ${left.toLocaleString('en-US')} bytes left out …]\n\n${tail}`;
}

/** The nearest place at or before `at` where no character is cut in two. */
function boundary(bytes: Buffer, at: number): number {
  let place = Math.max(0, at);
  while (place > 0 && ((bytes[place] ?? 0) & 0xc0) === 0x80) place--;
  return place;
}
