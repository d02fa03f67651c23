import { cutMiddle, plain } from '../agents/cut-text.ts';
import type { AgentEnd } from '../agents/loop.ts';
import type { TreeState } from '../agents/tree-state.ts';
import type { TestRunner } from '../test-runners/test-runner.ts';
import type { FunctionSpec, TestRun } from '../types.ts';
import { cureFor } from './check-tests.ts';
import type { WorkResult } from './deps.ts';
import type { Prepared } from './prepare-sandbox.ts';

/** What is known of the work when it stops early. */
export interface WorkSoFar {
  readonly runner: TestRunner;
  readonly prepared: Prepared;
  readonly change: TreeState;
  readonly descriptions: ReadonlyMap<string, string>;
  readonly summary: string;
  readonly functions: readonly FunctionSpec[];
  readonly testCommand: string;
}

/** The facts that every result carries, whatever its outcome. */
export const resultOf = (outcome: WorkResult['outcome'], reason: string, work: WorkSoFar): WorkResult => ({
  outcome,
  reason,
  change: work.change,
  descriptions: work.descriptions,
  summary: work.summary,
  functions: work.functions,
  isTestPath: work.runner.isTestPath,
  commands: [work.prepared.setupCommand, work.testCommand].filter(Boolean),
  sandbox: `${work.prepared.sandbox.kind} (${work.prepared.sandbox.image})`,
});

const STOPPED: Readonly<Record<Extract<AgentEnd, { kind: 'gave-up' }>['why'], string>> = {
  budget: 'Raise `max-cost-usd`, `max-tokens`, `max-steps` or `timeout-minutes`, or split the issue.',
  steps: 'Split the issue into smaller ones, or say more exactly what is wanted.',
  gate: 'Read the last gate’s reason in the log; say more exactly what is wanted, or try a stronger model.',
  stuck: 'Say more exactly what is wanted, or try a stronger model.',
  malformed:
    'The model does not keep to the tool protocol. Try another model, or check that the endpoint supports tool calling.',
};

const BLOCKED: Readonly<Record<string, string>> = {
  test_contradicts_spec: 'Say in the issue which of the two is right, then give the command again.',
  spec_ambiguous: 'Answer the question in the issue, then give the command again.',
  needs_dependency:
    'Add the dependency yourself, then give the command again: the agent may not change manifests or lock files.',
  needs_test_change:
    'Look at the test. If it is wrong, change it yourself: existing tests are never changed by a run. If it is right, say so in the words after the command.',
  environment:
    'Set `setup-command`, `root-setup-command` or the image so that the sandbox has what is needed.',
  out_of_scope: 'Do this part by hand, or describe a smaller task.',
};

/** Nothing that fails could be shown, so nothing was changed. */
export const notReproduced = (reason: string, work: WorkSoFar, cure?: string): WorkResult => ({
  ...resultOf('not-reproduced', reason, { ...work, change: [] }),
  ...(cure && { cure }),
});

const SAID: Readonly<Record<string, string>> = {
  test_contradicts_spec: 'the agent finds a test that contradicts the request',
  spec_ambiguous: 'the agent can read the request in two ways',
  needs_dependency: 'the agent needs a dependency that is not there',
  needs_test_change: 'the agent takes an existing test to be wrong',
  environment: 'the agent lacks something in the sandbox',
  out_of_scope: 'the agent can not do this',
  tests_fail_already: 'the agent says that tests fail already',
};

/** A conversation that ended without its goal, as the result of the run. Work that was done stays in it. */
export function endedEarly(end: Exclude<AgentEnd, { kind: 'finished' }>, work: WorkSoFar): WorkResult {
  if (end.kind === 'blocked' && end.block.reason === 'not_reproducible')
    return notReproduced(
      `the agent found nothing to fix: ${end.block.evidence}`,
      work,
      'If the report is right, say how to see it: a call, its result, and what should come instead. If what is documented should change, that is a new feature: `/agent implement`.',
    );
  if (end.kind === 'blocked') {
    const about = end.block.testId ? ` (${end.block.testId})` : '';
    const reason = `${SAID[end.block.reason] ?? 'the agent stopped'}${about}: ${end.block.evidence}`;
    return { ...resultOf('blocked', reason, work), cure: BLOCKED[end.block.reason] ?? '' };
  }
  if (end.kind === 'model-failed')
    return { ...resultOf('failed', end.error.message, work), cure: end.error.cure };
  return { ...resultOf('partial', end.reason, work), cure: STOPPED[end.why] };
}

/** No test stack was recognised: nothing can be proven, so nothing is asked of the model. */
export const noRunner = (looked: readonly string[]): WorkResult => ({
  outcome: 'blocked',
  reason: `no test runner was found. Looked for: ${looked.join('; ')}`,
  cure: 'Set the input `test-command` to the command that runs the tests, such as `npm test` or `python -m pytest`. Without tests that can run, nothing can be proven.',
  change: [],
  descriptions: new Map(),
  summary: '',
  functions: [],
  isTestPath: () => false,
  commands: [],
  sandbox: '',
});

/** The suite gave no report before anything was changed. */
export function unusableBaseline(run: TestRun, work: WorkSoFar): WorkResult {
  const setup = work.prepared.setupProblem ? `\nBefore that: ${work.prepared.setupProblem}` : '';
  const tail = cutMiddle(plain(run.log).trim().split('\n').slice(-15).join('\n'), 2_000);
  return {
    ...resultOf(
      'blocked',
      `the tests can not be run before any change: \`${run.command}\`: ${run.problem ?? 'no report'}\n${tail}${setup}`,
      work,
    ),
    cure: `${cureFor(run)} Tests that need a network or another service can not run in the sandbox. \`/agent check\` shows more.`,
  };
}
