import type { FileChange } from '../../types.ts';
import { quotedData } from './quoted-data.ts';

/** Short new files are shown whole; they are what a role would read first. */
const MAX_SHOWN = 8_000;

/** What earlier steps changed since the listing of the repository was made; empty when nothing. */
export function changedFiles(state: readonly FileChange[]): string {
  if (state.length === 0) return '';
  const list = state
    .map(file => `${file.path} (${file.status === 'added' ? 'new' : file.status})`)
    .join(', ');
  let left = MAX_SHOWN;
  const shown = state.flatMap(file => {
    const text = file.status === 'added' && file.after ? file.after.bytes.toString() : '';
    left -= text.length;
    return text && left >= 0 ? [quotedData(file.path, text)] : [];
  });
  return ['', `Changed by earlier steps: ${list}`, ...shown].join('\n');
}
