import { harmlessLine, ownCopy } from './log-line.ts';
import type { Found } from './test-name-shapes.ts';

/** A test that a log calls failed. A file that could not be loaded at all has its path for a name. Outside text. */
export interface FailingTest {
  readonly file?: string;
  /** Groups and name, with ` > ` between. */
  readonly name: string;
}

/** A test as the log has it so far; its file may become known later. */
export interface Entry extends Found {
  file: string | undefined;
}

/** Where the readers of the different runners' prints write what they find. */
export interface TestNameBook {
  readonly note: (found: Found) => Entry;
  readonly forget: (keep: (entry: Entry) => boolean) => void;
  /** Each test once. */
  readonly result: () => readonly FailingTest[];
}

const MAX_TESTS = 200;
const MAX_NAME = 300;

/** Keeps the first `MAX_TESTS` names. */
export function openTestNameBook(): TestNameBook {
  const entries = new Map<string, Entry>();
  return {
    note: found => {
      const entry = entryOf(found);
      const key = `${entry.file ?? ''}\n${entry.name}`;
      const known = entries.get(key);
      if (!known && entries.size < MAX_TESTS) entries.set(key, entry);
      return known ?? entry;
    },
    forget: keep => {
      for (const [key, entry] of entries) if (!keep(entry)) entries.delete(key);
    },
    result: () => distinct([...entries.values()]),
  };
}

const entryOf = (found: Found): Entry => ({
  ...found,
  name: tidy(found.name.replaceAll(' › ', ' > ')),
  file: found.file === undefined ? undefined : relativePath(found.file),
});

const tidy = (text: string): string => ownCopy(harmlessLine(text).trim().slice(0, MAX_NAME));

/** GitHub's runners keep the checkout in a folder that ends in the repository's name twice. */
export const relativePath = (path: string): string =>
  tidy(
    path
      .replace(/^file:\/\//, '')
      .replaceAll('\\', '/')
      .replace(/^(?:\/home\/runner\/work|\/Users\/runner\/work|\/__w|[A-Z]:\/a)\/([^/]+)\/\1\//, ''),
  );

/** Runners tell a failure more than once: in a tree by its last name, in a list by all of them. The fullest account stays. */
function distinct(entries: readonly Entry[]): FailingTest[] {
  const kept = entries.filter(entry => !entries.some(other => other !== entry && covers(other, entry)));
  const tests = kept.map(({ file, name }) => ({ ...(file && { file }), name: name || file || '' }));
  return [...new Map(tests.map(test => [`${test.file ?? ''}\n${test.name}`, test])).values()];
}

function covers(fuller: Entry, entry: Entry): boolean {
  if (entry.group === 'go') return fuller.group === 'go' && fuller.name.startsWith(`${entry.name}/`);
  if (!entry.leaf || fuller.leaf) return false;
  const sameFile = entry.file === undefined || entry.file === fuller.file;
  return sameFile && (fuller.name === entry.name || fuller.name.endsWith(` > ${entry.name}`));
}
