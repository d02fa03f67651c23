import type { BaseFiles } from '../types.ts';
import type { TestRunner } from './test-runner.ts';

const MAX_FILES = 3;

/**
 * Up to three test files that show how this repository writes tests: from the folder that has most of them, spread over
 * its alphabet. Fixtures, snapshots and helpers are not among them.
 */
export function typicalTests(files: BaseFiles, runner: Pick<TestRunner, 'isTestFile'>): string[] {
  const byFolder = Map.groupBy(files.paths.filter(runner.isTestFile), folderOf);
  const [largest = []] = [...byFolder.values()].sort((a, b) => b.length - a.length);
  if (largest.length <= MAX_FILES) return largest;
  return [0, Math.floor(largest.length / 2), largest.length - 1].flatMap(index => largest[index] ?? []);
}

const folderOf = (path: string): string => path.slice(0, path.lastIndexOf('/') + 1);
