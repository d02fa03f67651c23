import { createHash } from 'node:crypto';
import type { TestCase } from '../types.ts';
import { cleanLine, cleanText } from './clean-text.ts';

/** `file::group > name`. */
export const testId = (file: string, names: readonly string[]): string => `${file}::${joinNames(names)}`;

export const joinNames = (names: readonly string[]): string =>
  shorten(names.map(name => shorten(cleanLine(name))).join(' > '));

const MAX_NAME_CHARS = 500;

/** The hash keeps two long names apart that begin alike, such as one test with two long parameters. */
function shorten(name: string): string {
  if (name.length <= MAX_NAME_CHARS) return name;
  const hash = createHash('sha256').update(name).digest('hex').slice(0, 12);
  return `${name.slice(0, MAX_NAME_CHARS - 14).toWellFormed()}… ${hash}`;
}

/** Tests of the same name get ` #2`, ` #3` in the order of the report, so that an id names one test. */
export function withUniqueIds(cases: readonly TestCase[]): TestCase[] {
  const taken = new Set<string>();
  const next = new Map<string, number>();
  return cases.map(test => {
    let id = test.id;
    for (let count = next.get(test.id) ?? 1; taken.has(id); id = `${test.id} #${count}`) {
      count++;
      next.set(test.id, count);
    }
    taken.add(id);
    return id === test.id ? test : { ...test, id };
  });
}

/** A path from a report, relative to the work folder when it lies below it. */
export function relativePath(path: string, workdir: string): string {
  const plain = cleanText(path)
    .trim()
    .replace(/^file:\/\//, '');
  return plain.startsWith(`${workdir}/`) ? plain.slice(workdir.length + 1) : plain.replace(/^\.\//, '');
}
