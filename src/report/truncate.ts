/**
 * Markdown of at most `max` characters, cut at the end of a line; code blocks and folds that were open are closed, and the last line says
 * that something is missing. Comments and pull requests take 65,536 characters.
 */
export function truncateMarkdown(text: string, max: number): string {
  if (text.length <= max) return text;
  let open: Open = { fence: '', folds: 0 };
  let kept = '';
  for (const line of text.split('\n')) {
    const next = openAfter(open, line);
    if (kept.length + line.length + 1 + endOf(next).length > max) break;
    kept += `${line}\n`;
    open = next;
  }
  if (kept === '') kept = `${firstPart(text, max - endOf(open).length - 1)}\n`;
  return `${kept}${endOf(open)}`.slice(0, max);
}

/**
 * The blocks from the start that fit into `max` characters whole, and a last line that says that something is missing: no table, code block
 * or fold is cut in its middle, and no heading is left alone. Empty when nothing fits.
 */
export function keepWholeBlocks(text: string, max: number): string {
  if (text.length <= max) return text;
  const room = max - MISSING.length - 2;
  let open: Open = { fence: '', folds: 0 };
  let length = 0;
  let end = 0;
  for (const line of text.split('\n')) {
    if (length > room) break;
    if (line === '' && open.fence === '' && open.folds === 0) end = length;
    length += line.length + 1;
    open = openAfter(open, line);
  }
  const kept = text
    .slice(0, end)
    .trimEnd()
    .replace(/(?:^|\n)#{1,6} [^\n]*$/, '')
    .trimEnd();
  return kept === '' ? '' : `${kept}\n\n${MISSING}`;
}

const MISSING = '*… more did not fit here: it is in the summary of the run.*';

interface Open {
  /** The backticks of the code block that is open, or empty. */
  readonly fence: string;
  readonly folds: number;
}

function openAfter({ fence, folds }: Open, line: string): Open {
  const [, run = '', rest = ''] = /^(`{3,})(.*)$/.exec(line) ?? [];
  if (fence) return { fence: run.length >= fence.length && rest.trim() === '' ? '' : fence, folds };
  if (run) return { fence: run, folds };
  const opened = line.split('<details').length - line.split('</details>').length;
  return { fence, folds: Math.max(0, folds + opened) };
}

const NOTE = '*… cut here: the rest is in the log of the run.*';

const endOf = ({ fence, folds }: Open): string =>
  `${fence && `${fence}\n`}${'\n</details>\n'.repeat(folds)}\n${NOTE}`;

/** A single line that is too long: cut between words where there are any, and never inside an entity or a character. */
const firstPart = (text: string, max: number): string =>
  text
    .slice(0, Math.max(0, max))
    .replace(/[\ud800-\udbff]$/, '')
    .replace(/&[#\w]{0,10}$/, '')
    .replace(/\s\S*$/, '')
    .trimEnd();
