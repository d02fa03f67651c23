import { openBudget } from './agents/budget.ts';
import type { Meter, Order } from './carry-out.ts';
import { checkSandbox } from './commands/check.ts';
import { checkModel } from './commands/check-model.ts';
import { checkPermissions } from './commands/check-permissions.ts';
import { skippedRow, tryRow } from './commands/try-row.ts';
import { type Inputs, readInputs } from './config.ts';
import { readIncluded } from './git/included-files.ts';
import { logLines } from './lib/log.ts';
import type { Model } from './model/model.ts';
import { openSource, type SourceFiles, sandboxDeps } from './prepare-work.ts';
import { type CheckRow, checkHeadline, checkLines, checkTable } from './report/check-table.ts';
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
    report: checkTable(rows),
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
  const { emit, signal, limitTo } = order.surroundings;
  const inputs = await tryRow({ what: 'Inputs', emit, signal }, async () => ({
    value: readInputs(),
    found: 'complete',
  }));
  const permissions = () =>
    checkPermissions({ github: order.github, runId: Number(order.config.run.id), emit, signal });
  const { value } = inputs;
  if (!value)
    return [
      inputs.row,
      skippedRow('Sandbox, tests and model', 'the inputs come first'),
      ...(await permissions()),
    ];
  limitTo(value.limits.timeoutMinutes);
  const [place, model, granted] = await allOf([
    placeRows(order, value),
    modelRow(order, value, meter),
    permissions(),
  ] as const);
  return [inputs.row, ...place, model, ...granted];
}

/** They wait for different machines, so they go on at once; none is left behind when another breaks. */
async function allOf<const T extends readonly Promise<unknown>[]>(
  work: T,
): Promise<{ -readonly [K in keyof T]: Awaited<T[K]> }> {
  await Promise.allSettled(work);
  return Promise.all(work);
}

function modelRow(order: Order, inputs: Inputs, meter: Meter): Promise<CheckRow> {
  const { emit, signal } = order.surroundings;
  const deadline = Date.now() + inputs.limits.timeoutMinutes * 60_000;
  const budget = openBudget({ ...inputs.limits, deadline });
  meter.budget = budget;
  return checkModel({
    open: () => openPatientModel(inputs),
    timeoutMs: inputs.model.timeoutMs,
    emit,
    signal,
    onUsage: budget.add,
  });
}

/** As patient as it takes for a server that is just starting, and no more: a run tries for minutes, and a check shall say what it saw. */
async function openPatientModel({ model }: Inputs): Promise<Model> {
  const { createModel } = await import('./model/openai-model.ts');
  const { name, apiKey, baseUrl, price, timeoutMs } = model;
  return createModel({ apiKey, baseUrl, model: name, price, idleTimeoutMs: timeoutMs, maxAttempts: 3 });
}

/** The checkout comes before the sandbox: without files there is nothing to try there. */
async function placeRows(order: Order, inputs: Inputs): Promise<readonly CheckRow[]> {
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
  return [...rows, ...(await checkSandbox(sandboxDeps(order, inputs, { ...files, started })))];
}

const NONE: readonly TreeFile[] = [];

/** On a pull request that is over there is nothing to fix, but what a run needs can be tried all the same: on the base branch. */
const startingHere = (order: Order): Order =>
  order.thread.pullRequest?.state === 'closed'
    ? { ...order, thread: { ...order.thread, pullRequest: undefined } }
    : order;

function sourceText({ start, project }: SourceFiles): string {
  const what = start.branch.kind === 'new' ? start.baseBranch : `#${start.branch.pullRequest.number}`;
  return `${what} at ${start.sha.slice(0, 7)}, ${project.files.paths.length} files`;
}
