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

const LAUNCHER =
  /^(npx|pnpx|bunx|npm|pnpm|yarn|bun|node|nodejs|cross-env(-shell)?|env|env-cmd|dotenv|dotenvx|c8|nyc|time|xvfb-run)$/;
const LAUNCHER_WORD = /^-|^\w+=|^(run|exec|x|dlx)$/;

/**
 * Where in a command's words, unquoted, the wanted program stands: first, or behind `npx`, `cross-env A=1`, `node --flag`
 * and the like. -1 when it is but another program's argument (`eslint --env jest`).
 */
export function programIndex(words: readonly string[], isProgram: (name: string) => boolean): number {
  for (const [index, word] of words.entries()) {
    if (isProgram(programOf(word))) return index;
    const isOptionValue = words[index - 1]?.startsWith('-');
    if (!LAUNCHER.test(programOf(word)) && !LAUNCHER_WORD.test(word) && !isOptionValue) return -1;
  }
  return -1;
}

export interface WordRules {
  /** Options that are dropped, with their values. */
  readonly drop: RegExp;
  /** Options whose value is the next word. */
  readonly takesValue: RegExp;
  /** Options whose values are all the words up to the next option. */
  readonly takesAll?: RegExp;
}

/** Sorts a runner's arguments, still quoted, into options that stay and positional ones. */
export function sortArguments(words: readonly string[], rules: WordRules) {
  const options: string[] = [];
  const positional: string[] = [];
  for (let index = 0; index < words.length; index++) {
    const word = words[index] ?? '';
    const plain = unquote(word);
    if (!plain.startsWith('-')) {
      positional.push(word);
      continue;
    }
    const count = valueCount(words, index, plain, rules);
    if (!rules.drop.test(plain)) options.push(...words.slice(index, index + 1 + count));
    index += count;
  }
  return { options, positional };
}

/** How many of the words behind an option are its values. */
function valueCount(words: readonly string[], at: number, option: string, rules: WordRules): number {
  if (rules.takesAll?.test(option)) {
    const next = words.findIndex((word, index) => index > at && unquote(word).startsWith('-'));
    return (next < 0 ? words.length : next) - at - 1;
  }
  return rules.takesValue.test(option) && at + 1 < words.length ? 1 : 0;
}

/** Adds arguments to a command that we can not read: in place of `{args}`, or at the end, past npm's own. */
export function appendArguments(command: string, words: readonly string[]): string {
  const text = words.join(' ');
  if (command.includes('{args}')) return command.replaceAll('{args}', () => text);
  const throughNpm =
    /\bnpm\s+(?:(?:run|run-script)\s+\S+|test|t)\b/.test(command) && !/\s--\s/.test(`${command} `);
  return `${command}${throughNpm ? ' --' : ''} ${text}`;
}
