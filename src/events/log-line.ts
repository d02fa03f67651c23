import { stripEscapes } from '../lib/strip-escapes.ts';
import { stripInvisible } from './clean-text.ts';

/** A line of a job's log. Titles and messages are outside text, without escapes and at most `MAX_LINE` long. */
export type LogLine =
  /** What a step prints. */
  | { readonly kind: 'output'; readonly text: string }
  /** A step begins; the runner prints its command as the title of a group. */
  | { readonly kind: 'step'; readonly text: string }
  | { readonly kind: 'error'; readonly text: string }
  | { readonly kind: 'group-end'; readonly text: string }
  /** The runner's own, such as the echo of a step's script. */
  | { readonly kind: 'noise'; readonly text: string };

/** Longer than any line that a person wrote; what a bundler prints is cut. */
const MAX_LINE = 1_000;
const MAX_RAW_LINE = 4 * MAX_LINE;

/** Reads one line, without its time stamp. Costs no more for a line of megabytes than for one of a few thousand characters. */
export function readLogLine(raw: string): LogLine {
  if (raw.startsWith(SCRIPT_ECHO)) return { kind: 'noise', text: '' };
  const line = plainLine(raw);
  if (line.startsWith('##[')) return fromCommand(line.slice(3), ']');
  if (line.startsWith('::')) return fromCommand(line.slice(2), '::');
  return { kind: 'output', text: line };
}

/** The runner prints every line of a step's script in this colour before it runs it. */
const SCRIPT_ECHO = '\x1b[36;1m';

function fromCommand(rest: string, close: string): LogLine {
  const [, name = ''] = /^(\w+)/.exec(rest) ?? [];
  const end = rest.indexOf(close, name.length);
  const text = end < 0 ? '' : rest.slice(end + close.length);
  if (end < 0 || !COMMANDS.has(name)) return { kind: 'output', text: rest };
  if (name === 'error') return { kind: 'error', text: firstLine(text) };
  if (name === 'group') return text.startsWith('Run ') ? { kind: 'step', text } : { kind: 'output', text };
  if (name === 'warning') return { kind: 'output', text: `warning: ${firstLine(text)}` };
  return { kind: name === 'endgroup' ? 'group-end' : 'noise', text };
}

/** Of a name with a hyphen, its beginning. */
const COMMANDS: ReadonlySet<string> = new Set(
  'error warning notice debug group endgroup command section add remove save set stop echo'.split(' '),
);

/** In a command that was not carried out, line ends are written `%0A`. */
const firstLine = (text: string): string => text.split('%0A', 1)[0] ?? '';

/** What a terminal shows in the end: no escapes, and of a line that overwrote itself only the last state. */
function plainLine(raw: string): string {
  const line = raw.length > MAX_RAW_LINE ? shortened(raw) : raw;
  const ended = line.endsWith('\r') ? line.slice(0, -1) : line;
  const shown = stripEscapes(ended.slice(ended.lastIndexOf('\r') + 1));
  return shown.length > MAX_LINE ? `${shown.slice(0, MAX_LINE - 1)}…` : shown;
}

const shortened = (raw: string): string =>
  ownCopy(`${raw.slice(0, MAX_RAW_LINE - MAX_LINE)} … ${raw.slice(-MAX_LINE)}`);

/** A part of a string keeps the whole alive; what is kept for long must not. Also mends halves of characters. */
export const ownCopy = (text: string): string => Buffer.from(text).toString();

/**
 * A line of a log as data: nothing hidden, no control characters, nothing that a runner takes for a command should somebody print it again.
 */
export const harmlessLine = (line: string): string =>
  stripInvisible(line)
    .replaceAll(/#(?=#\[)/g, '# ')
    .replace(/^(\s*):(?=:)/, '$1: ')
    .replaceAll(/[\t\v\f\r\n\u2028\u2029]/g, ' ');
