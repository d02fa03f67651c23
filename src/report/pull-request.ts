import type { FileSummaryRow, FunctionSpec, Outcome, Proof, Usage } from '../types.ts';
import { fileTable } from './file-table.ts';
import { codeFence, codeSpan, escapeInline, escapeMarkdown, fold, link, table } from './markdown.ts';
import { duration, plural, usageText } from './numbers.ts';
import { outcomeText } from './outcome-text.ts';
import { cut, oneLine } from './plain-text.ts';
import { checksList, proofTable } from './proof-section.ts';
import { truncateMarkdown } from './truncate.ts';

export interface PullRequestInput {
  /** What the change does, in a few words; outside text. */
  readonly subject: string;
  readonly request: {
    /** Login of who gave the command; undefined for a run that nobody asked for. */
    readonly askedBy: string | undefined;
    /** The command as it was given, such as `/agent implement`. */
    readonly command: string;
    /** Title and text of the issue, or the words of the dispatch. */
    readonly text: string;
  };
  /** Closed when the pull request is merged. */
  readonly issue: number | undefined;
  readonly outcome: Outcome;
  readonly reason: string;
  /** Undefined when there was none, as for work that has no tests. */
  readonly proof: Proof | undefined;
  /** In dependency order; empty when the work needed none. */
  readonly functions: readonly FunctionSpec[];
  /** The model's account of the change or of the root cause; Markdown is not kept. Empty when there is none. */
  readonly explanation: string;
  readonly files: readonly FileSummaryRow[];
  /** What the reader has to know besides: paths that were held back, dependencies that were changed. Plain sentences. */
  readonly remarks: readonly string[];
  readonly model: string;
  readonly usage: Usage;
  readonly durationMs: number;
  readonly runUrl: string;
  /** Where CI waits for pull requests of GITHUB_TOKEN: in the merge box of github.com, or not at all on other servers. */
  readonly ci: 'needs-approval' | 'needs-reopening';
}

/** At most 120 characters; says so when the change is not proven. */
export function pullRequestTitle(input: Pick<PullRequestInput, 'subject' | 'proof'>): string {
  const prefix = input.proof?.proven ? '' : '[not proven] ';
  // A title is not Markdown, but mentions and references in it still act.
  const subject = oneLine(input.subject).replaceAll(/[@#](?=\w)/g, '$&\u200b') || 'Change by redgreen';
  return cut(prefix + subject, 120);
}

/** At most 65,000 characters between two markers; lists are shortened before anything is cut. */
export function pullRequestBody(input: PullRequestInput): string {
  const tail = ending(input);
  const room = MAX_BODY - tail.length - 2;
  const mains = LIMITS.map(limits => render(input, limits));
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

interface Limits {
  readonly request: number;
  readonly explanation: number;
  readonly rows: number;
  readonly names: number;
  readonly description: number;
  readonly contract: number;
}

const LIMITS: readonly Limits[] = [
  { request: 4000, explanation: 6000, rows: 300, names: 30, description: 300, contract: 2000 },
  { request: 1500, explanation: 2500, rows: 80, names: 10, description: 150, contract: 600 },
  { request: 400, explanation: 800, rows: 15, names: 3, description: 80, contract: 150 },
];

function render(input: PullRequestInput, limits: Limits): string {
  const { proof, request } = input;
  const asked = request.askedBy
    ? ` (${codeSpan(request.command)} by ${escapeInline(`@${request.askedBy}`)})`
    : '';
  return [
    START,
    verdictBox(input),
    section(`What was asked${asked}`, requestText(request.text, limits.request)),
    section('What was done', escapeMarkdown(cut(input.explanation.trim(), limits.explanation))),
    section('Proof', proof ? proofTable(proof, limits.rows) : ''),
    section('What was checked', proof ? checksList(proof, limits.names) : ''),
    specification(input, limits),
    section('Files', fileTable(input.files, { maxRows: limits.rows, maxDescription: limits.description })),
    section(
      'Please note',
      input.remarks
        .slice(0, limits.rows)
        .map(remark => `- ${escapeInline(remark, 500)}`)
        .join('\n'),
    ),
    section('How', howItWasMade(input)),
  ]
    .filter(part => part !== '')
    .join('\n\n');
}

/** What must survive any cut: without the end marker a later run could not replace our part. */
const ending = ({ ci, issue }: PullRequestInput): string =>
  [CI_TEXT[ci], issue === undefined ? '' : `Closes #${issue}`, END].filter(part => part !== '').join('\n\n');

/** The first line as a sentence, all of it as it was written, where nothing in it can act. */
function requestText(text: string, max: number): string {
  const [title = '', ...rest] = text.trim().split('\n');
  // Not even inside code may a text look like our own markers: they are found again by a search.
  const body = rest.join('\n').trim().replaceAll('<!-- redgreen', '<!--  redgreen');
  return [
    `**${escapeInline(title, 300)}**`,
    body && fold('The request as it was given', codeFence(cut(body, max), 'text')),
  ]
    .filter(Boolean)
    .join('\n\n');
}

/** What the tests were written against: that is what a reader has to agree with. */
function specification({ functions }: PullRequestInput, limits: Limits): string {
  if (functions.length === 0) return '';
  const rows = functions
    .slice(0, limits.rows)
    .map(spec => [
      `${codeSpan(spec.name, 100)}<br>${codeSpan(spec.file, 150)}`,
      escapeInline(spec.purpose, limits.contract),
      [
        spec.inputs && `in: ${spec.inputs}`,
        spec.outputs && `out: ${spec.outputs}`,
        spec.errors && `errors: ${spec.errors}`,
      ]
        .flatMap(part => (part ? [escapeInline(part, limits.contract)] : []))
        .join('<br>'),
    ]);
  return section(
    'Specification',
    fold(plural(functions.length, 'function'), table(['Function', 'Purpose', 'Contract'], rows)),
  );
}

const section = (title: string, body: string): string => (body === '' ? '' : `### ${title}\n\n${body}`);

function verdictBox({ proof, outcome, reason }: PullRequestInput): string {
  if (proof?.proven) {
    const { heading, sentence } = outcomeText('proven', '', { isolated: proof.isolated });
    const tests = `${plural(proof.failToPass.length, 'test')} turned from failing to passing. It is a draft until somebody has read it.`;
    const caution = proof.isolated
      ? ''
      : ' The runs shared a machine with the agent, so a hostile change could have forged them.';
    return `> [!${proof.isolated ? 'NOTE' : 'IMPORTANT'}]\n> **${heading}.** ${sentence} ${tests}${caution}`;
  }
  const why = oneLine(proof?.reason || reason) || 'no proof was made';
  const { sentence } = outcomeText(outcome === 'proven' ? 'unproven' : outcome, '');
  return `> [!WARNING]\n> **Not proven:** ${escapeInline(why, 1000)}\n>\n> ${sentence} Read it as a draft.`;
}

function howItWasMade({ proof, model, usage, durationMs, runUrl }: PullRequestInput): string {
  const commands = [...new Set((proof?.runs ?? []).map(run => run.command))].slice(0, 5);
  return [
    proof?.setupCommand ? `- Set-up: ${codeSpan(proof.setupCommand.split('\n')[0] ?? '', 200)}` : '',
    commands.length > 0 ? `- Tests: ${commands.map(command => codeSpan(command, 200)).join(', ')}` : '',
    `- ${codeSpan(model)}: ${usageText(usage)}, in ${duration(durationMs)}`,
    `- ${link('The run', runUrl)}, with its log and evidence`,
  ]
    .filter(line => line !== '')
    .join('\n');
}

const CI_TEXT: Readonly<Record<PullRequestInput['ci'], string>> = {
  'needs-approval':
    'CI waits for **Approve workflows to run** in the merge box, unless the action was given the token of an app or a person.',
  'needs-reopening':
    'CI did not start, unless the action was given the token of an app or a person: close and reopen it to start CI.',
};
