import type { FileSummaryRow, Proof } from '../types.ts';
import { fileTable } from './file-table.ts';
import { iterationTable } from './iteration-table.ts';
import { PHASES } from './log-line.ts';
import { codeSpan, escapeInline, link, table } from './markdown.ts';
import { usageText } from './numbers.ts';
import { outcomeText } from './outcome-text.ts';
import type { Progress } from './progress.ts';
import { checksList, proofTable } from './proof-section.ts';
import { truncateMarkdown } from './truncate.ts';

export interface SummaryInput {
  readonly progress: Progress;
  readonly proof: Proof | undefined;
  readonly files: readonly FileSummaryRow[];
}

/** The step summary: outcome, phases, every test run and decision, proof, files. At most 1 MiB, as the runner demands. */
export function stepSummary({ progress, proof, files }: SummaryInput): string {
  const parts = [
    opening(progress),
    section(
      'Phases',
      table(
        ['Phase', 'State', 'Note'],
        progress.phases.map(row => [PHASES[row.phase], row.state, escapeInline(row.note, 300)]),
      ),
    ),
    section('Test runs and decisions', iterationTable(progress.iterations, 500)),
    section('Proof', proof ? `${proofTable(proof, 1000)}\n\n${checksList(proof, 100)}` : ''),
    section('Files', files.length > 0 ? fileTable(files, { maxRows: 1000, maxDescription: 300 }) : ''),
    section('Warnings', progress.warnings.map(warning => `- ${escapeInline(warning, 1000)}`).join('\n')),
  ];
  return withinBytes(parts.filter(part => part !== '').join('\n\n'), MAX_BYTES);
}

const MAX_BYTES = 1024 * 1024;

function opening(progress: Progress): string {
  const { ended, published } = progress;
  const text =
    ended && outcomeText(ended.outcome, ended.reason, { ...ended, published: published.length > 0 });
  const links = published.map(({ what, url }) => `- ${link(what, url)}`).join('\n');
  const spent = `${codeSpan(progress.command)} · ${progress.model ? `${codeSpan(progress.model)} · ` : ''}${usageText(progress.usage)}`;
  return [
    `## redgreen: ${text ? text.heading : 'not finished'}`,
    text ? escapeInline(text.sentence, 2000) : '',
    links,
    text ? `**Next:** ${text.nextStep}` : '',
    spent,
  ]
    .filter(part => part !== '')
    .join('\n\n');
}

const section = (title: string, body: string): string => (body === '' ? '' : `### ${title}\n\n${body}`);

/** The limit counts bytes, a character has up to three. */
function withinBytes(text: string, max: number): string {
  const bytes = Buffer.byteLength(text);
  return bytes <= max ? text : truncateMarkdown(text, Math.floor(max / 3));
}
