/** What must stand in front of the found command (build steps, `cd`), and its words, quoted as they were. */
export interface FoundCommand {
  readonly before: string;
  readonly words: readonly string[];
}

/**
 * The last simple command of a shell line that `isWanted` recognises (it gets the words unquoted). What follows it
 * after `&&` or `;` is dropped, so that the exit code is the test runner's. Undefined when there is none, or when pipes,
 * redirections or substitutions make it unsafe to touch.
 */
export function findCommand(
  line: string,
  isWanted: (words: readonly string[]) => boolean,
): FoundCommand | undefined {
  const tokens = tokenize(line.trim());
  if (!tokens) return undefined;
  const commands = splitAtOperators(tokens);
  const index = commands.findLastIndex(command => isWanted(command.words.map(unquote)));
  const found = commands[index];
  if (!found || found.words.some(isUnsafe) || !isSequence(found.operator)) return undefined;
  if (commands[index - 1]?.operator === '|') return undefined;
  const before = commands.slice(0, index).map(command => `${command.words.join(' ')} ${command.operator} `);
  return { before: before.join(''), words: found.words };
}

interface SimpleCommand {
  readonly words: readonly string[];
  /** The operator that follows; empty at the end. */
  readonly operator: string;
}

const OPERATOR = /^(&&|\|\||[;|&\n])$/;
const TOKEN = /[^\S\n]*(&&|\|\||[;|&\n]|(?:'[^']*'|"(?:\\.|[^"\\])*"|\\.|[^\s;|&'"\\])+)[^\S\n]*/y;

function tokenize(line: string): string[] | undefined {
  const tokens: string[] = [];
  const token = new RegExp(TOKEN);
  while (token.lastIndex < line.length) {
    const match = token.exec(line);
    if (!match?.[1]) return undefined;
    tokens.push(match[1]);
  }
  return tokens;
}

function splitAtOperators(tokens: readonly string[]): SimpleCommand[] {
  const commands: SimpleCommand[] = [];
  let words: string[] = [];
  for (const token of tokens) {
    if (OPERATOR.test(token)) {
      commands.push({ words, operator: token });
      words = [];
    } else words.push(token);
  }
  return words.length > 0 ? [...commands, { words, operator: '' }] : commands;
}

const isSequence = (operator: string): boolean => ['', '&&', ';', '\n'].includes(operator);

const isUnsafe = (word: string): boolean =>
  /[<>()`]/.test(word.replace(/'[^']*'|"(?:\\.|[^"\\])*"|\\./g, ''));

export const unquote = (word: string): string =>
  word.replace(/'([^']*)'|"((?:\\.|[^"\\])*)"|\\(.)/g, (_all, single, double, escaped) =>
    single !== undefined ? single : double !== undefined ? double.replace(/\\(["\\$`])/g, '$1') : escaped,
  );

/** A word for `sh`, quoted only where it must be. */
export const quote = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;

/** A test file as an argument: quoted, and never taken for an option. */
export const quoteFile = (path: string): string => quote(path.startsWith('-') ? `./${path}` : path);

/** A program's name without its folder. */
export const programOf = (word: string): string => word.slice(word.lastIndexOf('/') + 1);

export interface WordRules {
  /** Options that are dropped, with their values. */
  readonly drop: RegExp;
  /** Options whose value is the next word. */
  readonly takesValue: RegExp;
}

/** Sorts a runner's arguments, still quoted, into options that stay and positional ones. */
export function sortArguments(words: readonly string[], { drop, takesValue }: WordRules) {
  const options: string[] = [];
  const positional: string[] = [];
  for (let index = 0; index < words.length; index++) {
    const word = words[index] ?? '';
    const plain = unquote(word);
    if (!plain.startsWith('-')) {
      positional.push(word);
      continue;
    }
    const next = words[index + 1];
    const withValue = takesValue.test(plain) && next !== undefined;
    if (withValue) index++;
    if (!drop.test(plain)) options.push(word, ...(withValue ? [next] : []));
  }
  return { options, positional };
}

/** Adds arguments to a command that we can not read: in place of `{args}`, or at the end, past npm's own. */
export function appendArguments(command: string, words: readonly string[]): string {
  const text = words.join(' ');
  if (command.includes('{args}')) return command.replaceAll('{args}', () => text);
  const throughNpm =
    /\bnpm\s+(?:(?:run|run-script)\s+\S+|test|t)\b/.test(command) && !/\s--\s/.test(`${command} `);
  return `${command}${throughNpm ? ' --' : ''} ${text}`;
}
