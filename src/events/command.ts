/** Where a command can be given. */
export type CommandPlace = 'issue' | 'pull-request' | 'dispatch';

interface CommandFacts {
  /** False for names that are reserved for later. */
  readonly available: boolean;
  /** What it does, for help: no capital, no full stop. */
  readonly summary: string;
  readonly where: readonly CommandPlace[];
}

/** Every command that a person can give, in the order in which help lists them. One line here is the whole cost of one more. */
export const COMMANDS = {
  implement: {
    available: true,
    summary: 'write failing tests for this issue, make them pass, open a pull request',
    where: ['issue', 'dispatch'],
  },
  fix: {
    available: true,
    summary: 'find out why tests fail (or what a bug report describes), mend it, and prove that it is mended',
    where: ['issue', 'pull-request', 'dispatch'],
  },
  refactor: {
    available: false,
    summary: 'change the shape of code and prove that behaviour stayed',
    where: ['issue', 'pull-request', 'dispatch'],
  },
  code: {
    available: false,
    summary: 'write code, data and image files for a task',
    where: ['issue', 'dispatch'],
  },
  exec: {
    available: false,
    summary: 'run the fenced code blocks of the comment',
    where: ['issue', 'pull-request', 'dispatch'],
  },
  continue: {
    available: false,
    summary: 'another round on the same pull request',
    where: ['issue', 'pull-request'],
  },
  check: {
    available: true,
    summary: 'try sandbox, set-up, tests, model and permissions, and say how to mend what is missing',
    where: ['issue', 'pull-request', 'dispatch'],
  },
  cancel: {
    available: true,
    summary: 'stop the run on this issue or pull request',
    where: ['issue', 'pull-request'],
  },
  help: {
    available: true,
    summary: 'list the commands',
    where: ['issue', 'pull-request', 'dispatch'],
  },
} as const satisfies Record<string, CommandFacts>;

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

/** Whether a command can be given in such a place at all; whether it is available yet is another question. */
export function isGivenIn(name: CommandName, place: CommandPlace): boolean {
  const { where }: CommandFacts = COMMANDS[name];
  return where.includes(place);
}
