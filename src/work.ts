import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Meter, Order } from './carry-out.ts';
import type { WorkResult } from './commands/deps.ts';
import { implementCommand } from './commands/implement.ts';
import { inPhase } from './commands/in-phase.ts';
import type { Publication } from './commands/publish.ts';
import { readInputs } from './config.ts';
import { publishObjections } from './evidence/change-policy.ts';
import { type PreparedWork, prepareWork } from './prepare-work.ts';
import { publishWork } from './publish-work.ts';
import type { Outcome } from './types.ts';
import { VERSION } from './version.ts';

/** What the work came to, and what was published of it. */
export interface Done {
  readonly outcome: Outcome;
  /** A sentence; empty when proven. */
  readonly reason: string;
  readonly cure: string;
  readonly work?: WorkResult;
  readonly publication?: Publication;
  readonly proofPath?: string;
}

/** From the inputs to the pull request. Throws what it can not answer; `carry-out.ts` catches. */
export async function work(order: Order, meter: Meter): Promise<Done> {
  const { surroundings, trigger, config } = order;
  const { emit } = surroundings;
  const inputs = readInputs();
  surroundings.limitTo(inputs.limits.timeoutMinutes);
  emit({
    kind: 'run-started',
    version: VERSION,
    command: trigger.command,
    repository: `${config.repository.owner}/${config.repository.name}`,
    issue: trigger.source.kind === 'issue-comment' ? trigger.source.issue.number : undefined,
    model: inputs.model.name,
  });
  const prepared = await inPhase(emit, 'context', () => prepareWork(order, inputs, meter), contextNote);
  meter.rescue = ended => rescue(order, prepared, meter, ended);
  const result = await implementCommand({ task: prepared.task }, prepared.deps);
  const proofPath = writeProof(result, surroundings.outFolder);
  const done: Done = {
    outcome: result.outcome,
    reason: result.reason,
    cure: result.cure ?? '',
    work: result,
    ...(proofPath && { proofPath }),
  };
  return result.change.length === 0 ? done : publishWork(order, prepared, result, done);
}

/** A run that was stopped or broke off still publishes what it had, as far as the policy allows, in a draft that says why. */
async function rescue(order: Order, prepared: PreparedWork, meter: Meter, ended: Done): Promise<Done> {
  const { soFar } = meter;
  if (!soFar || soFar.change.length === 0 || publishObjections(soFar.change).length > 0) return ended;
  const outcome = ended.outcome === 'cancelled' ? 'partial' : ended.outcome;
  const result: WorkResult = { ...soFar, outcome: 'partial', reason: ended.reason, cure: ended.cure };
  return publishWork(order, prepared, result, { ...ended, outcome, work: result });
}

const contextNote = ({ start }: PreparedWork) => ({
  ok: true,
  note:
    start.branch.kind === 'continue'
      ? `goes on with #${start.branch.pullRequest.number}`
      : `${start.baseBranch} at ${start.sha.slice(0, 7)}`,
});

function writeProof(result: WorkResult, folder: string): string | undefined {
  if (!result.proof) return undefined;
  const path = join(folder, 'proof.json');
  writeFileSync(path, `${JSON.stringify(result.proof, null, 2)}\n`);
  return path;
}
