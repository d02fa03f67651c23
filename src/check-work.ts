import { openBudget } from './agents/budget.ts';
import type { Meter, Order } from './carry-out.ts';
import { checkSandbox } from './commands/check.ts';
import { checkModel } from './commands/check-model.ts';
import { checkPermissions } from './commands/check-permissions.ts';
import { skippedRow, tryRow } from './commands/try-row.ts';
import { type Inputs, type LimitsConfig, type ModelConfig, readInputParts } from './config.ts';
import type { UserError } from './errors.ts';
import { readIncluded } from './git/included-files.ts';
import { logLines } from './lib/log.ts';
import type { Model } from './model/model.ts';
import { openSource, type SourceFiles, sandboxDeps } from './prepare-work.ts';
import { type CheckRow, checkHeadline, checkLines, checkTable } from './report/check-table.ts';
import type { Emit } from './run-events.ts';
import type { TreeFile } from './types.ts';
import type { Done } from './work.ts';

/** Tries everything that a run needs, and answers with one table. Nothing is changed, and one short question is asked of the model. */
export async function checkWork(order: Order, meter: Meter): Promise<Done> {
  const { clean } = order.surroundings;
  // Cleaned before the table cuts: half a secret no longer looks like one.
  const rows = (await checkRows(order, meter)).map(row => ({
    ...row,
    found: clean(row.found),
    cure: clean(row.cure),
  }));
  logLines(checkLines(rows));
  return {
    outcome: 'answered',
    reason: rows.every(row => row.state === 'ok') ? '' : checkHeadline(rows),
    cure: nextStep(rows),
    report: checkTable(rows, { withHeadline: false }),
  };
}

function nextStep(rows: readonly CheckRow[]): string {
  if (rows.some(row => row.state === 'failed'))
    return 'Do what the lines marked ❌ say, then give `/agent check` again.';
  if (rows.some(row => row.state !== 'ok'))
    return 'Nothing has to be done. The lines that are not marked ✅ say what a run would have to do without.';
  return 'Give `/agent implement` on an issue, or `/agent fix` on a red pull request.';
}

async function checkRows(order: Order, meter: Meter): Promise<readonly CheckRow[]> {
  const { model, sandbox, limits: given, places } = readInputParts();
  const limits = given.value ?? CHECK_LIMITS;
  order.surroundings.limitTo(limits.timeoutMinutes);
  const { emit, signal } = order.surroundings;
  const [place, answer, permissions] = await allOf([
    sandbox.value
      ? placeRows(order, { sandbox: sandbox.value, limits, ...places })
      : [skippedRow('Sandbox and tests', 'the inputs come first')],
    model.value ? modelRow(order, model.value, limits, meter) : skippedRow('Model', 'the inputs come first'),
    checkPermissions({ github: order.github, runId: Number(order.config.run.id), emit, signal }),
  ] as const);
  return [...inputRows([model.problem, sandbox.problem, given.problem]), ...place, answer, ...permissions];
}

/** For a check whose own limits are wrong: what action.yml has. */
const CHECK_LIMITS: LimitsConfig = {
  maxCostUsd: 3,
  maxTokens: 5_000_000,
  maxSteps: 150,
  timeoutMinutes: 45,
  proofMinutes: 15,
};

function inputRows(problems: readonly (UserError | undefined)[]): readonly CheckRow[] {
  const rows = problems.flatMap((problem): CheckRow[] =>
    problem ? [{ what: 'Inputs', state: 'failed', found: problem.message, cure: problem.cure }] : [],
  );
  return rows.length > 0 ? rows : [{ what: 'Inputs', state: 'ok', found: 'complete', cure: '' }];
}

/** They wait for different machines, so they go on at once; none is left behind when another breaks. */
async function allOf<const T extends readonly unknown[]>(
  work: T,
): Promise<{ -readonly [K in keyof T]: Awaited<T[K]> }> {
  await Promise.allSettled(work);
  return Promise.all(work);
}

function modelRow(order: Order, model: ModelConfig, limits: LimitsConfig, meter: Meter): Promise<CheckRow> {
  const { emit, signal } = order.surroundings;
  const budget = openBudget({ ...limits, deadline: Date.now() + limits.timeoutMinutes * 60_000 });
  meter.budget = budget;
  return checkModel({
    open: () => openPatientModel(model),
    timeoutMs: model.timeoutMs,
    emit,
    signal,
    onUsage: budget.add,
  });
}

/** As patient as it takes for a server that is just starting, and no more: a run tries for minutes, and a check shall say what it saw. */
async function openPatientModel({ name, timeoutMs, ...model }: ModelConfig): Promise<Model> {
  const { createModel } = await import('./model/openai-model.ts');
  return createModel({ ...model, model: name, idleTimeoutMs: timeoutMs, maxAttempts: 3 });
}

type PlaceInputs = Omit<Inputs, 'model'>;

/** The checkout comes before the sandbox: without files there is nothing to try there. */
async function placeRows(order: Order, inputs: PlaceInputs): Promise<readonly CheckRow[]> {
  const { emit, signal } = order.surroundings;
  const started = Date.now();
  const { include } = inputs.sandbox;
  const [source, included] = await Promise.all([
    tryRow({ what: 'Checkout', emit, signal }, async () => {
      const value = await openSource(startingHere(order), {
        ...inputs,
        sandbox: { ...inputs.sandbox, include: [] },
      });
      return { value, found: sourceText(value) };
    }),
    tryRow({ what: 'Input include', emit, signal }, async () => {
      const value = await readIncluded(order.config.workspace, include);
      return { value, found: `${value.length} files` };
    }),
  ]);
  const rows = include.length > 0 ? [source.row, included.row] : [source.row];
  if (!source.value) return [...rows, skippedRow('Sandbox and tests', 'there are no files to try')];
  const files: SourceFiles = { ...source.value, included: included.value ?? NONE };
  const deps = (heard: Emit) =>
    sandboxDeps({ ...order, surroundings: { ...order.surroundings, emit: heard } }, inputs, {
      ...files,
      started,
    });
  return [...rows, ...(await checkSandbox(deps, emit))];
}

const NONE: readonly TreeFile[] = [];

/** On a pull request that is over there is nothing to fix, but what a run needs can be tried all the same: on the base branch. */
function startingHere(order: Order): Order {
  const { trigger, thread } = order;
  if (thread.pullRequest?.state !== 'closed') return order;
  const source = { kind: 'dispatch', task: '', base: undefined, pullRequest: undefined } as const;
  return { ...order, trigger: { ...trigger, source }, thread: { ...thread, pullRequest: undefined } };
}

function sourceText({ start, project }: SourceFiles): string {
  const what = start.branch.kind === 'new' ? start.baseBranch : `#${start.branch.pullRequest.number}`;
  return `${what} at ${start.sha.slice(0, 7)}, ${project.files.paths.length} files`;
}
