import type { FileSummaryRow, FunctionSpec, Usage } from '../types.ts';
import { type DiagnosisLimits, diagnosisSections } from './diagnosis-section.ts';
import { fileTable } from './file-table.ts';
import { codeSpan, escapeInline, escapeMarkdown, escapeNote, fold, link, table } from './markdown.ts';
import { duration, plural, usageText } from './numbers.ts';
import { cut } from './plain-text.ts';
import { checksList, proofTable } from './proof-section.ts';
import { section } from './section.ts';
import type { VerdictInput } from './verdict-box.ts';

/** What is told of a change wherever it is told: in a pull request, or in the comment on one. */
export interface ChangeFacts extends VerdictInput {
  /** In dependency order; empty when the work needed none. */
  readonly functions: readonly FunctionSpec[];
  /** The model's account of the change; Markdown is not kept. Empty when there is none; not shown beside a diagnosis. */
  readonly explanation: string;
  readonly files: readonly FileSummaryRow[];
  /** What must be read: paths that were held back, dependencies that were changed. Plain sentences, with `code` in backticks; told before all else. */
  readonly remarks: readonly string[];
  /** The workflow's own `test-command`, when it has one. */
  readonly testCommand?: string | undefined;
  readonly model: string;
  readonly usage: Usage;
  readonly durationMs: number;
  readonly runUrl: string;
}

export interface ChangeLimits extends DiagnosisLimits {
  readonly request: number;
  readonly rows: number;
  readonly names: number;
  readonly description: number;
  readonly contract: number;
}

/** From generous to scant: the first with which a text fits is taken. */
export const CHANGE_LIMITS: readonly ChangeLimits[] = [
  {
    request: 4000,
    explanation: 6000,
    quotes: 10,
    quote: 1000,
    rows: 300,
    names: 30,
    description: 300,
    contract: 2000,
  },
  {
    request: 1500,
    explanation: 2500,
    quotes: 6,
    quote: 500,
    rows: 80,
    names: 10,
    description: 150,
    contract: 600,
  },
  {
    request: 400,
    explanation: 800,
    quotes: 3,
    quote: 200,
    rows: 15,
    names: 3,
    description: 80,
    contract: 150,
  },
];

/** The account of the change: for a fix, what was wrong and how it was found and mended. */
export function accountOf({ diagnosis, explanation }: ChangeFacts, limits: ChangeLimits): string {
  if (!diagnosis)
    return section('What was done', escapeMarkdown(cut(explanation.trim(), limits.explanation)));
  const fix = diagnosis.fix.trim() === '' ? explanation : diagnosis.fix;
  return diagnosisSections({ ...diagnosis, fix }, limits);
}

/** What was red and is green; the heading claims no more than the verdict. */
export function shownSection(facts: ChangeFacts, { rows }: ChangeLimits): string {
  const { proof, diagnosis, commandGreen } = facts;
  const green = proof?.proven ? undefined : commandGreen;
  const tests = proof && !(green && proof.failToPass.length === 0) ? proofTable(proof, rows) : '';
  const command = green
    ? table(
        ['Command', 'Before', 'After'],
        [
          [
            codeSpan(green.command),
            `❌ ${escapeInline(green.before, 100)}`,
            `✅ ${escapeInline(green.after, 100)}`,
          ],
        ],
      )
    : '';
  const title = diagnosis ? (proof?.proven ? 'How it was shown' : 'What was done to show it') : 'Proof';
  return section(
    green && !diagnosis ? 'What was shown' : title,
    [command, tests].filter(Boolean).join('\n\n'),
  );
}

export const checksText = ({ proof, diagnosis }: ChangeFacts, { names }: ChangeLimits): string =>
  proof ? checksList(proof, names, { fix: diagnosis !== undefined }) : '';

export const filesText = ({ files }: ChangeFacts, { rows, description }: ChangeLimits): string =>
  fileTable(files, { maxRows: rows, maxDescription: description });

export function remarksSection({ remarks }: ChangeFacts, { rows }: ChangeLimits): string {
  const shown = remarks.slice(0, rows).map(remark => `- ${escapeNote(remark, 500)}`);
  const rest = remarks.length - shown.length;
  const more = rest > 0 ? [`- and ${plural(rest, 'more remark')}, not listed`] : [];
  return section('Please note', [...shown, ...more].join('\n'));
}

/** What the tests were written against: that is what a reader has to agree with. */
export function specification({ functions }: ChangeFacts, limits: ChangeLimits): string {
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

export function howItWasMade({ proof, testCommand, model, usage, durationMs, runUrl }: ChangeFacts): string {
  const commands = [...new Set((proof?.runs ?? []).map(run => run.command))].slice(0, 5);
  return [
    proof?.setupCommand ? `- Set-up: ${codeSpan(proof.setupCommand.split('\n')[0] ?? '', 200)}` : '',
    commands.length > 0 ? `- Tests: ${commands.map(command => codeSpan(command, 200)).join(', ')}` : '',
    testCommand?.trim() ? `- The workflow’s own \`test-command\`: ${codeSpan(testCommand.trim(), 500)}` : '',
    `- ${codeSpan(model)}: ${usageText(usage)}, in ${duration(durationMs)}`,
    `- ${link('The run', runUrl)}, with its log and evidence`,
  ]
    .filter(line => line !== '')
    .join('\n');
}
