import type { Diagnosis } from '../types.ts';
import { codeFence, codeSpan, escapeInline, escapeMarkdown } from './markdown.ts';
import { plural } from './numbers.ts';
import { cut } from './plain-text.ts';
import { section } from './section.ts';

export interface DiagnosisLimits {
  /** Characters of the cause and of the fix, each. */
  readonly explanation: number;
  /** Pieces of evidence, and characters of each. */
  readonly quotes: number;
  readonly quote: number;
}

/** Why something was wrong, how that was found, and what was done: the model's words, but for the quotes. Empty parts have no heading. */
export function diagnosisSections(
  diagnosis: Diagnosis,
  limits: DiagnosisLimits = { explanation: 6000, quotes: 20, quote: 1000 },
): string {
  const { cause, place, fix } = diagnosis;
  const prose = (text: string) => escapeMarkdown(cut(text.trim(), limits.explanation));
  const root = place.trim() === '' ? '' : `Root cause: ${codeSpan(place.trim(), 250)}`;
  const reproduced = prose(diagnosis.reproduced ?? '');
  const parts = [
    ['What was wrong', [prose(cause), root].filter(Boolean).join('\n\n')],
    ['How it was reproduced', reproduced],
    ['Evidence', evidenceList(diagnosis.evidence, limits)],
    ['How it was fixed', prose(fix)],
  ] as const;
  return parts
    .filter(([, body]) => body !== '')
    .map(([title, body], index) =>
      section(title, index === 0 ? `${whoSaysSo(reproduced !== '')}\n\n${body}` : body),
    )
    .join('\n\n');
}

/** What a reader may rely on, and what is an opinion. */
const whoSaysSo = (isReproduced: boolean): string =>
  `<sub>Cause${isReproduced ? ', reproduction' : ''} and fix are told in the model’s words; the quotations (not where they are said to stand) and everything about test runs were checked.</sub>`;

/** Exact, since every quote was on the record: the harness compared it with what it had shown. */
function evidenceList(evidence: Diagnosis['evidence'], { quotes, quote }: DiagnosisLimits): string {
  const shown = evidence
    .slice(0, quotes)
    .map(
      piece => `From ${escapeInline(piece.source, 200)}:\n\n${codeFence(cut(piece.quote, quote), 'text')}`,
    );
  const rest = evidence.length - shown.length;
  return [...shown, rest > 0 ? `*${plural(rest, 'more quotation')}, not listed.*` : '']
    .filter(Boolean)
    .join('\n\n');
}
