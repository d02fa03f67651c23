import { oneLine } from './plain-text.ts';

export interface CommitMessageInput {
  /** Title of the request; outside text. */
  readonly title: string;
  /** Ours, before the title, such as `Fix: `. */
  readonly prefix?: string;
  /** The model's account of the change; outside text. */
  readonly summary: string;
  readonly issue: number | undefined;
  /** Who gave the command; undefined for a run that nobody asked for. */
  readonly sender: { readonly login: string; readonly id: number } | undefined;
  readonly runUrl: string;
}

const BREAK = '\u200b';

/** A commit message in which nothing from outside acts: no mention, reference, closing word, `[skip ci]` or trailer but ours. */
export function commitMessage({ title, prefix, summary, issue, sender, runUrl }: CommitMessageInput): string {
  const subject =
    cutAtWord(`${prefix ?? ''}${defused(title.replaceAll('`', ''))}`, 72) || 'Change by redgreen';
  const body = summary.slice(0, 2_000).split('\n').map(defused).join('\n').trim();
  const about = issue === undefined ? '' : `For #${issue}.`;
  const author =
    sender && `Co-authored-by: ${sender.login} <${sender.id}+${sender.login}@users.noreply.github.com>`;
  const trailers = [`Redgreen-Run: ${runUrl}`, author].filter(Boolean).join('\n');
  return `${[subject, body, about, trailers].filter(Boolean).join('\n\n')}\n`;
}

function cutAtWord(text: string, max: number): string {
  if (text.length <= max) return text;
  const cut = text.slice(0, max).toWellFormed();
  const clause = /^.*[^\s][.;:,](?=\s)/.exec(cut)?.[0];
  if (clause && clause.length > max / 2) return clause.replace(/[\s(,;:.-]+$/, '');
  const end = cut.lastIndexOf(' ', max - 2);
  return `${(end > max / 2 ? cut.slice(0, end) : cut.slice(0, max - 1)).replace(/[\s(,;:-]+$/, '')}…`;
}

const defused = (line: string): string =>
  oneLine(line)
    .replaceAll(/[@#](?=\w)/g, `$&${BREAK}`)
    .replaceAll(/\bGH-(?=\d)/gi, match => `${match}${BREAK}`)
    .replaceAll(/\[(?=(?:skip|no)\s+\w|(?:ci|actions)\s+skip)/gi, `[${BREAK}`)
    .replaceAll('://', `:${BREAK}//`)
    .replaceAll('***NO_CI***', '*** NO_CI ***')
    // A line of `Word-Word: text` at the end of a message is a trailer.
    .replace(/^([A-Za-z][A-Za-z-]*)(?=\s*:)/, `$1${BREAK}`);
