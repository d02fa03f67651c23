import type { FileChange, FunctionSpec } from '../../types.ts';
import { changedFiles } from './changed-files.ts';
import { specList } from './spec-list.ts';

/** Step 2: tests by someone who never saw an implementation. */
export const writeTestsPrompt = ({
  environment,
  task,
  functions,
  stubStatement,
  stubs,
}: {
  readonly environment: string;
  readonly task: string;
  readonly functions: readonly FunctionSpec[];
  readonly stubStatement: string;
  /** What the specification step changed. */
  readonly stubs: readonly FileChange[];
}): string => `${environment}
${task}

# The specification
New functions, if any, are stubs for now: ${stubStatement}
${specList(functions)}
${changedFiles(stubs)}

# Your step: tests first
Write tests for the specification: the normal case, edge cases and each error, for every function. You may change test files only.
- Follow the existing tests: folder, file names, imports, style. New tests go into a new file or are added to a fitting one; existing tests stay as they are.
- Every new test must fail now, by its own assertion or because a stub is not implemented, and pass with any correct implementation. An error that the test did not expect (a missing name or parameter) is no good failure: if the specification lacks something that you need, call flag_blocked. A test that expects just any error passes against a stub: expect the specified error type or message.
- Put a case that holds already into one test together with a case that fails.
- Expected values come from the request and the specification, worked out by hand. No snapshots, sleeping, network, mocking of the function under test, or checks of its source text.
- run_tests says whether they fail for the right reason. Then call finish.`;
