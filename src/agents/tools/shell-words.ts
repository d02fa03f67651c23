/** One simple command of a shell line: its words without their quotes, and the files that its output goes to. */
export interface SimpleCommand {
  readonly words: readonly string[];
  readonly targets: readonly string[];
}

// Alternatives begin with different characters, and nothing follows the repetitions that could make them try again.
const TOKEN =
  /(?<blank>[ \t\r]+|\\\n)|(?<comment>#[^\n]*)|<<-?[ \t]*(?!<)(?<tag>'[^'\n]*'|"[^"\n]*"|[^\s;&|()<>'"]+)|(?<input><{1,3}&?)|(?<output>(?:\d+|&)?>(?:[>|&])?)|(?<end>[;&|()\n])|(?<word>(?:\\[\s\S]|'[^']*'|"(?:[^"\\]|\\[\s\S])*"|[^\s;&|()<>'"\\]|['"\\])+)/gy;

interface Reading {
  readonly commands: { words: string[]; targets: string[] }[];
  /** Ends of the here-documents that begin after this line. */
  tags: string[];
  /** What the next word is. */
  next: 'words' | 'targets' | 'input';
}

/** Takes a shell script apart as far as its words can be told without running it. Here-documents and comments are left out. Linear time. */
export function simpleCommands(script: string): readonly SimpleCommand[] {
  const reading: Reading = { commands: [{ words: [], targets: [] }], tags: [], next: 'words' };
  const token = new RegExp(TOKEN);
  for (let match = token.exec(script); match; match = token.exec(script)) {
    take(reading, match.groups ?? {});
    if (match[0] !== '\n') continue;
    token.lastIndex = afterDocuments(script, token.lastIndex, reading.tags);
    reading.tags = [];
  }
  return reading.commands.filter(({ words, targets }) => words.length + targets.length > 0);
}

function take(reading: Reading, token: Readonly<Record<string, string | undefined>>): void {
  const { word, output, input, end, tag } = token;
  if (tag !== undefined) reading.tags.push(unquoted(tag));
  if (output !== undefined) reading.next = output.endsWith('&') ? 'input' : 'targets';
  if (input !== undefined) reading.next = 'input';
  if (word !== undefined && reading.next !== 'input')
    reading.commands.at(-1)?.[reading.next].push(unquoted(word));
  if (end !== undefined) reading.commands.push({ words: [], targets: [] });
  if (word !== undefined || end !== undefined) reading.next = 'words';
}

/** Where the script goes on after the here-documents that begin at `start`. */
function afterDocuments(script: string, start: number, tags: readonly string[]): number {
  let at = start;
  for (const tag of tags) {
    for (let line: string | undefined; line !== tag && at < script.length; ) {
      const end = script.indexOf('\n', at);
      const next = end < 0 ? script.length : end + 1;
      line = script.slice(at, next).trim();
      at = next;
    }
  }
  return at;
}

const unquoted = (word: string): string =>
  word.replace(
    /\\([\s\S])|'([^']*)'|"((?:[^"\\]|\\[\s\S])*)"/g,
    (_all, escaped = '', single = '', double = '') =>
      [escaped, single, double.replace(/\\(["\\$`])/g, '$1')].join(''),
  );
