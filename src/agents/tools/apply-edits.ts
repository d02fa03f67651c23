import { closestLines } from './closest-lines.ts';

export interface Edit {
  readonly old: string;
  readonly new: string;
  readonly replace_all?: boolean | undefined;
}

export type EditResult =
  | {
      readonly ok: true;
      readonly text: string;
      /** Lines (from 1) of the new text that each edit's replacement takes. */
      readonly places: readonly Place[];
    }
  | { readonly ok: false; readonly problem: string };

export interface Place {
  readonly from: number;
  readonly to: number;
}

/**
 * Applies all edits or none. `old` is looked for exactly, then without regard to line ends and trailing blanks, then with the
 * indentation shifted by one amount, then with typographic quotes, dashes and spaces made plain. No guessing beyond that.
 * The file's own line ends are kept.
 */
export function applyEdits(original: string, edits: readonly Edit[]): EditResult {
  const crlf = original.includes('\r\n');
  let text = crlf ? original.replaceAll('\r\n', '\n') : original;
  let places: readonly Place[] = [];
  for (const [index, edit] of edits.entries()) {
    const found = locate(text, {
      ...edit,
      old: edit.old.replaceAll('\r\n', '\n'),
      new: edit.new.replaceAll('\r\n', '\n'),
    });
    if ('problem' in found)
      return {
        ok: false,
        problem: `${edits.length > 1 ? `Edit ${index + 1} of ${edits.length}: ` : ''}${found.problem}`,
      };
    places = [
      ...found.spans.reduceRight((moved, span) => movedBy(moved, text, span), places),
      placeOf(text, found.spans[0]),
    ];
    text = splice(text, found.spans);
  }
  return { ok: true, text: crlf ? text.replaceAll('\n', '\r\n') : text, places };
}

interface Span {
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
}

function placeOf(text: string, span: Span | undefined): Place {
  const from = lineAt(text, span?.start ?? 0);
  return { from, to: from + lineBreaks((span?.replacement ?? '').replace(/\n$/, '')) };
}

/** Places of earlier edits after a later one, which may have put lines before or into them. */
function movedBy(places: readonly Place[], text: string, span: Span): readonly Place[] {
  const line = lineAt(text, span.start);
  const more = lineBreaks(span.replacement) - lineBreaks(text.slice(span.start, span.end));
  return places.map(({ from, to }) => ({
    from: from > line ? Math.max(line, from + more) : from,
    to: to >= line ? Math.max(line, to + more) : to,
  }));
}

function locate(
  text: string,
  edit: Edit,
): { readonly spans: readonly Span[] } | { readonly problem: string } {
  if (edit.old === '')
    return {
      problem:
        '`old` is empty. Use write to create a file, or quote the lines that the new text goes next to.',
    };
  if (edit.old === edit.new) return { problem: '`old` and `new` are the same.' };
  for (const find of [exactly, ignoringTrailingBlanks, shifted, plainly]) {
    const spans = find(text, edit);
    if (spans.length === 1 || (spans.length > 1 && edit.replace_all)) return { spans };
    if (spans.length > 1)
      return {
        problem: `\`old\` stands ${spans.length} times, at lines ${spans.map(span => lineAt(text, span.start)).join(', ')}. Add lines around it, or set replace_all.`,
      };
  }
  if (edit.new !== '' && text.includes(edit.new))
    return { problem: '`old` was not found, but `new` is there already: this edit seems to be applied.' };
  return { problem: `\`old\` was not found.${closestLines(text, edit.old)}` };
}

function exactly(text: string, edit: Edit): Span[] {
  const spans: Span[] = [];
  for (let at = text.indexOf(edit.old); at >= 0; at = text.indexOf(edit.old, at + edit.old.length)) {
    spans.push({ start: at, end: at + edit.old.length, replacement: edit.new });
  }
  return spans;
}

const ignoringTrailingBlanks = (text: string, edit: Edit): Span[] =>
  byLines(
    text,
    edit,
    line => line.trimEnd(),
    () => edit.new,
  );

const plainly = (text: string, edit: Edit): Span[] =>
  byLines(
    text,
    edit,
    line =>
      line
        .normalize('NFKC')
        .replace(/[‘’‚‛]/g, "'")
        .replace(/[“”„‟]/g, '"')
        .replace(/[‐-―−]/g, '-')
        .trimEnd(),
    () => edit.new,
  );

/** Matches when every line has the same surplus of indentation, which `new` then gets too. */
function shifted(text: string, edit: Edit): Span[] {
  return byLines(
    text,
    edit,
    line => line.trim(),
    window => {
      const pairs = edit.old
        .replace(/\n$/, '')
        .split('\n')
        .map((line, i) => [indent(line), indent(window[i] ?? ''), line.trim()] as const);
      const solid = pairs.filter(([, , content]) => content !== '');
      const [first] = solid;
      if (!first) return undefined;
      const [from, to] = first;
      const sameShift = solid.every(([a, b]) =>
        to.startsWith(from)
          ? b === to.slice(0, to.length - from.length) + a
          : a === from.slice(0, from.length - to.length) + b,
      );
      return sameShift ? reindent(edit.new, from, to) : undefined;
    },
  );
}

function reindent(text: string, from: string, to: string): string {
  const surplus = to.length - from.length;
  const move = (line: string) =>
    surplus >= 0
      ? to.slice(0, surplus) + line
      : line.startsWith(from.slice(0, -surplus))
        ? line.slice(-surplus)
        : line;
  return text
    .split('\n')
    .map(line => (line.trim() === '' ? line : move(line)))
    .join('\n');
}

const indent = (line: string): string => /^[ \t]*/.exec(line)?.[0] ?? '';

/** Whole-line matches under a normalisation; `replace` may refuse a window by answering undefined. */
function byLines(
  text: string,
  edit: Edit,
  normal: (line: string) => string,
  replace: (window: readonly string[]) => string | undefined,
): Span[] {
  const endsLine = edit.old.endsWith('\n');
  const wanted = (endsLine ? edit.old.slice(0, -1) : edit.old).split('\n').map(normal);
  if (wanted.every(line => line === '')) return [];
  const lines = text.split('\n');
  const starts = lineStarts(lines);
  const spans: Span[] = [];
  for (let i = 0; i + wanted.length <= lines.length; i++) {
    const window = lines.slice(i, i + wanted.length);
    if (!window.every((line, k) => normal(line) === wanted[k])) continue;
    const replacement = replace(window);
    if (replacement === undefined) continue;
    const last = i + wanted.length - 1;
    const end =
      (starts[last] ?? 0) + (lines[last] ?? '').length + (endsLine && last < lines.length - 1 ? 1 : 0);
    spans.push({ start: starts[i] ?? 0, end, replacement });
    i = last;
  }
  return spans;
}

function lineStarts(lines: readonly string[]): number[] {
  let at = 0;
  return lines.map(line => {
    const start = at;
    at += line.length + 1;
    return start;
  });
}

const lineBreaks = (text: string): number => text.split('\n').length - 1;
const lineAt = (text: string, offset: number): number => lineBreaks(text.slice(0, offset)) + 1;

function splice(text: string, spans: readonly Span[]): string {
  let out = '';
  let at = 0;
  for (const span of spans) {
    out += text.slice(at, span.start) + span.replacement;
    at = span.end;
  }
  return out + text.slice(at);
}
