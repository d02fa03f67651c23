import type { FileKind, FileSummaryRow } from '../types.ts';
import { codeSpan, escapeInline, fold, table } from './markdown.ts';
import { count, plural } from './numbers.ts';

export interface FileTableLimits {
  /** Rows of all groups together; what is beyond is counted. */
  readonly maxRows: number;
  readonly maxDescription: number;
}

/** The file summary: a table for each kind of file that there is, folded when it is long. */
export function fileTable(rows: readonly FileSummaryRow[], limits: FileTableLimits): string {
  const ordered = KINDS.flatMap(([kind]) => rows.filter(row => row.kind === kind));
  const shown = ordered.slice(0, limits.maxRows);
  const groups = KINDS.map(([kind, title]) =>
    group(
      title,
      shown.filter(row => row.kind === kind),
      limits,
    ),
  );
  const rest = ordered.length - shown.length;
  const text = [...groups, rest > 0 ? `*${plural(rest, 'more file')}, not listed.*` : '']
    .filter(part => part !== '')
    .join('\n\n');
  return ordered.length > FOLD_ABOVE ? fold(plural(ordered.length, 'file'), text) : text;
}

/** Rows beyond which the summary is folded. */
const FOLD_ABOVE = 20;

const KINDS: readonly (readonly [FileKind, string])[] = [
  ['code', 'Code'],
  ['test', 'Tests'],
  ['data', 'Data'],
  ['image', 'Images'],
];

function group(title: string, rows: readonly FileSummaryRow[], { maxDescription }: FileTableLimits): string {
  if (rows.length === 0) return '';
  const cells = rows.map(row => [
    codeSpan(row.path, 200),
    row.status,
    lineCounts(row),
    escapeInline(row.description, maxDescription),
  ]);
  return table([title, 'Status', 'Lines', 'What'], cells);
}

const lineCounts = ({ added, removed }: FileSummaryRow): string =>
  added === undefined || removed === undefined ? 'binary' : `+${count(added)} −${count(removed)}`;
