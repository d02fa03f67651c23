import type { BaseFiles } from '../types.ts';
import type { TestRunner } from './test-runner.ts';

const MAX_FILES = 3;

/** Folders of other people's code, also when they are committed. */
const VENDORED =
  /^(?:.*?\/)??(?:node_modules|bower_components|vendor|vendored|third[_-]party|\.?venv|site-packages)(?=\/)/;

/** The outermost folder of other people's code that a path lies in, or undefined. */
export const vendoredFolder = (path: string): string | undefined => VENDORED.exec(path)?.[0];

/**
 * Up to three test files that show how this repository writes tests: from the folder that has most of them, spread over
 * its alphabet. Fixtures, snapshots and helpers are not among them, nor what is vendored.
 */
export function typicalTests(files: BaseFiles, runner: Pick<TestRunner, 'isTestFile'>): string[] {
  const own = files.paths.filter(path => runner.isTestFile(path) && !vendoredFolder(path));
  const byFolder = Map.groupBy(own, folderOf);
  const [largest = []] = [...byFolder.values()].sort((a, b) => b.length - a.length);
  if (largest.length <= MAX_FILES) return largest;
  return [0, Math.floor(largest.length / 2), largest.length - 1].flatMap(index => largest[index] ?? []);
}

const folderOf = (path: string): string => path.slice(0, path.lastIndexOf('/') + 1);
