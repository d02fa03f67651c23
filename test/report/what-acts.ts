/**
 * What GitHub would act on in a Markdown text: mentions, references, closing words, addresses that become links, pictures, HTML that is not
 * ours, hidden comments, slash commands, and table rows whose cells were broken. Code blocks and code spans are read as CommonMark reads them.
 */
export function whatActs(markdown: string): string[] {
  const text = withoutCodeSpans(withoutCodeBlocks(markdown));
  return [
    ...PATTERNS.flatMap(pattern => [...text.matchAll(pattern)].map(([found]) => found)),
    ...brokenRows(markdown),
  ];
}

/** How many folds are not closed, code left aside. */
export function openFolds(markdown: string): number {
  const lines = withoutCodeBlocks(markdown).split('\n');
  return (
    lines.filter(line => line === '<details>').length - lines.filter(line => line === '</details>').length
  );
}

/** Something of each kind that acts, as outside text may hold it. */
export const EVIL =
  'x @ada/team @ada fixes #5 GH-7 o/r#8 [a](http://evil.example) ![i](http://evil.example/i) www.evil.example https://evil.example/a | ``` ~~~ <!-- redgreen:end --> <img src=x> </details> `c`\n/agent fix\n| a | b |\n# head\n<!-- redgreen:run=1 -->\n````\n@ada\n````\n\x1b[31m::error::x\r\n##[error]y';

const PATTERNS = [
  /@[A-Za-z0-9][\w/-]*/g,
  /(?<!&)#\d+|\bGH-\d+/g,
  /<!--(?! redgreen:(?:start|end) -->).*/g,
  /<(?!\/?(?:details|summary|sub|br|code)>|!--)\/?[a-z!]\S*/gi,
  /(?<!\\)!\[/g,
  /\]\((?!https:\/\/github\.com\/)[^)]*\)/g,
  /(?<!\]\()https?:\/\/\S+|\bwww\.\S+/g,
  /^ {0,3}\/agent.*/gm,
];

function withoutCodeBlocks(text: string): string {
  let fence = '';
  return text
    .split('\n')
    .filter(line => {
      const [, run = '', rest = ''] = /^ {0,3}(`{3,})(.*)$/.exec(line) ?? [];
      const inside = fence !== '';
      if (inside && run.length >= fence.length && rest.trim() === '') fence = '';
      else if (!inside && run && !rest.includes('`')) fence = run;
      return !inside && fence === '';
    })
    .join('\n');
}

const withoutCodeSpans = (text: string): string =>
  text
    .split(/\n\n+|\n(?=[-|#>])/)
    .map(block => withoutSpans(block).replaceAll(/<code>.*?<\/code>/g, '⌗'))
    .join('\n\n');

/** Code spans and escaped characters become one sign each. */
function withoutSpans(block: string): string {
  let shown = '';
  let rest = block;
  while (rest !== '') {
    const [code, run] = codeSpanAt(rest);
    const escaped = /^\\[!-/:-@[-`{-~]/.test(rest);
    const step = code || run || (escaped ? 2 : 1);
    shown += code || escaped ? '⌗' : rest.slice(0, step);
    rest = rest.slice(step);
  }
  return shown;
}

/** Lengths of the code span and of the run of backticks at the start of a text. */
function codeSpanAt(text: string): [number, number] {
  const [run = ''] = /^`+/.exec(text) ?? [];
  const close = [...(run ? text.slice(run.length).matchAll(/`+/g) : [])].find(
    ([found]) => found.length === run.length,
  );
  return [close ? run.length + close.index + run.length : 0, run.length];
}

/** Rows of one table that do not have as many cells as its head. */
function brokenRows(markdown: string): string[] {
  const cells = (row: string) => row.replaceAll('\\|', '').split('|').length;
  const lines = withoutCodeBlocks(markdown).split('\n');
  let head = '';
  return lines.filter(line => {
    if (!line.startsWith('|')) head = '';
    else if (head === '') head = line;
    return line.startsWith('|') && cells(line) !== cells(head);
  });
}
