import { type FailingTest, openTestNameBook } from './test-name-book.ts';
import { listedTest } from './test-name-shapes.ts';
import { openRunnerStates } from './test-name-states.ts';

/** Finds the names of failing tests in what test runners print, line by line. */
export interface FailingTests {
  /** `account`: a failure's account begins here. `mention`: a test of a list or a tree. */
  readonly add: (line: string) => 'account' | 'mention' | undefined;
  readonly result: () => readonly FailingTest[];
}

export function openFailingTests(): FailingTests {
  const book = openTestNameBook();
  const readers = openRunnerStates(book);
  return {
    add: line => {
      for (const read of readers) {
        const said = read(line);
        if (said) return said;
      }
      const found = listedTest(line);
      if (!found) return undefined;
      book.note(found);
      return 'mention';
    },
    result: book.result,
  };
}
