/** First step of a fix from words: tests that show the bug. Pinning the wrong behaviour down before turning it around is AssertFlip's way. */
export const reproducePrompt = ({
  environment,
  task,
  context,
}: {
  readonly environment: string;
  readonly task: string;
  /** What else is known, such as logs; quoted as data, or empty. */
  readonly context: string;
}): string => `${environment}
${task}
${context}
# Your step: reproduce the bug by tests
The request describes wrong behaviour. Somebody else will fix it; you show it, in two moves. You may change test files only.
1. Pin down what the code does now. Write one test, or the few that the report needs, which call the code as the report does and expect the wrong behaviour exactly as it is today: the wrong value, or the error that is thrown. Give each test the name of the RIGHT behaviour. They pass now. Call finish; the harness runs them.
2. Turn the expectations around: same tests, same names, same calls, but now they expect what is right. They fail now. Call finish again; the harness runs them three times, and they must fail each time in the same way, by their own assertion, or by the very error that the report tells of, thrown by the repository's own code.
- Put them into a fitting existing test file or a new one, in the style of the others; existing tests stay as they are.
- As narrow as the report: no test for what it does not speak of. Expected values come from the report and the documentation, not from what is easy to make true.
- If the code behaves as it should, also when it does what the report shows but its documentation or an existing test says that this is right, or if the bug can not show itself here (another system, a network, another version), call flag_blocked with reason not_reproducible; say what you saw, and quote what says that it is right.
- If the report is about tests of this repository that fail already, write none: call flag_blocked with reason tests_fail_already and name them.
- In the summary of the last finish say which symptom of the report each test shows.`;
