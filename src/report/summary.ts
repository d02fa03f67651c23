import type { FileSummaryRow, Proof } from '../types.ts';
import { fileTable } from './file-table.ts';
import { iterationTable } from './iteration-table.ts';
import { PHASES } from './log-line.ts';
import { codeSpan, escapeNote, link, table } from './markdown.ts';
import { usageText } from './numbers.ts';
import { outcomeText } from './outcome-text.ts';
import { isFix, type Progress } from './progress.ts';
import { checksList, proofTable } from './proof-section.ts';
import { section } from './section.ts';
import { truncateMarkdown } from './truncate.ts';
import { UNASKED } from './unasked.ts';

export interface SummaryInput {
  readonly progress: Progress;
  readonly proof: Proof | undefined;
  readonly files: readonly FileSummaryRow[];
  /** Sections in Markdown of ours, such as a diagnosis or a table of checks; they stand below the outcome. */
  readonly extra?: string | undefined;
}

/** The step summary: outcome, what is special to the command, phases, every test run and decision, proof, files. At most 1 MiB, as the runner demands. */
export function stepSummary({ progress, proof, files, extra = '' }: SummaryInput): string {
  const checks = (found: Proof) => checksList(found, 100, { fix: isFix(progress) });
  const parts = [
    opening(progress),
    extra.trim(),
    section(
      'Phases',
      table(
        ['Phase', 'State', 'Note'],
        progress.phases.map(row => [PHASES[row.phase], row.state, escapeNote(row.note, 300)]),
      ),
    ),
    section('Test runs and decisions', iterationTable(progress.iterations, 500)),
    section('Proof', proof ? `${proofTable(proof, 1000)}\n\n${checks(proof)}` : ''),
    section('Files', files.length > 0 ? fileTable(files, { maxRows: 1000, maxDescription: 300 }) : ''),
    section('Warnings', progress.warnings.map(warning => `- ${escapeNote(warning, 1000)}`).join('\n')),
  ];
  return withinBytes(parts.filter(part => part !== '').join('\n\n'), MAX_BYTES);
}

const MAX_BYTES = 1024 * 1024;

function opening(progress: Progress): string {
  const { ended, published } = progress;
  const text =
    ended &&
    outcomeText(ended.outcome, ended.reason, {
      ...ended,
      published: published.length > 0,
      command: progress.command,
      fix: isFix(progress),
      asked: progress.askedBy !== undefined,
    });
  const links = published.map(({ what, url }) => `- ${link(what, url)}`).join('\n');
  const spent = `${progress.askedBy ? codeSpan(progress.command) : UNASKED} · ${progress.model ? `${codeSpan(progress.model)} · ` : ''}${usageText(progress.usage)}`;
  return [
    `## redgreen: ${text ? text.heading : 'not finished'}`,
    text ? escapeNote(text.sentence, 2000) : '',
    links,
    text ? `**Next:** ${text.nextStep}` : '',
    spent,
  ]
    .filter(part => part !== '')
    .join('\n\n');
}

/** The limit counts bytes, a character has up to three. */
function withinBytes(text: string, max: number): string {
  const bytes = Buffer.byteLength(text);
  return bytes <= max ? text : truncateMarkdown(text, Math.floor(max / 3));
}
