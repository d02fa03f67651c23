import type { Outcome } from '../types.ts';
import { oneLine } from './plain-text.ts';

/** What a run ended in, in plain text that is not escaped yet: a heading, what happened and why, and what a person can do now. */
export interface OutcomeText {
  readonly heading: string;
  readonly sentence: string;
  readonly nextStep: string;
}

export interface OutcomeContext {
  /** False with `unsafe-local`. */
  readonly isolated?: boolean | undefined;
  /** What to do, when the reason's source knows it; ours, in Markdown. */
  readonly cure?: string | undefined;
  /** True when there is a pull request, a branch or a patch to look at. */
  readonly published?: boolean;
}

export function outcomeText(outcome: Outcome, reason: string, context: OutcomeContext = {}): OutcomeText {
  const { heading, what, next } = TEXTS[outcome];
  const isolation = outcome === 'proven' && context.isolated === false ? ' (not isolated)' : '';
  const why = oneLine(reason).replace(/[.\s]+$/, '');
  return {
    heading: `${heading}${isolation}`,
    sentence: why ? `${what} Reason: ${why}.` : what,
    nextStep: context.cure || ((context.published ? next.published : undefined) ?? next.otherwise),
  };
}

interface Text {
  readonly heading: string;
  readonly what: string;
  readonly next: { readonly published?: string; readonly otherwise: string };
}

const AGAIN = 'Give the command again, with more detail in the words after it.';

const TEXTS: Readonly<Record<Outcome, Text>> = {
  proven: {
    heading: 'Proven',
    what: 'The new tests failed before the change and pass after it, and nothing that passed was broken.',
    next: {
      otherwise:
        'Review the change: the proof shows that the tests hold, not that they ask for the right thing.',
    },
  },
  unproven: {
    heading: 'Not proven',
    what: 'There is a change, but the proof did not hold.',
    next: {
      published:
        'Read the change as a draft. `/agent implement` with a few words on what is missing goes on from it.',
      otherwise: AGAIN,
    },
  },
  blocked: {
    heading: 'Blocked',
    what: 'The run needs something that it may not do or does not have.',
    next: { otherwise: 'Provide what the reason names, then give the command again.' },
  },
  partial: {
    heading: 'Partial',
    what: 'The run ended before the work was done; what there is was kept.',
    next: {
      published: '`/agent implement` goes on from here.',
      otherwise: 'Ask for a smaller step, or say more exactly what is wanted.',
    },
  },
  'not-reproduced': {
    heading: 'Not reproduced',
    what: 'The failure did not show itself in the sandbox, so nothing was changed.',
    next: {
      otherwise: 'Give steps that show it, or a `test-command` that fails, and give the command again.',
    },
  },
  answered: {
    heading: 'Answered',
    what: 'The request was carried out; it asked for no change.',
    next: { otherwise: 'Nothing else is needed.' },
  },
  refused: {
    heading: 'Refused',
    what: 'The command was not carried out.',
    next: { otherwise: 'Mend what the reason names, or ask somebody with write access.' },
  },
  failed: {
    heading: 'Failed',
    what: 'The run could not do its work.',
    next: { otherwise: 'Mend what the reason names; the log of the run has the details.' },
  },
  cancelled: {
    heading: 'Cancelled',
    what: 'The run was stopped before it was done.',
    next: {
      published: 'What there is was kept; `/agent implement` goes on from it.',
      otherwise: 'Give the command again.',
    },
  },
  crashed: {
    heading: 'Crashed',
    what: 'The run ended through a defect in redgreen, or its process was killed.',
    next: { otherwise: 'Give the command again; if it happens twice, report it with the log of the run.' },
  },
  ignored: {
    heading: 'Ignored',
    what: 'The event was no command for redgreen.',
    next: { otherwise: 'Nothing is needed.' },
  },
};
