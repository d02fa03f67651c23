import type { Diagnosis, Outcome, Proof } from '../types.ts';
import { codeSpan, escapeInline, escapeNote } from './markdown.ts';
import { plural } from './numbers.ts';
import { outcomeText } from './outcome-text.ts';
import { oneLine } from './plain-text.ts';

/** A command that failed before the change and ends well after it, where no test shows the same. Exits in words, such as `exit code 1`. */
export interface CommandGreen {
  readonly command: string;
  readonly before: string;
  readonly after: string;
}

export interface VerdictInput {
  readonly outcome: Outcome;
  /** Outside text. */
  readonly reason: string;
  /** Undefined when there was none, as for work that has no tests. */
  readonly proof: Proof | undefined;
  /** Present when something was wrong and was fixed. */
  readonly diagnosis?: Diagnosis | undefined;
  readonly commandGreen?: CommandGreen | undefined;
}

/** What is claimed of a pull request and what is not, at its top. */
export function verdictBox(input: VerdictInput): string {
  const { proof, outcome, reason, commandGreen } = input;
  if (proof?.proven) {
    const { heading, sentence } = outcomeText('proven', '', {
      isolated: proof.isolated,
      fix: input.diagnosis !== undefined,
    });
    const read = 'It is a draft until somebody has read it.';
    return `> [!${proof.isolated ? 'NOTE' : 'IMPORTANT'}]\n> **${heading}.** ${sentence} ${turnedText(proof)} ${read}${cautionText(proof)}`;
  }
  const why = oneLine(proof?.reason || reason);
  if (commandGreen) {
    const because = why ? `\n>\n> ${escapeNote(why, 1000)}` : '';
    return `> [!WARNING]\n> ${commandGreenText(commandGreen)}${because}\n>\n> Read it as a draft.`;
  }
  const { sentence } = outcomeText(outcome === 'proven' ? 'unproven' : outcome, '', { published: true });
  return `> [!WARNING]\n> **Not proven:** ${escapeNote(why || 'no proof was made', 1000)}\n>\n> ${sentence} Read it as a draft.`;
}

/** Says how far the claim of a green command goes. */
export const commandGreenText = ({ command, before, after }: CommandGreen): string =>
  `**Command green, not proven.** ${codeSpan(command)}: ${escapeInline(before, 100)} before the change, ${escapeInline(after, 100)} after it. No test shows what the change does, so nothing more is claimed.`;

export const turnedText = ({ failToPass }: Proof): string =>
  `${plural(failToPass.length, 'test')} turned from failing to passing.`;

/** Empty when the proof was made where the agent never was. */
export const cautionText = ({ isolated }: Proof): string =>
  isolated ? '' : ' The runs shared a machine with the agent, so a hostile change could have forged them.';
