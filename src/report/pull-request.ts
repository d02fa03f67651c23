import {
  accountOf,
  CHANGE_LIMITS,
  type ChangeFacts,
  type ChangeLimits,
  checksText,
  filesText,
  howItWasMade,
  remarksSection,
  shownSection,
  specification,
} from './change-sections.ts';
import { codeFence, codeSpan, escapeInline, fold } from './markdown.ts';
import { cut, oneLine } from './plain-text.ts';
import { section } from './section.ts';
import { truncateMarkdown } from './truncate.ts';
import { UNASKED } from './unasked.ts';
import { verdictBox } from './verdict-box.ts';

export interface PullRequestInput extends ChangeFacts {
  /** What the change does, in a few words; outside text. */
  readonly subject: string;
  readonly request: {
    /** Login of who gave the command; undefined for a run that nobody asked for: CI had failed. */
    readonly askedBy: string | undefined;
    /** The command as it was given, such as `/agent implement`. */
    readonly command: string;
    /** Title and text of the issue, or the words of the dispatch. */
    readonly text: string;
  };
  /** Closed when the pull request is merged. */
  readonly issue: number | undefined;
  /** Where CI waits for pull requests of GITHUB_TOKEN: in the merge box of github.com, or not at all on other servers. */
  readonly ci: 'needs-approval' | 'needs-reopening';
}

/** At most 120 characters; says so when the change is not proven. */
export function pullRequestTitle(
  input: Pick<PullRequestInput, 'subject' | 'proof' | 'commandGreen'>,
): string {
  const prefix = input.proof?.proven ? '' : input.commandGreen ? '[command green] ' : '[not proven] ';
  // A title is not Markdown, but mentions and references in it still act.
  const subject = oneLine(input.subject).replaceAll(/[@#](?=\w)/g, '$&\u200b') || 'Change by redgreen';
  return cut(prefix + subject, 120);
}

/** At most 65,000 characters between two markers; lists are shortened before anything is cut. */
export function pullRequestBody(input: PullRequestInput): string {
  const tail = ending(input);
  const room = MAX_BODY - tail.length - 2;
  const mains = CHANGE_LIMITS.map(limits => render(input, limits));
  const main = mains.find(text => text.length <= room) ?? truncateMarkdown(mains.at(-1) ?? '', room);
  return `${main}\n\n${tail}`;
}

/** Puts our part into a body that people may have written around: in place of our last one, or at the end. */
export function mergeBody(existing: string, ours: string): string {
  const start = existing.indexOf(START);
  // The last one: the request that we quote may hold another.
  const end = existing.lastIndexOf(END);
  if (start < 0 || end < 0) return existing.trim() === '' ? ours : `${existing.trimEnd()}\n\n${ours}`;
  return `${existing.slice(0, start)}${ours}${existing.slice(end + END.length)}`;
}

const START = '<!-- redgreen:start -->';
const END = '<!-- redgreen:end -->';
const MAX_BODY = 65_000;

function render(input: PullRequestInput, limits: ChangeLimits): string {
  return [
    START,
    verdictBox(input),
    remarksSection(input, limits),
    section(askedTitle(input), requestText(input.request.text, limits.request)),
    accountOf(input, limits),
    shownSection(input, limits),
    section('What was checked', checksText(input, limits)),
    specification(input, limits),
    section('Files', filesText(input, limits)),
    section('How', howItWasMade(input)),
  ]
    .filter(part => part !== '')
    .join('\n\n');
}

const askedTitle = ({ request: { askedBy, command } }: PullRequestInput): string =>
  askedBy
    ? `What was asked (${codeSpan(command)} by ${escapeInline(`@${askedBy}`)})`
    : `Why there is this change (${UNASKED})`;

/** What must survive any cut: without the end marker a later run could not replace our part. */
const ending = ({ ci, issue, proof }: PullRequestInput): string =>
  [CI_TEXT[ci], issue === undefined ? '' : `${proof?.proven ? 'Closes' : 'For'} #${issue}`, END]
    .filter(part => part !== '')
    .join('\n\n');

/** The first line as a sentence, all of it as it was written, where nothing in it can act. */
function requestText(text: string, max: number): string {
  if (text.trim() === '') return '';
  const [title = '', ...rest] = text.trim().split('\n');
  const body = rest.join('\n').trim();
  return [
    `**${escapeInline(title, 300)}**`,
    body && fold('The request as it was given', codeFence(cut(body, max), 'text')),
  ]
    .filter(Boolean)
    .join('\n\n');
}

const CI_TEXT: Readonly<Record<PullRequestInput['ci'], string>> = {
  'needs-approval':
    'CI waits for **Approve workflows to run** in the merge box, unless the action was given the token of an app or a person.',
  'needs-reopening':
    'CI did not start, unless the action was given the token of an app or a person: close and reopen it to start CI.',
};
