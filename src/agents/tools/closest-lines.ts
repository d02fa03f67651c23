const MAX_LINES = 20;
const MAX_CHARS = 300;

/** What to tell about an `old` that was not found: the real lines that differ from it by white space or escapes only, else those that share most with it. */
export function closestLines(text: string, old: string): string {
  const lines = text.split('\n');
  const numberless = old.replace(/^[ \t]*\d+(?:\t|: ?)/gm, '');
  const same = sameButBlanks(lines, old) ?? sameButBlanks(lines, numberless);
  if (same)
    return ` It differs by white space, escapes or line numbers from these lines; quote them as they are, without numbers:\n${numbered(lines, same)}`;
  const near = mostAlike(lines, old);
  return near ? ` The closest lines are:\n${numbered(lines, near)}` : ' Read the file and quote it as it is.';
}

interface Range {
  readonly first: number;
  readonly end: number;
}

/** Text without what models get wrong most: white space, and backslashes with what they stand for. */
const bare = (text: string): string => text.replace(/\\[nrt]|[\s\\]/g, '');

function sameButBlanks(lines: readonly string[], old: string): Range | undefined {
  const wanted = bare(old);
  if (wanted === '') return undefined;
  const bares = lines.map(bare);
  const at = bares.join('').indexOf(wanted);
  if (at < 0) return undefined;
  const lineOf = (offset: number) => {
    let seen = 0;
    return bares.findIndex(line => {
      seen += line.length;
      return seen > offset;
    });
  };
  return { first: lineOf(at), end: lineOf(at + wanted.length - 1) + 1 };
}

/** The window of real lines that shares most lines with `old`, when at least half of them do. */
function mostAlike(lines: readonly string[], old: string): Range | undefined {
  const given = old.split(/\n|\\n/);
  const wanted = new Set(given.map(bare).filter(Boolean));
  const size = Math.min(12, given.length);
  const isWanted = lines.map(line => wanted.has(bare(line)));
  let best = { at: 0, score: 0 };
  for (let i = 0; i < lines.length; i++) {
    const score = isWanted.slice(i, i + size).filter(Boolean).length;
    if (score > best.score) best = { at: i, score };
  }
  const isNear = best.score > 0 && best.score * 2 >= Math.min(wanted.size, size);
  return isNear ? { first: best.at, end: Math.min(lines.length, best.at + size) } : undefined;
}

const numbered = (lines: readonly string[], { first, end }: Range): string =>
  lines
    .slice(first, Math.min(end, first + MAX_LINES))
    .map((line, i) => `${first + i + 1}: ${line.length > MAX_CHARS ? `${line.slice(0, MAX_CHARS)} …` : line}`)
    .join('\n');
