import {
  accountOf,
  CHANGE_LIMITS,
  type ChangeLimits,
  checksText,
  filesText,
  howItWasMade,
  remarksSection,
  shownSection,
} from './change-sections.ts';
import { codeSpan, fold } from './markdown.ts';
import type { PullRequestInput } from './pull-request.ts';
import { keepWholeBlocks } from './truncate.ts';
import { cautionText, commandGreenText, turnedText } from './verdict-box.ts';

export interface FixReportInput extends PullRequestInput {
  /** The commit with the change; undefined when it could not be made or pushed. */
  readonly headSha: string | undefined;
  /** The branch that the commit was pushed to; undefined when it was not. */
  readonly pushedTo: string | undefined;
}

/**
 * The report of a fix that was pushed to the branch of a pull request, for the run's comment on it: what must be read, what was wrong, and how
 * it was fixed and shown stand open, the rest is folded. At most 45,000 characters. The comment's ending says the outcome, its reason and its next step.
 */
export function fixReport(input: FixReportInput): string {
  const reports = CHANGE_LIMITS.map(limits => render(input, limits));
  return reports.find(text => text.length <= MAX_REPORT) ?? keepWholeBlocks(reports.at(-1) ?? '', MAX_REPORT);
}

/** Leaves room in the comment for the ending, the phases and a small patch. */
const MAX_REPORT = 45_000;

function render(input: FixReportInput, limits: ChangeLimits): string {
  return [
    placeText(input),
    claimText(input),
    remarksSection(input, limits),
    accountOf(input, limits),
    shownSection(input, limits),
    folded('What was checked', checksText(input, limits)),
    folded('Files', filesText(input, limits)),
    folded('How', howItWasMade(input)),
  ]
    .filter(part => part !== '')
    .join('\n\n');
}

const folded = (title: string, body: string): string => (body === '' ? '' : fold(title, body));

function placeText({ headSha, pushedTo, ci }: FixReportInput): string {
  if (headSha === undefined || pushedTo === undefined) return 'The change was not pushed.';
  return `The change is commit ${codeSpan(headSha.slice(0, 10))} on ${codeSpan(pushedTo, 250)}. ${CI_TEXT[ci]}`;
}

function claimText({ proof, commandGreen }: FixReportInput): string {
  if (proof?.proven) return `${turnedText(proof)}${cautionText(proof)}`;
  return commandGreen ? commandGreenText(commandGreen) : '';
}

const CI_TEXT: Readonly<Record<PullRequestInput['ci'], string>> = {
  'needs-approval':
    'CI for it waits for **Approve workflows to run** in the merge box, unless the action was given the token of an app or a person.',
  'needs-reopening':
    'CI did not start for it, unless the action was given the token of an app or a person: close and reopen the pull request to start CI.',
};
