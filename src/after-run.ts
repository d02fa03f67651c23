import { existsSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { reactableOf } from './commands/acknowledge.ts';
import { type Config, readConfig, readEventConfig, readSecrets } from './config.ts';
import { messageOf } from './errors.ts';
import { parseEvent } from './events/event.ts';
import { type CommandTrigger, threadOf } from './events/trigger.ts';
import { createGitHub, type GitHub } from './github/client.ts';
import { editProgressComment } from './github/progress-comment.ts';
import { addReaction, type Reactable, removeReaction } from './github/reactions.ts';
import { logLines } from './lib/log.ts';
import { foldProgress, type Progress, startProgress } from './report/progress.ts';
import { progressComment } from './report/progress-comment.ts';
import { createRedactor } from './report/redact.ts';
import type { RecordedEvent } from './run-events.ts';
import { removeLeftovers } from './sandbox/leftovers.ts';
import { VERSION } from './version.ts';

/** What the main step saved for us, by name; empty when it did not get that far. */
export type SavedState = (name: string) => string;

/** Leaves nothing behind, and tells the end of a run that could not tell it itself. */
export async function afterRun(state: SavedState): Promise<void> {
  const folder = state('folder');
  if (!folder) return;
  const config = readConfig();
  const untold = state('finished') !== 'true' && state('comment-id') !== '';
  // Told first: what a person waits for must not hang on a clean-up.
  const results = await Promise.allSettled([
    untold ? tellTheEnd(state, config, join(folder, 'out', 'trajectory.jsonl')) : undefined,
    cleanUp(state('run-label'), config, join(folder, 'private')),
  ]);
  for (const result of results) if (result.status === 'rejected') throw result.reason;
}

async function cleanUp(runLabel: string, config: Config, hostFolder: string): Promise<void> {
  const { hostPath, dockerHost } = config;
  const removed = await removeLeftovers({ runLabel, hostPath, dockerHost, hostFolder });
  if (removed.length > 0) logLines([`Removed: ${removed.join(', ')}`]);
  await rm(hostFolder, { recursive: true, force: true });
}

async function tellTheEnd(state: SavedState, config: Config, trajectoryPath: string): Promise<void> {
  const { name, path } = readEventConfig();
  const trigger = parseEvent(name, JSON.parse(readFileSync(path, 'utf8')));
  if (trigger.kind !== 'command' || threadOf(trigger.source) === undefined) return;
  const clean = createRedactor(readSecrets());
  const { owner, name: repo } = trigger.repository;
  const github = createGitHub({
    token: config.token,
    apiUrl: config.urls.api,
    serverUrl: config.urls.server,
    owner,
    repo,
    version: VERSION,
    proxy: config.proxy,
    log: line => logLines([line]),
  });
  const body = clean(progressComment(ending(state, config, trigger, readEvents(trajectoryPath))));
  const edited = await editProgressComment(github, Number(state('comment-id')), state('mark'), body);
  logLines([
    `The progress comment was ${edited.kind === 'edited' ? 'finished' : `not finished: ${edited.kind}`}.`,
  ]);
  const target = reactableOf(trigger.source);
  if (target) await lastReactions(github, target, Number(state('eyes-id')));
}

/** The run's own events up to where it was stopped, and then its end. */
function ending(
  state: SavedState,
  config: Config,
  trigger: CommandTrigger,
  events: readonly RecordedEvent[],
): Progress {
  const thread = threadOf(trigger.source);
  const begun = startProgress({
    runId: state('run-label'),
    runUrl: config.run.url,
    askedBy: trigger.source.kind === 'workflow-run' ? undefined : trigger.sender.login,
    command: `/agent ${trigger.command}`,
    phases: [],
    ...(thread !== undefined && { thread }),
  });
  const progress = events.reduce(foldProgress, begun);
  if (progress.ended) return progress;
  const cancelled = state('cancelled') === 'true';
  return foldProgress(progress, {
    kind: 'run-ended',
    outcome: cancelled ? 'cancelled' : 'crashed',
    reason: cancelled
      ? 'the workflow run was cancelled'
      : 'the step ended before its work did; it was killed, or the machine went away',
    usage: progress.usage,
  });
}

/** Whole lines only: the last one of a killed run may be cut short. */
function readEvents(path: string): RecordedEvent[] {
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, 'utf8').split('\n');
  return lines.slice(0, -1).map(line => JSON.parse(line) as RecordedEvent);
}

async function lastReactions(github: GitHub, target: Reactable, eyesId: number): Promise<void> {
  const added = await addReaction(github, target, 'confused');
  if (!added.ok) logLines([`No reaction: ${messageOf(added.error.message)}`]);
  if (eyesId > 0) await removeReaction(github, target, eyesId);
}
