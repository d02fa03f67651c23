import type { FileKind, FileSummaryRow } from '../types.ts';

/** What a file is to a reader of the summary. Whatever the test runner claims is a test, fixtures and snapshots included. */
export function fileKind(path: string, isTest: (path: string) => boolean): FileKind {
  if (isTest(path)) return 'test';
  if (IMAGES.test(path)) return 'image';
  if (DATA.test(path) || (SOMETIMES_DATA.test(path) && DATA_FOLDER.test(path))) return 'data';
  return 'code';
}

const IMAGES = /\.(?:png|jpe?g|gif|svg|webp|avif|bmp|ico|tiff?|eps|pdf)$/i;
const DATA =
  /\.(?:csv|tsv|jsonl|ndjson|geojson|parquet|arrow|feather|avro|orc|xlsx?|ods|sqlite3?|db|np[yz]|pkl|pickle|h5|hdf5|mat|rds|rdata|nc|fits|wav|mp3|zip|gz|bz2|xz|zst|tar)$/i;
const SOMETIMES_DATA = /\.(?:json|ya?ml|xml|txt|dat|bin)$/i;
const DATA_FOLDER = /(?:^|\/)(?:data|datasets?|results?|outputs?)\//i;

/** The sentence for a file that nobody described: facts alone. */
export function fallbackDescription(row: Omit<FileSummaryRow, 'description'>): string {
  const what = NOUNS[row.kind];
  const { added, removed } = row;
  if (added === undefined || removed === undefined) return `${STATUS[row.status]} ${what}, binary.`;
  if (row.status === 'added') return `${STATUS.added} ${what}, ${lines(added)}.`;
  if (row.status === 'deleted') return `${STATUS.deleted} ${what}, ${lines(removed)}.`;
  if (added === 0 && removed === 0) return `Changed ${what}: its mode or its being a link, no lines.`;
  return `Changed ${what}: ${lines(added)} added, ${removed} removed.`;
}

const NOUNS: Readonly<Record<FileKind, string>> = {
  code: 'file',
  test: 'test file',
  data: 'data file',
  image: 'image',
};
const STATUS = { added: 'New', modified: 'Changed', deleted: 'Deleted' } as const;

const lines = (count: number): string => `${count} ${count === 1 ? 'line' : 'lines'}`;
