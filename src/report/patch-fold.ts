import { fenceFor, fold } from './markdown.ts';
import { plainText } from './plain-text.ts';
import type { Redact } from './redact.ts';

/**
 * A change that could not be pushed, for whoever can: a small patch stands folded in the text, exactly as it is; of any other it is said where
 * to find it. A patch in which something is to be redacted, or which Markdown could not carry unchanged, is never shown.
 */
export function patchFold(patch: string, maxChars: number, redact: Redact = text => text): string {
  if (patch.trim() === '') return '';
  if (patch.length > maxChars || redact(patch) !== patch || !isShowable(patch)) return ELSEWHERE;
  const fence = fenceFor(patch);
  const block = `${fence}diff\n${patch}${patch.endsWith('\n') ? '' : '\n'}${fence}`;
  return fold('The change as a patch', `${INSTRUCTIONS}\n\n${block}`);
}

const INSTRUCTIONS =
  'Save it as `change.patch`, and in a checkout of this pull request’s branch:\n\n```sh\ngit apply change.patch\n```';

const ELSEWHERE =
  'The change is `change.patch` among the run’s files, which the workflow uploads as an artifact. In a checkout of this pull request’s branch, `git apply change.patch` applies it.';

/** Bytes that are no UTF-8, invisible characters and odd line ends would not survive; a mark of ours would be found by a search. */
const isShowable = (patch: string): boolean =>
  plainText(patch) === patch && !patch.includes('\ufffd') && !patch.includes('<!-- redgreen');
