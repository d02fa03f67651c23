import type { Phase, RunEvent } from '../run-events.ts';
import type { Exit, Outcome, Usage } from '../types.ts';
import { NOTHING_SPENT, sumUsage } from '../usage.ts';

export interface PhaseProgress {
  readonly phase: Phase;
  readonly state: 'waiting' | 'running' | 'done' | 'failed';
  readonly note: string;
}

/** One run of tests or one decision, in the order in which they came. */
export type Iteration =
  | {
      readonly kind: 'tests';
      readonly purpose: string;
      readonly command: string;
      readonly exit: Exit;
      readonly passed: number;
      readonly failed: number;
      readonly skipped: number;
      readonly durationMs: number;
      readonly problem: string;
      readonly sentinels: 'honest' | 'misreported' | undefined;
    }
  | { readonly kind: 'gate'; readonly gate: string; readonly passed: boolean; readonly reason: string };

/** What the progress comment and the step summary know of a run; folded from its events alone. */
export interface Progress {
  readonly runId: string;
  readonly runUrl: string;
  /** Login of who gave the command; undefined for a run that nobody asked for: CI had failed. */
  readonly askedBy: string | undefined;
  readonly command: string;
  /** Number of the issue or pull request that the comment stands on. */
  readonly thread?: number | undefined;
  readonly model: string;
  readonly phases: readonly PhaseProgress[];
  readonly iterations: readonly Iteration[];
  readonly warnings: readonly string[];
  readonly published: readonly { readonly what: string; readonly url: string }[];
  readonly usage: Usage;
  readonly ended: Ended | undefined;
}

/** How the run ended; `cure` where somebody knew better than the outcome what to do. */
export interface Ended {
  readonly outcome: Outcome;
  readonly reason: string;
  readonly cure: string | undefined;
  readonly isolated: boolean | undefined;
}

export interface ProgressStart {
  readonly runId: string;
  readonly runUrl: string;
  readonly askedBy: string | undefined;
  readonly command: string;
  /** Number of the issue or pull request that the comment stands on: what is published there is not linked to from there. */
  readonly thread?: number | undefined;
  /** The phases that this command will go through, in order; others are added when they start. */
  readonly phases: readonly Phase[];
}

export const startProgress = ({ phases, ...rest }: ProgressStart): Progress => ({
  ...rest,
  model: '',
  phases: phases.map(phase => ({ phase, state: 'waiting', note: '' })),
  iterations: [],
  warnings: [],
  published: [],
  usage: NOTHING_SPENT,
  ended: undefined,
});

/** The progress after one more event. */
export function foldProgress(progress: Progress, event: RunEvent): Progress {
  switch (event.kind) {
    case 'run-started':
      return { ...progress, model: event.model };
    case 'phase-started':
      return withPhase(progress, { phase: event.phase, state: 'running', note: '' });
    case 'phase-ended':
      return withPhase(progress, {
        phase: event.phase,
        state: event.ok ? 'done' : 'failed',
        note: event.note,
      });
    case 'note':
      return event.level === 'warning'
        ? { ...progress, warnings: [...progress.warnings, event.text] }
        : progress;
    case 'model-answered':
      return {
        ...progress,
        usage: progress.usage.calls === 0 ? event.usage : sumUsage(progress.usage, event.usage),
      };
    case 'tests-ran':
    case 'gate-decided':
      return { ...progress, iterations: [...progress.iterations, iterationOf(event)] };
    case 'published':
      return {
        ...progress,
        published: [...progress.published, { what: event.what, url: event.url }],
      };
    case 'run-ended':
      return {
        ...progress,
        usage: event.usage,
        ended: { outcome: event.outcome, reason: event.reason, cure: event.cure, isolated: event.isolated },
      };
    default:
      return progress;
  }
}

function withPhase(progress: Progress, row: PhaseProgress): Progress {
  const { phases } = progress;
  if (phases.some(({ phase }) => phase === row.phase))
    return { ...progress, phases: phases.map(phase => (phase.phase === row.phase ? row : phase)) };
  // One that was not foreseen stands where the run is now: before what still waits.
  const now = phases.findIndex(({ state }) => state === 'waiting');
  return { ...progress, phases: phases.toSpliced(now < 0 ? phases.length : now, 0, row) };
}

/** Whether the run looked for something wrong and mended it, which its outcome is told by. */
export const isFix = ({ phases }: Progress): boolean =>
  phases.some(({ phase, state }) => phase === 'fix' && state !== 'waiting');

function iterationOf(event: Extract<RunEvent, { readonly kind: 'tests-ran' | 'gate-decided' }>): Iteration {
  if (event.kind === 'gate-decided') {
    return { kind: 'gate', gate: event.gate, passed: event.passed, reason: event.reason };
  }
  const { command, exit, passed, failed, skipped, durationMs, problem = '', sentinels } = event.run;
  return {
    kind: 'tests',
    purpose: event.purpose,
    command,
    exit,
    passed,
    failed,
    skipped,
    durationMs,
    problem,
    sentinels,
  };
}
