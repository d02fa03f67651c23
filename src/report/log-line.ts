import type { Phase, RecordedEvent, RunEvent } from '../run-events.ts';
import type { Exit } from '../types.ts';
import { inlineForLog, sanitizeForLog } from './log-text.ts';
import { count, duration, exitText, plural, runEndText, usageText } from './numbers.ts';
import { type OutcomeContext, outcomeText } from './outcome-text.ts';
import { purposeText } from './purpose-text.ts';
import type { Redact } from './redact.ts';

/**
 * What the runner's log says of an event: a few short lines, a group for each phase, warnings as annotations. Every line begins with words
 * of ours, so that text from outside never acts. `context` is what the end of a run is told by besides its event: the command, above all.
 */
export function logLines(
  event: RecordedEvent | RunEvent,
  redact: Redact = text => text,
  context: OutcomeContext = {},
): string[] {
  const say = (text: string, max?: number) => inlineForLog(redact(text), max);
  switch (event.kind) {
    case 'run-started':
      return [`redgreen ${say(event.version)}: ${say(event.command)} with ${say(event.model)}`];
    case 'phase-started':
      return [`::group::${PHASES[event.phase]}`];
    case 'phase-ended':
      return [
        '::endgroup::',
        `${PHASES[event.phase]}: ${event.ok ? 'done' : 'failed'}${after(say(event.note))}`,
      ];
    case 'note':
      return event.level === 'warning'
        ? [`::warning::${annotation(say(event.text, 2000))}`]
        : [`note: ${say(event.text)}`];
    case 'setup-ran':
      return setupLines(event, say, redact);
    case 'model-asked':
      return [];
    case 'model-answered':
    case 'model-retried':
      return [modelLine(event, say)];
    case 'tool-ran':
      return [
        `${event.ok ? '   ' : ' ! '}${say(event.name)}: ${say(event.summary)} (${duration(event.durationMs)})`,
      ];
    case 'tests-ran':
      return [testsLine(event, say)];
    case 'gate-decided':
      return [
        `gate ${say(event.gate)}: ${event.passed ? 'passed' : 'not passed'}${after(say(event.reason, 1000))}`,
      ];
    case 'proof-decided':
      return [`proof: ${event.proven ? 'proven' : 'not proven'}${after(say(event.reason, 1000))}`];
    case 'published':
      return [`published ${say(event.what)}: ${say(event.url)}`];
    case 'run-ended':
      return endLines(event, say, context);
  }
}

/** The phases in words; the order is that of a run. */
export const PHASES: Readonly<Record<Phase, string>> = {
  gate: 'Permission',
  context: 'Context',
  sandbox: 'Sandbox',
  baseline: 'Baseline',
  reproduction: 'Reproduction',
  fix: 'Diagnosis and fix',
  specification: 'Specification',
  tests: 'Tests first',
  implementation: 'Implementation',
  proof: 'Proof',
  publish: 'Publication',
};

type Of<Kind extends RunEvent['kind']> = Extract<RunEvent, { readonly kind: Kind }>;
type Say = (text: string, max?: number) => string;

const after = (text: string): string => (text ? `: ${text}` : '');

/** The runner decodes these three in the text of an annotation. */
const annotation = (text: string): string =>
  text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');

const isGood = (exit: Exit): boolean => exit.kind === 'code' && exit.code === 0;

function setupLines(event: Of<'setup-ran'>, say: Say, redact: Redact): string[] {
  const line = `set-up: ${say(event.command)}: ${say(exitText(event.exit))} (${duration(event.durationMs)})`;
  if (isGood(event.exit)) return [line];
  return [line, ...sanitizeForLog(event.log, { redact, maxLength: 16_000 }).split('\n')];
}

function modelLine(event: Of<'model-answered'> | Of<'model-retried'>, say: Say): string {
  if (event.kind === 'model-retried')
    return `${say(event.role)}: asked again in ${duration(event.waitMs)}${after(say(event.reason))}`;
  const said = event.message.content.trim();
  const calls = event.message.toolCalls.map(call => call.name).join(', ');
  const words = said ? ` “${say(said, 200)}”` : '';
  const { inputTokens, outputTokens } = event.usage;
  return `${say(event.role)} ${event.turn}:${words}${calls ? ` → ${say(calls)}` : ''} (${count(inputTokens)} in, ${count(outputTokens)} out, ${duration(event.durationMs)})`;
}

function testsLine({ purpose, run }: Of<'tests-ran'>, say: Say): string {
  const counts = `${run.passed} passed, ${run.failed} failed, ${run.skipped} skipped`;
  const problem = run.problem ? `; ${say(run.problem)}` : '';
  return `tests (${say(purposeText(purpose))}): ${counts}, ${say(runEndText(run))}, ${duration(run.durationMs)}${problem}`;
}

function endLines(event: Of<'run-ended'>, say: Say, context: OutcomeContext): string[] {
  const { heading, sentence, nextStep } = outcomeText(event.outcome, event.reason, {
    ...context,
    ...event,
  });
  const turns = event.usage.calls > 0 ? usageText(event.usage) : plural(0, 'model call');
  return [`${heading}: ${say(sentence, 1000)}`, `next: ${say(nextStep, 2000)}`, `spent: ${turns}`];
}
