import type { FileChange, FunctionSpec } from '../../types.ts';
import { changedFiles } from './changed-files.ts';
import { quotedData } from './quoted-data.ts';
import { specList } from './spec-list.ts';

export interface ImplementBrief {
  readonly environment: string;
  readonly task: string;
  readonly functions: readonly FunctionSpec[];
  /** The frozen test files, with their text where it is short enough to save a turn of reading. */
  readonly testFiles: readonly { readonly path: string; readonly text: string | undefined }[];
  readonly newTests: number;
  /** What earlier steps changed, without the tests. */
  readonly changed: readonly FileChange[];
  /** What an earlier attempt came to, when this one starts over. */
  readonly postMortem: string | undefined;
}

/** Step 3: implementation against frozen tests. */
export const implementPrompt = (brief: ImplementBrief): string => `${brief.environment}
${brief.task}

# The specification
${specList(brief.functions)}
${changedFiles(brief.changed)}

# Your step: implementation
${brief.newTests} new tests in ${brief.testFiles.map(file => file.path).join(', ')} fail now. Make them pass without breaking others. Implement what the specification and the request ask for, not just what the tests try: a person reads the change against the request. Documentation that the request asks for is part of this step.
Test files and configuration are read-only; what you change there is put back. If a test contradicts the request, call flag_blocked with reason test_contradicts_spec and the test's name.
Replace stubs where there are any. Run run_tests until the new tests pass, then finish: the harness then runs the whole suite, and if something broke you get its summary.
${brief.testFiles.flatMap(file => (file.text === undefined ? [] : [`\n${quotedData(file.path, file.text)}`])).join('\n')}${brief.postMortem ? `\n\n# An earlier attempt failed\n${brief.postMortem}\nThe code is back at the stubs. Take another approach.` : ''}`;
