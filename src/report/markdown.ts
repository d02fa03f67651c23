import { cut, oneLine, plainText } from './plain-text.ts';

/** Keeps a mention, reference, link or command from being one; people do not see it. */
const BREAK = '\u200b';

/**
 * Outside text as Markdown that shows it and does nothing: no mention, reference, closing word, link, image, HTML, table, formula, heading,
 * list or slash command. Line breaks stay.
 */
export const escapeMarkdown = (text: string): string =>
  plainText(text).split('\n').map(escapeLine).join('\n');

/** The same on one line of at most `max` characters of the text, for headings, cells and sentences. */
export const escapeInline = (text: string, max = 500): string => escapeLine(cut(oneLine(text), max));

/**
 * `escapeInline`, but code spans stay: notes and reasons of ours name commands, inputs and files in backticks, among words from outside. In a
 * code span nothing acts, whoever wrote it; a backtick that encloses no words is shown as it is.
 */
export const escapeNote = (text: string, max = 500): string =>
  cut(oneLine(text), max)
    .split(NOTED_CODE)
    .map((piece, index) => (index % 2 === 1 ? codeSpan(piece) : escapeCharacters(piece)))
    .map((piece, index) => (index === 0 ? escapeStart(piece) : piece))
    .join('');

// Beside a dollar sign GitHub reads a formula.
const NOTED_CODE = /(?<![`$])`(?! )([^`]{1,200})(?<! )`(?![`$])/;

const escapeLine = (line: string): string => escapeStart(escapeCharacters(line.trim()));

const escapeCharacters = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    // An entity and not a backslash: it is safe in table cells whatever stands before it.
    .replaceAll('|', '&#124;')
    .replaceAll(/[\\`*_~[\]$]/g, '\\$&')
    .replaceAll('@', `@${BREAK}`)
    .replaceAll(/(?<!&)#(?=[0-9A-Za-z])/g, `#${BREAK}`)
    .replaceAll(/\b(GH)-(?=\d)/gi, `$1-${BREAK}`)
    .replaceAll('://', `:${BREAK}//`)
    .replaceAll(/\bwww\./gi, match => `${match.slice(0, -1)}${BREAK}.`);

/** Keeps a line from beginning a heading, a list, a rule or a command. */
const escapeStart = (line: string): string =>
  line.replace(/^(?:[-+=/#]|\d+(?=[.)]))/, start => (/\d/.test(start) ? `${start}${BREAK}` : `\\${start}`));

/**
 * One line of Markdown of ours into which outside text may have got, such as a cure that quotes an error: code spans, bold and links to http
 * and https addresses stay, and of the rest nothing acts. Past `max` characters it has swallowed something and is shown as plain text.
 */
export const ownMarkdown = (text: string, max = 1000): string =>
  text.length > max
    ? escapeInline(text, max)
    : oneLine(text)
        .split(OWN_PIECES)
        .map((piece, index) => (index % 2 === 1 ? ownPiece(piece) : betweenPieces(piece)))
        .join('')
        .replace(/^[^`*[]+/, escapeStart);

const OWN_PIECES =
  /(`[^`]+`|\[[^[\]]*\]\(https?:\/\/[^\s<>()"'`|\\]+\)|https?:\/\/[^\s<>()[\]"'`|\\]+(?<![.,:;!?*])|\*\*)/;

// Before a link, `!` makes it a picture.
const betweenPieces = (text: string): string => escapeCharacters(text).replace(/!$/, `!${BREAK}`);

function ownPiece(piece: string): string {
  if (piece === '**') return piece;
  if (piece.startsWith('`')) return codeSpan(piece.slice(1, -1), 1000);
  const [, text = piece, url = piece] = /^\[(.*)\]\((.*)\)$/.exec(piece) ?? [];
  return link(text, url);
}

/** Outside text as inline code, exact and safe in a table cell. Line breaks become spaces. */
export function codeSpan(text: string, max = 300): string {
  const shown = cut(plainText(text).replaceAll(/[\n\t]/g, ' '), max);
  if (shown.trim() === '') return '<code> </code>';
  if (/^[^`|\\\s](?:[^`|\\]*[^`|\\\s])?$/.test(shown) && !SEARCHED_FOR.test(shown)) return `\`${shown}\``;
  return `<code>${shown.replaceAll(/[!-/:-@[-`{-~]/g, char => `&#${char.charCodeAt(0)};`)}</code>`;
}

/** What our own search for marks and open folds must not find in a code span. */
const SEARCHED_FOR = /<(?:!--|\/?details)/i;

/** Outside text as a code block, in a fence longer than any inside. A mark of ours in it is spelled otherwise, since a search finds marks. */
export function codeFence(text: string, language = ''): string {
  const shown = plainText(text).trimEnd().replaceAll('<!-- redgreen', '<!--  redgreen');
  const fence = fenceFor(shown);
  return `${fence}${language.replaceAll(/[^A-Za-z0-9+-]/g, '')}\n${shown}\n${fence}`;
}

/** Backticks enough to enclose a text. */
export const fenceFor = (text: string): string => '`'.repeat(Math.max(3, 1 + longestRun(text)));

const longestRun = (text: string): number =>
  [...text.matchAll(/`+/g)].reduce((longest, [run]) => Math.max(longest, run.length), 0);

/** A block that is closed until clicked. `summary` is plain text, `body` is Markdown of ours. */
export const fold = (summary: string, body: string): string =>
  `<details>\n<summary>${escapeHtml(oneLine(summary))}</summary>\n\n${body}\n\n</details>`;

const escapeHtml = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll(/[@#](?=[0-9A-Za-z])/g, `$&${BREAK}`);

/** Outside text as a quotation, at most `max` characters of it. */
export const quote = (text: string, max: number): string =>
  escapeMarkdown(cut(plainText(text).trim(), max))
    .split('\n')
    .map(line => `> ${line}`.trimEnd())
    .join('\n');

/** A link with a text of ours. Only http and https addresses become links. */
export const link = (text: string, url: string): string =>
  /^https?:\/\/[^\s<>()"'`|\\]+$/.test(url)
    ? `[${escapeInline(text)}](${url})`
    : escapeInline(`${text} (${url})`);

/** A table of cells that are Markdown already. */
export function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map(cell).join(' | ')} |`;
  return [line(header), line(header.map(() => '---')), ...rows.map(line)].join('\n');
}

const cell = (markdown: string): string => markdown.replaceAll(/\s*\n\s*/g, ' ').replaceAll('|', '&#124;');
