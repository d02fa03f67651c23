/** Every command that a comment can give, in the order in which help lists them. One line here is the whole cost of one more. */
export const COMMANDS = {
  implement: {
    available: true,
    summary: 'write failing tests for this issue, make them pass, open a pull request',
  },
  fix: { available: false, summary: 'find and fix what makes a pull request red' },
  refactor: { available: false, summary: 'change the shape of code and prove that behaviour stayed' },
  code: { available: false, summary: 'write code, data and image files for a task' },
  exec: { available: false, summary: 'run the fenced code blocks of the comment' },
  continue: { available: false, summary: 'another round on the same pull request' },
  check: { available: false, summary: 'say what would be run here, without running it' },
  cancel: { available: false, summary: 'stop the run on this issue' },
  help: { available: false, summary: 'list the commands' },
} as const satisfies Record<string, { readonly available: boolean; readonly summary: string }>;

export type CommandName = keyof typeof COMMANDS;

export type ParsedCommand =
  | { readonly kind: 'not-a-command' }
  /** `available` is false for names that are reserved for later. `words` is all that follows, trimmed, as it was written. */
  | {
      readonly kind: 'command';
      readonly name: CommandName;
      readonly available: boolean;
      readonly words: string;
    }
  /** The trigger with a word that we do not know; empty when nothing follows the trigger. */
  | { readonly kind: 'unknown-command'; readonly word: string };

/**
 * Reads a command from a comment: the trigger is the first word of the first line, the command the second.
 * Quoted lines and code can not start with the trigger, so they never count; four leading spaces are code too.
 * Upper and lower case are alike, as in the `startsWith` of a workflow's `if`.
 */
export function parseCommand(comment: string, trigger = '/agent'): ParsedCommand {
  const [first = '', ...rest] = comment.split(/\r\n|\r|\n/);
  const [, start, afterTrigger = ''] = /^ {0,3}(\S+)(.*)$/.exec(first) ?? [];
  if (start?.toLowerCase() !== trigger.toLowerCase()) return { kind: 'not-a-command' };

  const [, word = '', afterWord = ''] = /^\s*(\S*)(.*)$/.exec(afterTrigger) ?? [];
  // Cut, because the pattern takes quadratic time for a long row of dots in a stranger's comment.
  const name = word
    .slice(0, 100)
    .replace(/[:,.]+$/, '')
    .toLowerCase();
  if (!isCommandName(name)) return { kind: 'unknown-command', word };
  const words = [afterWord, ...rest].join('\n').trim();
  return { kind: 'command', name, available: COMMANDS[name].available, words };
}

/** Whether a word, in lower case, is one of `COMMANDS`. */
export const isCommandName = (word: string): word is CommandName => Object.hasOwn(COMMANDS, word);
