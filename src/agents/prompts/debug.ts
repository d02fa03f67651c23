import { quotedData } from './quoted-data.ts';

export interface DebugBrief {
  readonly environment: string;
  readonly task: string;
  /** What else is known, such as logs and what a pull request changed; quoted as data, or empty. */
  readonly context: string;
  /** How the tests fail, from their report. */
  readonly failures: string;
  readonly targets: readonly string[];
  /** Test files that were written to show the bug, with their text where it is short. */
  readonly testFiles: readonly { readonly path: string; readonly text: string | undefined }[];
  readonly postMortem: string | undefined;
}

const MAX_TARGETS = 30;

/** Cause before cure: the harness refuses edits until a cause was named with evidence. */
export const debugPrompt = (brief: DebugBrief): string => `${brief.environment}
${brief.task}
${brief.context}
# What fails
These tests failed three times, each time the same way:
${quotedData('names of the failing tests', namesOf(brief))}
${quotedData('test run', brief.failures)}

# Your step: find the cause, then fix it
1. Find out before you change: read what fails, follow it into the code, run small experiments in the shell. Edits are refused until you have called name_cause with the root cause, its place, and evidence quoted from what you saw. What an experiment changed is put back then.
2. Fix the cause where it lies, not where it shows, with the smallest change that is right for every caller and every input. Where the same faulty lines stand elsewhere, such as a copy or a built file, fix them all. No special case for a test, no retry, sleep or swallowed error.
3. run_tests until they pass, then finish: the harness runs them and the whole suite. Say in the summary what was changed and why that cures the cause.
Test files and configuration are read-only. If a test is wrong and the code is right, call flag_blocked with reason needs_test_change and say what the test should expect and why.
${brief.testFiles.flatMap(file => (file.text === undefined ? [] : [`\n${quotedData(file.path, file.text)}`])).join('\n')}${brief.postMortem ? `\n\n# An earlier attempt failed\n${brief.postMortem}\nThe code is back at its start. Look for another cause.` : ''}`;

/** Names are the repository's, and may say anything. */
const namesOf = ({ targets, testFiles }: DebugBrief): string =>
  [
    `in ${testFiles.map(file => file.path).join(', ')}:`,
    ...targets.slice(0, MAX_TARGETS).map(id => `- ${id}`),
    ...(targets.length > MAX_TARGETS ? [`and ${targets.length - MAX_TARGETS} more`] : []),
  ].join('\n');
