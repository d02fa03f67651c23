import { saveState } from '@actions/core';
import type { Budget } from './agents/budget.ts';
import { type Acknowledgement, acknowledge } from './commands/acknowledge.ts';
import type { WorkResult } from './commands/deps.ts';
import type { Thread } from './commands/read-thread.ts';
import type { Config } from './config.ts';
import { CancelledError, messageOf, RefusedError, UserError } from './errors.ts';
import type { CommandName } from './events/command.ts';
import { answeredBy, type CommandTrigger, type Sender, threadOf } from './events/trigger.ts';
import type { GitHub } from './github/client.ts';
import { runMark } from './github/progress-comment.ts';
import { ModelError } from './model/model.ts';
import { writeOutputs, writeSummary } from './outputs.ts';
import { foldProgress, startProgress } from './report/progress.ts';
import { progressComment } from './report/progress-comment.ts';
import { stepSummary } from './report/summary.ts';
import type { Phase } from './run-events.ts';
import type { Surroundings } from './surroundings.ts';
import { NOTHING_SPENT } from './usage.ts';
import { type Done, work } from './work.ts';

export interface Order {
  readonly trigger: CommandTrigger;
  readonly thread: Thread;
  /** Who asked; undefined for a run that nobody asked for. */
  readonly askedBy: Sender | undefined;
  readonly github: GitHub;
  readonly config: Config;
  readonly surroundings: Surroundings;
  /** Epoch milliseconds. */
  readonly startedAt: number;
}

/** What the run may still do when something went wrong: it grows as the work gets on. */
export interface Meter {
  budget?: Budget;
  /** What would be published if the run ended now. */
  soFar?: WorkResult;
  /** Publishes that. */
  rescue?: (ended: Done) => Promise<Done>;
}

const BEGIN: readonly Phase[] = ['context', 'sandbox', 'baseline'];
const END: readonly Phase[] = ['proof', 'publish'];
const PHASES: Partial<Record<CommandName, readonly Phase[]>> = {
  implement: [...BEGIN, 'specification', 'tests', 'implementation', ...END],
  fix: [...BEGIN, 'reproduction', 'fix', ...END],
};

/** Acknowledges, works, publishes, tells. Whatever goes wrong on the way ends in the same telling. */
export async function carryOut(order: Order): Promise<{ readonly failure?: string }> {
  const { trigger, github, config, surroundings } = order;
  const thread = threadOf(trigger.source);
  let progress = startProgress({
    runId: surroundings.runLabel,
    runUrl: config.run.url,
    askedBy: order.askedBy?.login,
    command: `/agent ${trigger.command}`,
    phases: PHASES[trigger.command] ?? [],
    ...(thread !== undefined && { thread }),
  });
  const mark = runMark(surroundings.runLabel, answeredBy(trigger.source));
  saveState('mark', mark);
  const acknowledgement = await acknowledge(
    github,
    trigger.source,
    mark,
    progressComment(progress),
    surroundings.emit,
  );
  saveState('comment-id', acknowledgement.commentId ?? '');
  saveState('eyes-id', acknowledgement.eyesId ?? '');
  surroundings.listen(event => {
    progress = foldProgress(progress, event);
    acknowledgement.show(progressComment(progress));
  });

  const meter: Meter = {};
  const done = await workOrRescue(order, meter);
  const usage = meter.budget?.spent() ?? NOTHING_SPENT;
  const { outcome, reason, cure } = done;
  const isolated = done.work?.proof?.isolated;
  surroundings.emit({
    kind: 'run-ended',
    outcome,
    reason,
    ...(cure && { cure }),
    ...(isolated !== undefined && { isolated }),
    usage,
  });
  await tell(done, progressComment(progress, done.report), acknowledgement, surroundings);
  writeOutputs({ ...done, usage, trajectoryPath: surroundings.journal.path }, surroundings.clean);
  await writeSummary(
    surroundings.clean(
      stepSummary({
        progress,
        proof: done.work?.proof,
        files: done.publication?.rows ?? [],
        ...(done.report && { extra: done.report }),
      }),
    ),
  );
  return ['failed', 'crashed'].includes(outcome)
    ? { failure: surroundings.clean([reason, cure].filter(Boolean).join('\n')) }
    : {};
}

async function tell(
  done: Done,
  comment: string,
  acknowledgement: Acknowledgement,
  { clean }: Surroundings,
): Promise<void> {
  const good = done.outcome === 'proven' || (done.outcome === 'answered' && !/to mend/.test(done.reason));
  const told = await acknowledgement.finish(clean(comment), good ? 'rocket' : 'confused');
  if (told) saveState('finished', 'true');
}

/** A person who cancels wants an end, and the runner waits ten seconds; whatever else ends a run early, its work is kept. */
async function workOrRescue(order: Order, meter: Meter): Promise<Done> {
  const ended = await workOrFail(order, meter);
  const rescue = 'work' in ended || order.surroundings.isCancelled() ? undefined : meter.rescue;
  try {
    return rescue ? await rescue(ended) : ended;
  } catch (error) {
    order.surroundings.emit({
      kind: 'note',
      level: 'warning',
      text: `the work could not be kept: ${messageOf(error)}`,
    });
    return ended;
  }
}

/** The one net: a person's mistake, a model's refusal, a cancellation and a defect of ours each become an outcome. */
async function workOrFail(order: Order, meter: Meter): Promise<Done> {
  const { signal } = order.surroundings;
  try {
    return await work(order, meter);
  } catch (error) {
    if (signal.aborted || error instanceof CancelledError)
      return { outcome: 'cancelled', reason: String(signal.reason ?? messageOf(error)), cure: '' };
    if (error instanceof RefusedError) return { outcome: 'refused', reason: error.message, cure: error.cure };
    if (error instanceof UserError || error instanceof ModelError)
      return { outcome: 'failed', reason: error.message, cure: error.cure };
    const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
    order.surroundings.emit({ kind: 'note', level: 'warning', text: `defect: ${stack}` });
    return { outcome: 'crashed', reason: messageOf(error), cure: '' };
  }
}
