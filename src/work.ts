import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Meter, Order } from './carry-out.ts';
import { checkWork } from './check-work.ts';
import type { Deps, WorkResult } from './commands/deps.ts';
import { fixCommand } from './commands/fix.ts';
import { implementCommand } from './commands/implement.ts';
import { inPhase } from './commands/in-phase.ts';
import { openProject, type Project } from './commands/project.ts';
import type { Publication } from './commands/publish.ts';
import { requestFix } from './commands/request-fix.ts';
import { readInputs } from './config.ts';
import { threadOf } from './events/trigger.ts';
import { publishObjections } from './evidence/change-policy.ts';
import { fixComment } from './fix-comment.ts';
import { fetchCommit } from './git/fetch.ts';
import { hasCommit } from './git/repository.ts';
import { type PreparedWork, prepareWork, remoteUrl } from './prepare-work.ts';
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
  /** What the comment and the summary say below the ending, in Markdown. */
  readonly report?: string;
}

/** From the inputs to the pull request. Throws what it can not answer; `carry-out.ts` catches. */
export async function work(order: Order, meter: Meter): Promise<Done> {
  const { surroundings, trigger, config } = order;
  const { emit } = surroundings;
  // Before the inputs are read: what is wrong with them is one of its answers.
  if (trigger.command === 'check') return checkWork(order, meter);
  const inputs = readInputs();
  surroundings.limitTo(inputs.limits.timeoutMinutes);
  emit({
    kind: 'run-started',
    version: VERSION,
    command: trigger.command,
    repository: `${config.repository.owner}/${config.repository.name}`,
    issue: threadOf(trigger.source),
    model: inputs.model.name,
  });
  const prepared = await inPhase(emit, 'context', () => prepareWork(order, inputs, meter), contextNote);
  meter.rescue = ended => rescue(order, prepared, meter, ended);
  const result = await carryOutCommand(order, prepared);
  const proofPath = writeProof(result, surroundings.outFolder);
  const report = trigger.command === 'fix' ? fixComment(order, result, undefined) : undefined;
  const done: Done = {
    outcome: result.outcome,
    reason: result.reason,
    cure: result.cure ?? '',
    work: result,
    ...(proofPath && { proofPath }),
    ...(report && { report }),
  };
  return result.change.length === 0 ? done : publishWork(order, prepared, result, done);
}

/** What was asked for, with what it needs beyond the task. */
async function carryOutCommand(order: Order, prepared: PreparedWork): Promise<WorkResult> {
  const { deps, task } = prepared;
  if (order.trigger.command !== 'fix') return implementCommand({ task }, deps);
  const request = await requestFix({
    github: order.github,
    source: order.trigger.source,
    task,
    pullRequest: order.thread.pullRequest,
    runId: Number(order.config.run.id),
    openCommit: sha => openCommit(order, deps, sha),
    emit: deps.emit,
    signal: deps.signal,
  });
  return { ...(await fixCommand(request, deps)), ciJobs: request.ciJobs };
}

async function openCommit(order: Order, { project }: Deps, sha: string): Promise<Project> {
  const { repository } = project;
  if (!(await hasCommit(repository, sha)))
    await fetchCommit({ repository, url: remoteUrl(order), token: order.config.token, what: sha });
  return openProject(repository, sha);
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
    start.branch.kind === 'new'
      ? `${start.baseBranch} at ${start.sha.slice(0, 7)}`
      : `goes on with #${start.branch.pullRequest.number} at ${start.sha.slice(0, 7)}`,
});

function writeProof(result: WorkResult, folder: string): string | undefined {
  if (!result.proof) return undefined;
  const path = join(folder, 'proof.json');
  writeFileSync(path, `${JSON.stringify(result.proof, null, 2)}\n`);
  return path;
}
