/** The one typed event stream of a run. Types only. */
import type { AssistantMessage, Exit, Message, Outcome, ProofRun, Usage } from './types.ts';

export type Phase =
  | 'gate'
  | 'context'
  | 'sandbox'
  | 'baseline'
  | 'reproduction'
  | 'fix'
  | 'specification'
  | 'tests'
  | 'implementation'
  | 'proof'
  | 'publish';

/** What happens in a run, in order. The log, the progress comment, the trajectory file and the replay all read this and nothing else. */
export type RunEvent =
  | {
      readonly kind: 'run-started';
      readonly version: string;
      readonly command: string;
      readonly repository: string;
      readonly issue: number | undefined;
      readonly model: string;
    }
  | { readonly kind: 'phase-started'; readonly phase: Phase }
  | { readonly kind: 'phase-ended'; readonly phase: Phase; readonly ok: boolean; readonly note: string }
  | { readonly kind: 'note'; readonly level: 'info' | 'warning'; readonly text: string }
  | {
      readonly kind: 'setup-ran';
      readonly command: string;
      readonly exit: Exit;
      readonly log: string;
      readonly durationMs: number;
    }
  | {
      readonly kind: 'model-asked';
      /** The conversation: a role's name, with `#2` for its second attempt. Replay is keyed by this and `turn`. */
      readonly role: string;
      /** From 1. */
      readonly turn: number;
      /** Only what is new since this role's last turn. */
      readonly messages: readonly Message[];
      /** Names and JSON schemas; only in a role's first turn. */
      readonly tools?: readonly { readonly name: string; readonly parameters: unknown }[];
    }
  | {
      readonly kind: 'model-answered';
      readonly role: string;
      readonly turn: number;
      readonly message: AssistantMessage;
      readonly finishReason: string;
      readonly usage: Usage;
      readonly durationMs: number;
    }
  | {
      readonly kind: 'model-retried';
      readonly role: string;
      readonly reason: string;
      readonly waitMs: number;
    }
  | {
      readonly kind: 'tool-ran';
      readonly role: string;
      readonly turn: number;
      readonly name: string;
      /** One line for people. */
      readonly summary: string;
      readonly ok: boolean;
      readonly durationMs: number;
    }
  | { readonly kind: 'tests-ran'; readonly purpose: string; readonly run: Omit<ProofRun, 'name'> }
  | {
      readonly kind: 'gate-decided';
      readonly gate: string;
      readonly passed: boolean;
      readonly reason: string;
    }
  | { readonly kind: 'proof-decided'; readonly proven: boolean; readonly reason: string }
  | { readonly kind: 'published'; readonly what: string; readonly url: string }
  | {
      readonly kind: 'run-ended';
      readonly outcome: Outcome;
      readonly reason: string;
      /** What a person can do, when the source of the reason knows better than the outcome alone. Markdown of ours. */
      readonly cure?: string;
      /** False with `unsafe-local`. */
      readonly isolated?: boolean;
      readonly usage: Usage;
    };

/** A `RunEvent` as it stands in the trajectory file: one JSON object a line. `at` is ISO 8601; `seq` counts from 1. */
export type RecordedEvent = RunEvent & { readonly seq: number; readonly at: string };

/** Where events go. Synchronous and never throws, so that telling can not break doing. */
export type Emit = (event: RunEvent) => void;
