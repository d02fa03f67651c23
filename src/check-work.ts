import { openBudget } from './agents/budget.ts';
import type { Meter, Order } from './carry-out.ts';
import { checkModel, checkPermissions, checkSandbox, skipped } from './commands/check.ts';
import { type Inputs, readInputs } from './config.ts';
import { UserError } from './errors.ts';
import { logLines } from './lib/log.ts';
import { openModel, openSource, sandboxDeps } from './prepare-work.ts';
import { type CheckRow, checkHeadline, checkLines, checkTable } from './report/check-table.ts';
import type { Done } from './work.ts';

/** Tries everything that a run needs, and answers with one table. Nothing is changed, and one short question is asked of the model. */
export async function checkWork(order: Order, meter: Meter): Promise<Done> {
  const { clean, limitTo } = order.surroundings;
  const rows = await checkRows(order, meter, limitTo);
  const shown = rows.map(row => ({ ...row, found: clean(row.found) }));
  logLines(checkLines(shown));
  const isFine = rows.every(row => row.state === 'ok');
  return {
    outcome: 'answered',
    reason: isFine ? '' : checkHeadline(shown),
    cure: '',
    report: checkTable(shown),
  };
}

async function checkRows(
  order: Order,
  meter: Meter,
  limitTo: (minutes: number) => void,
): Promise<readonly CheckRow[]> {
  const inputs = inputsOrRow();
  const permissions = await checkPermissions(order.github, Number(order.config.run.id));
  if ('what' in inputs)
    return [inputs, skipped('Sandbox, tests and model', 'the inputs come first'), ...permissions];
  limitTo(inputs.limits.timeoutMinutes);
  const budget = openBudget({
    ...inputs.limits,
    deadline: Date.now() + inputs.limits.timeoutMinutes * 60_000,
  });
  meter.budget = budget;
  const model = await checkModel(() => openModel(inputs), order.surroundings.signal, budget.add);
  return [...(await placeRows(order, inputs)), model, ...permissions];
}

function inputsOrRow(): Inputs | CheckRow {
  try {
    return readInputs();
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return { what: 'Inputs', state: 'failed', found: error.message, cure: error.cure };
  }
}

/** The checkout comes before the sandbox: without files there is nothing to try there. */
async function placeRows(order: Order, inputs: Inputs): Promise<readonly CheckRow[]> {
  try {
    const started = Date.now();
    const source = await openSource(order, inputs);
    const at = `${source.start.baseBranch} at ${source.start.sha.slice(0, 7)}, ${source.project.files.paths.length} files`;
    const checkout: CheckRow = { what: 'Checkout', state: 'ok', found: at, cure: '' };
    return [checkout, ...(await checkSandbox(sandboxDeps(order, inputs, { ...source, started })))];
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return [
      { what: 'Checkout', state: 'failed', found: error.message, cure: error.cure },
      skipped('Sandbox and tests', 'there are no files to try'),
    ];
  }
}
