import type { TestCase } from '../types.ts';
import { cleanLine, cleanText } from './clean-text.ts';

/** `file::group > name`. */
export const testId = (file: string, names: readonly string[]): string => `${file}::${joinNames(names)}`;

export const joinNames = (names: readonly string[]): string => names.map(cleanLine).join(' > ');

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
