import { stripEscapes } from '../lib/strip-escapes.ts';

/** Limits of what a tool shows, in characters. The numbers are agent-loop practice: errors are usually last, so tails are longer than heads. */
export const SHOWN = {
  output: 12_000,
  head: 4_000,
  readLines: 400,
  readChars: 16_000,
  lineChars: 500,
  hits: 50,
  hitChars: 200,
  entries: 200,
  reply: 24_000,
} as const;

const ERROR_LINE = /error|fail|exception|panic|assert|traceback|cannot|undefined/i;

/** Output of a command for the model: no escapes, progress and repeated lines folded, head and tail kept, and after a failure the error lines from between. */
export function cutOutput(raw: string, failed: boolean): string {
  const text = foldRepeats(plain(raw)).trimEnd();
  if (text.length <= SHOWN.output) return text;
  const head = text.slice(0, SHOWN.head);
  const tail = text.slice(-(SHOWN.output - SHOWN.head));
  const middle = text.slice(SHOWN.head, -(SHOWN.output - SHOWN.head)).split('\n');
  const errors = failed
    ? middle
        .filter(line => ERROR_LINE.test(line))
        .slice(0, 20)
        .map(line => line.slice(0, SHOWN.hitChars))
    : [];
  const between = errors.length > 0 ? `\nerror lines from there:\n${errors.join('\n')}` : '';
  return `${head}\n… ${middle.length} lines left out; use head, tail or grep to see them …${between}\n${tail}`;
}

/** Text without terminal escapes; of a line rewritten by carriage returns only the last state. */
export const plain = (raw: string): string =>
  stripEscapes(raw)
    .replace(/\r\n/g, '\n')
    .split('\n')
    .map(line => line.slice(line.lastIndexOf('\r') + 1))
    .join('\n');

function foldRepeats(text: string): string {
  const out: string[] = [];
  let count = 0;
  const close = () => {
    if (count > 1) out.push(`  (× ${count})`);
    count = 0;
  };
  const lines = text.split('\n');
  lines.forEach((line, i) => {
    const repeats = i > 0 && line === lines[i - 1] && line.trim() !== '';
    if (repeats) {
      count = Math.max(2, count + 1);
      return;
    }
    close();
    out.push(line);
  });
  close();
  return out.join('\n');
}

/** Keeps the beginning and end of a text that is too long, in whole lines where they are not very long. */
export function cutMiddle(text: string, max: number): string {
  if (text.length <= max) return text;
  const half = Math.floor((max - 60) / 2);
  const lastBreak = text.lastIndexOf('\n', half);
  const nextBreak = text.indexOf('\n', text.length - half - 1);
  const from = lastBreak > half / 2 ? lastBreak : half;
  const to = nextBreak >= 0 && nextBreak < text.length - half / 2 ? nextBreak + 1 : text.length - half;
  const middle = text.slice(from, to);
  const lines = middle.trim().split('\n').length;
  return `${text.slice(0, from)}\n… ${lines > 1 ? `${lines} lines, ` : ''}${middle.length} characters left out …\n${text.slice(to)}`;
}
