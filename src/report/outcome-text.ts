import type { Outcome } from '../types.ts';
import { codeSpan } from './markdown.ts';
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
  /** The command as it was given, which next steps name. Default `/agent implement`. */
  readonly command?: string | undefined;
  /** False when nobody had given a command. Default true. */
  readonly asked?: boolean | undefined;
  /** True when something was wrong and was to be fixed: its failing tests need not be new. */
  readonly fix?: boolean | undefined;
}

export function outcomeText(outcome: Outcome, reason: string, context: OutcomeContext = {}): OutcomeText {
  const { heading, what, kept, next } = TEXTS[outcome];
  const isolation = outcome === 'proven' && context.isolated === false ? ' (not isolated)' : '';
  const told = (context.published ? kept : undefined) ?? what;
  const happened = outcome === 'proven' && context.fix ? FIX_PROVEN : told;
  const why = oneLine(reason).replace(/[.\s]+$/, '');
  // Its table says the rest.
  if (outcome === 'answered' && /\bcheck$/.test(context.command ?? ''))
    return {
      heading: capital(why || 'everything is in place'),
      sentence: '',
      nextStep:
        context.cure || (why ? 'Do what the table says, then check again.' : 'Nothing has to be done.'),
    };
  return {
    heading: `${heading}${isolation}`,
    sentence: why ? `${happened} Reason: ${why}.` : happened,
    nextStep: nextStep(next, context),
  };
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

function nextStep(next: Text['next'], { cure, published, asked = true, command }: OutcomeContext): string {
  const given = codeSpan(command || '/agent implement', 100);
  // Cures speak to whoever asked.
  if (cure) return !asked && next.unasked ? `${cure} ${ASK_FOR_IT(given)}` : cure;
  const step = (published ? next.published : undefined) ?? (asked ? undefined : next.unasked);
  return (step ?? next.otherwise)(given);
}

const ASK_FOR_IT: Step = command =>
  `Nobody had asked for this run: ${command} in a comment starts one, and takes words on what is wanted.`;

/** A next step in Markdown; `command` is a code span. Worded so that it is right as well when nobody had given the command. */
type Step = (command: string) => string;

interface Text {
  readonly heading: string;
  readonly what: string;
  /** In place of `what` when something was published. */
  readonly kept?: string;
  readonly next: {
    readonly published?: Step;
    /** For a run that nobody asked for, where the words for others would not be true. */
    readonly unasked?: Step;
    readonly otherwise: Step;
  };
}

const FIX_PROVEN =
  'The tests failed the same way three times before the change and pass after it, and nothing that passed was broken.';

const TEXTS: Readonly<Record<Outcome, Text>> = {
  proven: {
    heading: 'Proven',
    what: 'The new tests failed before the change and pass after it, and nothing that passed was broken.',
    next: {
      otherwise: () =>
        'Review the change: the proof shows that the tests hold, not that they ask for the right thing.',
    },
  },
  unproven: {
    heading: 'Not proven',
    what: 'There is a change, but it is not proven.',
    next: {
      published: command =>
        `Read the change as a draft. ${command} with a few words on what is missing goes on from it.`,
      unasked: command =>
        `Read the change as a draft, and mend it by hand, or give ${command} with a few words on what is missing.`,
      otherwise: command => `Give ${command} with more detail in the words after it.`,
    },
  },
  blocked: {
    heading: 'Blocked',
    what: 'The run needs something that it may not do or does not have.',
    next: {
      unasked: command =>
        `Provide what the reason names, or mend it by hand; ${command} in a comment starts over.`,
      otherwise: command => `Provide what the reason names, then start over with ${command}.`,
    },
  },
  partial: {
    heading: 'Partial',
    what: 'The run ended before the work was done.',
    kept: 'The run ended before the work was done; what there is was kept.',
    next: {
      published: command => `${command} goes on from here.`,
      unasked: command => `Mend it by hand, or give ${command} in a comment, with words on where to look.`,
      otherwise: () => 'Ask for a smaller step, or say more exactly what is wanted.',
    },
  },
  'not-reproduced': {
    heading: 'Not reproduced',
    what: 'The run found no failure that it could reproduce and mend here, so nothing was changed.',
    next: {
      otherwise: command =>
        `Mend what the reason names, if it names something to mend. Otherwise give ${command} with the steps that show the failure: what to run or to call, what comes of it, and what should come instead.`,
    },
  },
  answered: {
    heading: 'Answered',
    what: 'The request was carried out; it asked for no change.',
    next: { otherwise: () => 'Nothing else is needed.' },
  },
  refused: {
    heading: 'Refused',
    what: 'The command was not carried out.',
    next: { otherwise: () => 'Mend what the reason names, or ask somebody with write access.' },
  },
  failed: {
    heading: 'Failed',
    what: 'The run could not do its work.',
    next: { otherwise: () => 'Mend what the reason names; the log of the run has the details.' },
  },
  cancelled: {
    heading: 'Cancelled',
    what: 'The run was stopped before it was done.',
    next: {
      published: command => `What there is was kept; ${command} goes on from it.`,
      otherwise: command => `${command} starts over.`,
    },
  },
  crashed: {
    heading: 'Crashed',
    what: 'The run ended through a defect in redgreen, or its process was killed.',
    next: {
      otherwise: command => `${command} tries again; if it happens twice, report it with the log of the run.`,
    },
  },
  ignored: {
    heading: 'Ignored',
    what: 'The event was no command for redgreen.',
    next: { otherwise: () => 'Nothing is needed.' },
  },
};
