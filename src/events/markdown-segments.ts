/** A part of a Markdown text. Code is what stands between fences, the fences included; all else is prose. */
export interface Segment {
  readonly kind: 'prose' | 'code';
  readonly text: string;
}

interface Fence {
  readonly mark: string;
  readonly length: number;
}

type State =
  | { readonly in: 'prose' }
  | { readonly in: 'code'; readonly fence: Fence }
  /** Inside HTML, where a fence means nothing; ends with a line that matches. */
  | { readonly in: 'html'; readonly end: RegExp };

const BLANK = /^\s*$/;

/**
 * Splits a text with `\n` line ends into prose and fenced code, line by line as CommonMark does. Where the two could
 * disagree (a fence in a quote, a list or an HTML block) the text counts as prose, because prose is cleaned more.
 */
export function splitSegments(markdown: string): Segment[] {
  const segments: Segment[] = [];
  let lines: string[] = [];
  let state: State = { in: 'prose' };
  const flush = (kind: Segment['kind']) => {
    if (lines.length > 0) segments.push({ kind, text: lines.join('\n') });
    lines = [];
  };
  for (const line of markdown.split('\n')) {
    const next = nextState(state, line);
    if (next.in === 'code' && state.in !== 'code') flush('prose');
    lines.push(line);
    if (state.in === 'code' && next.in !== 'code') flush('code');
    state = next;
  }
  flush(state.in === 'code' ? 'code' : 'prose');
  return segments;
}

function nextState(state: State, line: string): State {
  if (state.in === 'code') return closes(state.fence, line) ? { in: 'prose' } : state;
  if (state.in === 'html') return state.end.test(line) ? { in: 'prose' } : state;
  const fence = openingFence(line);
  if (fence) return { in: 'code', fence };
  const end = htmlEnd(line);
  return end && !end.test(line) ? { in: 'html', end } : state;
}

function openingFence(line: string): Fence | undefined {
  const [, marks = '', info = ''] = /^ {0,3}(`{3,}|~{3,})(.*)$/.exec(line) ?? [];
  const mark = marks[0];
  if (mark === undefined || (mark === '`' && info.includes('`'))) return undefined;
  return { mark, length: marks.length };
}

function closes({ mark, length }: Fence, line: string): boolean {
  const [, marks = ''] = /^ {0,3}(`{3,}|~{3,})[ \t]*$/.exec(line) ?? [];
  return marks.startsWith(mark) && marks.length >= length;
}

/** How the HTML that begins on, or is left open by, this line ends; undefined when it begins none. */
function htmlEnd(line: string): RegExp | undefined {
  const opened = line.lastIndexOf('<!--');
  if (opened >= 0 && !/--!?>/.test(line.slice(opened + 2))) return /--!?>/;
  if (/^ {0,3}<(script|pre|style|textarea)\b/i.test(line)) return /<\/(script|pre|style|textarea)>/i;
  if (/^ {0,3}<\?/.test(line)) return /\?>/;
  if (/^ {0,3}<!\[CDATA\[/.test(line)) return /\]\]>/;
  if (/^ {0,3}<![a-z]/i.test(line)) return />/;
  return /^ {0,3}<\/?[a-z]/i.test(line) ? BLANK : undefined;
}
