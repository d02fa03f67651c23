import { z } from 'zod';
import { defineTool, failure } from './tool.ts';

/** What a debugger says is wrong, before it changes anything. */
export interface NamedCause {
  readonly cause: string;
  readonly file: string;
  readonly line?: number | undefined;
  readonly evidence: readonly { readonly source: string; readonly quote: string }[];
}

/** Something that the conversation was shown, spaces squeezed. */
export interface Shown {
  readonly text: string;
  /** What the model itself wrote to be shown this: its own words, printed again, are no evidence. */
  readonly asked: string;
}

export interface CauseContext {
  readonly shown: () => readonly Shown[];
  /** Takes the cause, or says why not; the answer is what the model reads. Undefined in a step that looks for no cause. */
  readonly take:
    | ((named: NamedCause) => Promise<{ readonly ok: boolean; readonly text: string }>)
    | undefined;
}

const MIN_QUOTE = 8;
const MAX_QUOTE = 2_000;

/** Unlocks edits. A hypothesis without evidence is a guess, so each quote must have been on the record: outputs, files, failure summaries. */
export const nameCauseTool = ({ shown, take }: CauseContext) =>
  defineTool({
    name: 'name_cause',
    description:
      'Name the root cause before the first edit: what is wrong and why the tests fail for it, where, and the evidence, each a line quoted exactly from output or source that you were shown.',
    readOnly: false,
    schema: z.object({
      cause: z.string().min(20),
      file: z.string(),
      line: z.coerce.number().int().min(1).optional(),
      evidence: z
        .array(
          z.object({
            source: z.string().describe('command, or file:line'),
            quote: z.string().min(MIN_QUOTE).max(MAX_QUOTE),
          }),
        )
        .min(1)
        .max(5),
    }),
    run: async named => {
      if (!take) return failure('There is no cause to be named in this step.');
      const unseen = named.evidence.filter(({ quote }) => !wasShown(quote, shown()));
      if (unseen.length > 0)
        return failure(
          `Not in anything you were shown: ${unseen.map(({ quote }) => JSON.stringify(quote.slice(0, 120))).join(', ')}. Read the place or run the tests first, then quote a line of what you saw exactly; what your own command printed by itself does not count.`,
        );
      const { ok, text } = await take(named);
      return {
        ok,
        text,
        summary: ok
          ? `${named.file}${named.line ? `:${named.line}` : ''}: ${(named.cause.split('\n')[0] ?? '').slice(0, 150)}`
          : text,
      };
    },
  });

/** Line by line, because files are shown with line numbers; spaces do not count. */
function wasShown(quote: string, shown: readonly Shown[]): boolean {
  const lines = quote
    .split('\n')
    .map(squeezed)
    .filter(line => line !== '');
  return (
    lines.length > 0 &&
    lines.every(line => shown.some(({ text, asked }) => text.includes(line) && !isOwn(line, asked)))
  );
}

/** Whether a line holds no word but those that the model wrote into its call, as `printf` puts them together again. */
function isOwn(line: string, asked: string): boolean {
  const words = line.match(/\p{L}{3,}/gu) ?? [];
  return words.length > 0 ? words.every(word => asked.includes(word)) : asked.includes(line);
}

export const squeezed = (text: string): string => text.replace(/\s+/g, ' ').trim();
