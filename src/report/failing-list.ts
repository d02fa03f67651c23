import { codeSpan, escapeInline, table } from './markdown.ts';
import { plural } from './numbers.ts';
import { section } from './section.ts';

export interface FailingListContext {
  /** True when the same tests pass on the commit that the pull request started from. */
  readonly passOnBase: boolean;
}

/**
 * What was reproduced and is not mended: a section for the report of a fix that stopped early. `said` is what a test said when it failed; that
 * and the ids are outside text. At most 30 rows; empty when nothing fails.
 */
export function failingList(
  failing: readonly { readonly id: string; readonly said: string }[],
  { passOnBase }: FailingListContext,
): string {
  if (failing.length === 0) return '';
  const one = failing.length === 1;
  const seen = `${one ? 'This test' : 'These tests'} failed three times, the same way.`;
  const base = `${one ? 'It passes' : 'They pass'} on the commit that the pull request started from.`;
  const rows = failing
    .slice(0, MAX_ROWS)
    .map(({ id, said }) => [codeSpan(id, 250), escapeInline(said, 300) || 'nothing']);
  const rest = failing.length - rows.length;
  return section(
    'What fails',
    [
      passOnBase ? `${seen} ${base}` : seen,
      table(['Test', 'What it says'], rows),
      rest > 0 ? `*${plural(rest, 'more test')}, not listed.*` : '',
    ]
      .filter(part => part !== '')
      .join('\n\n'),
  );
}

const MAX_ROWS = 30;
