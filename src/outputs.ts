import { setOutput, summary } from '@actions/core';
import type { WorkResult } from './commands/deps.ts';
import type { Publication } from './commands/publish.ts';
import type { Outcome, Usage } from './types.ts';

export interface OutputFacts {
  readonly outcome: Outcome;
  readonly reason: string;
  readonly usage?: Usage;
  readonly work?: WorkResult | undefined;
  readonly publication?: Publication | undefined;
  readonly proofPath?: string | undefined;
  readonly trajectoryPath?: string;
}

/** Sets every output of action.yml; those that a run has no value for are empty. Values have been redacted by the caller's `clean`. */
export function writeOutputs(facts: OutputFacts, clean: (text: string) => string): void {
  const { publication } = facts;
  const values: Record<string, string> = {
    outcome: facts.outcome,
    reason: facts.reason,
    'pull-request-number': publication?.pullRequest ? String(publication.pullRequest.number) : '',
    'pull-request-url': publication?.pullRequest?.url ?? '',
    branch: publication?.branch ?? '',
    'head-sha': publication?.headSha ?? '',
    patch: publication?.patchPath ?? '',
    'file-summary': JSON.stringify(publication?.rows ?? []),
    result: JSON.stringify(resultObject(facts)),
    proof: facts.proofPath ?? '',
    trajectory: facts.trajectoryPath ?? '',
  };
  for (const [name, value] of Object.entries(values)) setOutput(name, clean(value));
}

/** The structured result, with the names that earlier systems of this kind used. */
export function resultObject({ outcome, reason, usage, work, publication }: OutputFacts) {
  const rows = publication?.rows ?? [];
  const pathsOf = (kind: string) => rows.filter(row => row.kind === kind).map(row => row.path);
  const functions = work?.functions ?? [];
  const failToPass = work?.proof?.failToPass ?? [];
  return {
    outcome,
    reason,
    function_specs: functions,
    implementations: Object.fromEntries(
      rows
        .filter(row => row.kind === 'code' && row.status !== 'deleted')
        .map(row => [row.path, row.description]),
    ),
    tests: failToPass.map(test => test.id),
    test_results: Object.fromEntries(
      failToPass.map(test => [test.id, { before: test.before, after: test.after }]),
    ),
    all_tests_passed: work?.proof?.proven ?? false,
    usage,
    file_summary: {
      code_files: pathsOf('code'),
      test_files: pathsOf('test'),
      data_files: pathsOf('data'),
      image_files: pathsOf('image'),
      descriptions: Object.fromEntries(rows.map(row => [row.path, row.description])),
    },
  };
}

/** Adds to the step's summary page. GitHub takes 1 MiB; the text is cut before. */
export async function writeSummary(markdown: string): Promise<void> {
  await summary.addRaw(markdown).write();
}
