import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { saveState } from '@actions/core';
import type { Config } from './config.ts';
import { readSecrets } from './config.ts';
import { type Journal, openJournal } from './evidence/journal.ts';
import { logLines as printLines } from './lib/log.ts';
import { logLines } from './report/log-line.ts';
import { createRedactor, redactAll } from './report/redact.ts';
import type { Emit, RecordedEvent } from './run-events.ts';

/** What a run owns on its machine: folders, the journal, and the signals that end it. */
export interface Surroundings {
  readonly runLabel: string;
  /** Files that outlive the run: trajectory, proof, patch. */
  readonly outFolder: string;
  /** Ours alone, removed by the post step. */
  readonly privateFolder: string;
  readonly journal: Journal;
  readonly emit: Emit;
  /** Redacts secrets. */
  readonly clean: (text: string) => string;
  /** Aborted when the runner cancels the job or the run's own time is over: work stops, telling goes on. */
  readonly signal: AbortSignal;
  /** True when the runner, not our own limit, ended the work. */
  readonly isCancelled: () => boolean;
  /** Ends the work after so many minutes. */
  readonly limitTo: (minutes: number) => void;
  /** Hears every event from now on. */
  readonly listen: (listener: (event: RecordedEvent) => void) => void;
  readonly close: () => void;
}

export function openSurroundings(
  config: Config,
  { command, asked }: { readonly command: string; readonly asked: boolean },
): Surroundings {
  // Random: the jobs of a matrix, and steps of one job, share run id and attempt, and perhaps an engine.
  const runLabel = `${config.run.id}-${config.run.attempt}-${randomBytes(4).toString('hex')}`.replaceAll(
    /[^A-Za-z0-9-]/g,
    '-',
  );
  const folder = join(config.tempFolder, `redgreen-${runLabel}`);
  const [outFolder, privateFolder] = [join(folder, 'out'), join(folder, 'private')];
  mkdirSync(outFolder, { recursive: true, mode: 0o755 });
  mkdirSync(privateFolder, { recursive: true, mode: 0o700 });
  const clean = createRedactor(readSecrets());
  const context = { command: `/agent ${command}`, fix: command === 'fix', asked };
  const listeners: ((event: RecordedEvent) => void)[] = [
    event => printLines(logLines(event, undefined, context)),
  ];
  const journal = openJournal(
    join(outFolder, 'trajectory.jsonl'),
    event => redactAll(event, clean),
    event => {
      for (const listen of listeners) listen(event);
    },
  );
  saveState('folder', folder);
  saveState('run-label', runLabel);
  return {
    runLabel,
    outFolder,
    privateFolder,
    journal,
    emit: journal.emit,
    clean,
    listen: listener => listeners.push(listener),
    ...openSignals(),
  };
}

/** GitHub cancels with SIGINT, 7.5 seconds later SIGTERM, and 2.5 seconds later kills the process tree. */
function openSignals() {
  const controller = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let cancelled = false;
  const cancel = () => {
    cancelled = true;
    saveState('cancelled', 'true');
    controller.abort('the workflow run was cancelled');
  };
  process.once('SIGINT', cancel);
  process.once('SIGTERM', cancel);
  return {
    signal: controller.signal,
    isCancelled: () => cancelled,
    limitTo: (minutes: number) => {
      timer = setTimeout(
        () => controller.abort(`the limit of ${minutes} minutes (timeout-minutes) is over`),
        minutes * 60_000,
      );
    },
    close: () => {
      clearTimeout(timer);
      process.off('SIGINT', cancel);
      process.off('SIGTERM', cancel);
    },
  };
}
