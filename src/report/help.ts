import { codeSpan } from './markdown.ts';

export interface HelpInput {
  readonly about: 'help' | 'unknown-command' | 'not-available' | 'pull-request';
  /** The word that was taken for a command; outside text. */
  readonly word: string;
  readonly commands: readonly { readonly name: string; readonly summary: string }[];
}

/** The reply to a command that starts no run. */
export function helpText({ about, word, commands }: HelpInput): string {
  const shown = codeSpan(word.slice(0, 40) || ' ');
  const opening = {
    help: 'I know these commands:',
    'unknown-command': `I do not know the command ${shown}. I know these:`,
    'not-available': `The command ${shown} is not available yet. These are:`,
    'pull-request': `${shown} starts from an issue, not from a pull request. Give the command in a comment on the issue. I know these:`,
  }[about];
  return [opening, '', ...commands.map(command => `- \`/agent ${command.name}\`: ${command.summary}`)].join(
    '\n',
  );
}
