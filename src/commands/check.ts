import { cutMiddle, plain } from '../agents/cut-text.ts';
import { messageOf, UserError } from '../errors.ts';
import type { GitHub } from '../github/client.ts';
import { probePermissions } from '../github/probe-permissions.ts';
import { type Model, ModelError } from '../model/model.ts';
import type { CheckRow } from '../report/check-table.ts';
import { runTests } from '../test-runners/run-tests.ts';
import type { TestRunner } from '../test-runners/test-runner.ts';
import type { SandboxDeps } from './deps.ts';
import { disposeAll } from './dispose-all.ts';
import { type Prepared, prepareSandbox } from './prepare-sandbox.ts';
import { findStack, type Stack } from './stack.ts';

/** Tries what a run needs before it meets the model's work: the test stack, the sandbox, set-up and the suite. */
export async function checkSandbox(deps: SandboxDeps): Promise<readonly CheckRow[]> {
  const rows: CheckRow[] = [];
  const found = await tried('Test stack', async () => {
    const detected = await findStack(deps);
    if (!detected.runner)
      throw new UserError(
        `none was recognised; looked for: ${detected.looked.join('; ')}`,
        'Set `test-command` to the command that runs the tests, or `working-directory` to the folder of the package that has them.',
      );
    return { value: detected, found: `${detected.runner.name}: ${detected.why}` };
  });
  rows.push(found.row);
  const stack: Stack | undefined = found.value;
  const notes: string[] = [];
  const noting: SandboxDeps = {
    ...deps,
    emit: event => {
      if (event.kind === 'note' && event.level === 'warning') notes.push(event.text);
      deps.emit(event);
    },
  };
  const prepared = await tried('Sandbox and set-up', async () => {
    const made = await prepareSandbox(noting, stack?.runner ?? NO_SETUP);
    return { value: made, found: sandboxText(made, stack) };
  });
  rows.push(
    prepared.value?.setupProblem
      ? {
          ...prepared.row,
          state: 'warning',
          found: `${prepared.row.found}; the guessed set-up did not work: ${firstLine(prepared.value.setupProblem)}`,
          cure: 'Set `setup-command`, or another image that has the tools.',
        }
      : prepared.row,
  );
  for (const text of notes.filter(note => !note.startsWith('The set-up')))
    rows.push({ what: 'Sandbox', state: 'warning', found: text, cure: '' });
  if (!prepared.value) return [...rows, skipped('Tests', 'there is no sandbox to run them in')];
  try {
    rows.push(stack ? await checkSuite(deps, stack, prepared.value) : skipped('Tests', 'no test stack'));
  } finally {
    await disposeAll(deps.emit, prepared.value.snapshot, prepared.value.sandbox);
  }
  return rows;
}

/** For a repository whose test stack is not known: then nothing is installed but what the inputs say. */
const NO_SETUP: Pick<TestRunner, 'setupScript'> = { setupScript: async () => '' };

function sandboxText({ sandbox, setupCommand }: Prepared, stack: Stack | undefined): string {
  const setup = setupCommand ? `set up by ${setupCommand}` : stack ? 'nothing to install' : 'no set-up known';
  return `${sandbox.kind}, ${sandbox.image}; ${setup}; ${sandbox.isolated ? 'isolated, without network' : 'NOT isolated'}`;
}

async function checkSuite(deps: SandboxDeps, stack: Stack, prepared: Prepared): Promise<CheckRow> {
  const { row } = await tried('Tests', async () => {
    const fresh = await prepared.snapshot.start();
    try {
      const { settings, signal } = deps;
      const run = await runTests({
        shell: fresh.shell,
        runner: stack.runner,
        testCommand: stack.testCommand,
        files: [],
        workdir: fresh.workdir,
        scratch: fresh.scratch,
        timeoutMs: Math.max(1_000, Math.min(settings.proofMinutes * 60_000, settings.deadline - Date.now())),
        ...(signal && { signal }),
      });
      const cases = run.report?.cases ?? [];
      const count = (status: string) => cases.filter(test => test.status === status).length;
      const broken = run.report?.fileErrors.length ?? 0;
      if (!run.report || run.problem) {
        const tail = cutMiddle(plain(run.log).trim().split('\n').slice(-8).join(' | '), 800);
        throw new UserError(
          `\`${run.command}\`: ${run.problem ?? 'no report'}: ${tail}`,
          'Set `setup-command`, `test-command` or another image until the tests run. Tests that need a network or another service can not run in the sandbox.',
        );
      }
      const parts = [
        `${count('passed')} pass`,
        `${count('failed')} fail`,
        ...(broken > 0 ? [`${broken} files can not be loaded`] : []),
      ];
      return {
        value: run,
        found: `\`${run.command}\`: ${parts.join(', ')}, ${(run.durationMs / 1000).toFixed(1)} s`,
      };
    } finally {
      await disposeAll(deps.emit, fresh);
    }
  });
  return row;
}

/** Asks the model one question that it can only answer by a tool call: agents work with nothing else. */
export async function checkModel(
  open: () => Promise<Model> | Model,
  signal: AbortSignal | undefined,
  onUsage: (usage: Awaited<ReturnType<Model['complete']>>['usage']) => void,
): Promise<CheckRow> {
  const { row, value } = await tried('Model', async () => {
    const model = await open();
    const started = performance.now();
    const reply = await model.complete({ ...QUESTION, ...(signal && { signal }) });
    onUsage(reply.usage);
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    return { value: reply, found: `${model.name} answered in ${seconds} s` };
  });
  if (!value || value.message.toolCalls.some(call => call.name === 'report')) return row;
  return {
    ...row,
    state: 'warning',
    found: `${row.found}, but in words instead of by the tool that it was given`,
    cure: 'It may do worse than others as an agent. Check that the endpoint supports tool calling for this model.',
  };
}

const QUESTION = {
  role: 'check',
  turn: 1,
  messages: [
    { role: 'system', content: 'You are being checked for tool calling. Answer by calling the tool.' },
    { role: 'user', content: 'What is 2 + 3? Call report with the result.' },
  ],
  tools: [
    {
      name: 'report',
      description: 'Reports a result.',
      parameters: {
        type: 'object',
        properties: { result: { type: 'integer' } },
        required: ['result'],
        additionalProperties: false,
      },
    },
  ],
} as const;

/** Each permission, tried by a request that can not succeed. */
export async function checkPermissions(github: GitHub, runId: number): Promise<readonly CheckRow[]> {
  const { value, row } = await tried('Permissions', async () => ({
    value: await probePermissions(github, { runId }),
    found: '',
  }));
  if (!value) return [row];
  return value.map(each => ({
    what: `\`${each.permission}\``,
    state:
      each.state === 'granted'
        ? 'ok'
        : each.needed === 'required' && each.state === 'missing'
          ? 'failed'
          : 'warning',
    found: `${each.state}${each.needed === 'required' ? '' : ` (${each.needed})`}: ${each.detail}`,
    cure: each.state === 'granted' ? '' : (each.cure ?? ''),
  }));
}

/** Anything that a person or an endpoint can mend becomes a row; a defect of ours is thrown on. */
async function tried<T>(
  what: string,
  work: () => Promise<{ readonly value: T; readonly found: string }>,
): Promise<{ readonly row: CheckRow; readonly value?: T }> {
  try {
    const { value, found } = await work();
    return { row: { what, state: 'ok', found, cure: '' }, value };
  } catch (error) {
    if (!(error instanceof UserError || error instanceof ModelError)) throw error;
    return { row: { what, state: 'failed', found: messageOf(error), cure: error.cure } };
  }
}

export const skipped = (what: string, found: string): CheckRow => ({
  what,
  state: 'skipped',
  found,
  cure: '',
});

const firstLine = (text: string): string => text.split('\n')[0] ?? '';
