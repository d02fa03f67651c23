/** Step 1: function specs as data, and stubs that compile. */
export const specifyPrompt = ({
  environment,
  task,
  stubStatement,
}: {
  readonly environment: string;
  readonly task: string;
  readonly stubStatement: string;
}): string => `${environment}
${task}

# Your step: specification and stubs
1. Find where the request belongs. Choose the public functions, methods or commands through which tests can reach it; internal details are left to whoever implements.
2. For each one that does not exist yet, create a stub: right place, right signature, exported where callers and tests expect it, with a doc comment, and a body that is only: ${stubStatement}
   Existing functions whose behaviour must change, inherited ones too, keep their body; only specify them. If one gets a new parameter, add it to the signature now, with its default and unused, so that tests can pass it. Do not implement anything: the tests are written against your stubs by someone else and must fail first.
3. Do not touch tests. What passed must still pass.
4. Call finish with \`functions\`: for each its name as in the code, file, purpose, inputs, outputs, errors, and the other specified functions it depends on (no cycles). Be exact about values, types, edge cases and error types: the test writer sees your specification and the request, not your thoughts. Where the request leaves a small point open, do as the code around it does and say so in the specification. Documentation is written in the implementation step.`;
