import { escapeInline, link, ownMarkdown } from './markdown.ts';
import { plural } from './numbers.ts';

interface RunRow {
  readonly url: string;
  readonly id: number | string;
  /** What the list of runs calls it; outside text. */
  readonly what: string;
}

export interface CancelResult {
  readonly cancelled: readonly RunRow[];
  /** Those that had ended by themselves when they were to be stopped. */
  readonly over?: readonly RunRow[];
  /** `reason` is outside text, `cure` is Markdown of ours. */
  readonly refused: readonly {
    readonly id: number | string;
    readonly url: string;
    readonly reason: string;
    readonly cure: string;
  }[];
  /** True when there was no run to cancel. */
  readonly none: boolean;
}

/** The answer to `cancel`: which runs were told to stop, and which could not be. At most 65,000 characters. */
export function cancelText({ cancelled, over = [], refused, none }: CancelResult): string {
  if (none || cancelled.length + over.length + refused.length === 0)
    return 'There is no run of mine under way here, so there was nothing to cancel.';
  return [
    list('Told to stop; each says in its own comment what became of it:', cancelled, runText),
    list('Had ended before it could be stopped:', over, runText),
    list('Could not be cancelled:', refused, ({ id, url, reason, cure }) => {
      const why = escapeInline(reason, 300).replace(/\.+$/, '');
      return `${runLink(id, url)}: ${why || 'no reason was given'}. ${ownMarkdown(cure, 500)}`.trimEnd();
    }),
  ]
    .filter(part => part !== '')
    .join('\n\n');
}

const MAX_RUNS = 10;

function list<Item>(title: string, items: readonly Item[], line: (item: Item) => string): string {
  if (items.length === 0) return '';
  const rest = items.length - MAX_RUNS;
  const lines = items.slice(0, MAX_RUNS).map(item => `- ${line(item)}`);
  return [title, '', ...lines, ...(rest > 0 ? [`- and ${plural(rest, 'more run')}`] : [])].join('\n');
}

function runText({ id, url, what }: RunRow): string {
  const about = escapeInline(what, 200);
  return `${runLink(id, url)}${about && `: ${about}`}`;
}

const runLink = (id: number | string, url: string): string =>
  link(typeof id === 'number' ? `run ${id}` : `runs ${id}`, url);
