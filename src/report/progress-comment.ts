import type { Outcome } from '../types.ts';
import { iterationTable } from './iteration-table.ts';
import { PHASES } from './log-line.ts';
import { codeSpan, escapeInline, escapeNote, fold, link } from './markdown.ts';
import { plural, usageText } from './numbers.ts';
import { outcomeText } from './outcome-text.ts';
import { type Ended, isFix, type PhaseProgress, type Progress } from './progress.ts';
import { keepWholeBlocks, truncateMarkdown } from './truncate.ts';
import { UNASKED } from './unasked.ts';

/**
 * The one comment of a run: while it works, and when it has ended. `report` is Markdown of ours that stands below the ending, such as that
 * of a fix; where there is not room for all, its last blocks go first.
 */
export function progressComment(progress: Progress, report = ''): string {
  const { ended } = progress;
  const opening = ended ? ending(progress, ended) : headerOf(progress);
  const rest = [
    shownPhases(progress).map(phaseLine).join('\n'),
    runsTable(progress),
    progress.warnings.map(warning => `> [!WARNING]\n> ${escapeNote(warning, 1000)}`).join('\n\n'),
    footer(progress),
  ];
  const room = MAX_COMMENT - blocks([opening, ...rest]).length - 2;
  const shown = ended ? keepWholeBlocks(report, room) : '';
  return truncateMarkdown(blocks([opening, shown, ...rest]), MAX_COMMENT);
}

const blocks = (parts: readonly string[]): string => parts.filter(part => part !== '').join('\n\n');

/** A comment takes 65,536 characters. */
const MAX_COMMENT = 65_000;
const SHOWN_ITERATIONS = 6;

const who = ({ askedBy, command, runUrl }: Progress): string =>
  `${askedBy ? `${codeSpan(command)} for ${escapeInline(`@${askedBy}`)}` : UNASKED} · ${link('run', runUrl)}`;

const headerOf = (progress: Progress): string => `### redgreen is at work\n\n${who(progress)}`;

function ending(progress: Progress, ended: Ended): string {
  const published = progress.published.length > 0;
  const { heading, sentence, nextStep } = outcomeText(ended.outcome, ended.reason, {
    ...ended,
    published,
    command: progress.command,
    fix: isFix(progress),
    asked: progress.askedBy !== undefined,
  });
  const results = publishedElsewhere(progress)
    .map(({ what, url }) => `- ${link(what, url)}`)
    .join('\n');
  return [
    `### ${signOf(ended)} ${heading}`,
    who(progress),
    escapeNote(sentence, 2000),
    results,
    // Ours, and Markdown: it names commands and inputs in backticks.
    `**Next:** ${nextStep}`,
  ]
    .filter(part => part !== '')
    .join('\n\n');
}

/** Whoever reads the comment on a pull request has its branch and itself before them. */
function publishedElsewhere({ published, thread }: Progress): Progress['published'] {
  const here = `pull request #${thread}`;
  return published.some(({ what }) => what === here)
    ? published.filter(({ what }) => what !== here && !what.startsWith('branch '))
    : published;
}

/** A check that found something is no success, though it was carried out. */
const signOf = ({ outcome, reason }: Ended): string =>
  outcome === 'answered' && reason !== '' ? (/to mend/.test(reason) ? '❌' : '⚠️') : SIGNS[outcome];

const SIGNS: Readonly<Record<Outcome, string>> = {
  proven: '✅',
  answered: '✅',
  unproven: '⚠️',
  partial: '⚠️',
  blocked: '⚠️',
  'not-reproduced': '⚠️',
  ignored: '⚠️',
  refused: '⛔',
  cancelled: '⛔',
  failed: '❌',
  crashed: '❌',
};

/** While it works the last runs are the news; afterwards they are details. */
function runsTable({ iterations, ended }: Progress): string {
  const shown = iterationTable(iterations, ended ? 40 : SHOWN_ITERATIONS);
  return ended && shown !== ''
    ? fold(`${plural(iterations.length, 'step')}: test runs and decisions`, shown)
    : shown;
}

const STATES = { waiting: '⬜', running: '⏳', done: '✅', failed: '❌' } as const;

/** What a run that has ended did not come to is no news. */
const shownPhases = ({ phases, ended }: Progress) =>
  ended ? phases.filter(({ state }) => state !== 'waiting') : phases;

const phaseLine = ({ phase, state, note }: PhaseProgress): string =>
  `- ${STATES[state]} ${state === 'running' ? `**${PHASES[phase]}**` : PHASES[phase]}${note ? `: ${escapeNote(note, 200)}` : ''}`;

const footer = (progress: Progress): string =>
  `<sub>${[progress.model && codeSpan(progress.model), usageText(progress.usage)].filter(Boolean).join(' · ')}</sub>`;
