import { z } from 'zod';
import { applyEdits, type Place } from './apply-edits.ts';
import { defineTool, failure } from './tool.ts';
import type { ToolContext } from './tool-context.ts';
import { readWhole, syntaxErrors, writablePath, writeWhole } from './write-file.ts';

const AROUND = 3;

/** Replaces text in one file, all edits or none. */
export const editTool = (context: ToolContext) =>
  defineTool({
    name: 'edit',
    description:
      'Replace text in a file. Each old must stand there exactly once (or set replace_all); keep it short. All edits of a call apply, or none.',
    readOnly: false,
    schema: z.object({
      path: z.string(),
      edits: z.preprocess(
        value => (Array.isArray(value) || typeof value !== 'object' ? value : [value]),
        z
          .array(z.object({ old: z.string(), new: z.string(), replace_all: z.boolean().optional() }))
          .min(1)
          .max(20),
      ),
    }),
    run: async ({ path: given, edits }) => {
      const target = writablePath(context, given);
      if ('refused' in target) return target.refused;
      const { path } = target;
      const before = await readWhole(context, path);
      if (before === undefined) return failure(`There is no file ${path}. Use write to create it.`);
      const result = applyEdits(before, edits);
      if (!result.ok) return failure(`Nothing was changed in ${path}. ${result.problem}`);
      const problem = await writeWhole(context, path, result.text);
      if (problem) return failure(problem);
      return {
        ok: true,
        text: `${edits.length === 1 ? 'Edited' : `${edits.length} edits applied to`} ${path}.\n${snippets(result.text, result.places)}${await syntaxErrors(context, path)}`,
        summary: `${path} (${edits.length})`,
      };
    },
  });

const MAX_SHOWN_LINES = 40;

/** The new text of the first three edits with a few lines around it; what touches is shown as one. */
function snippets(text: string, places: readonly Place[]): string {
  const shown: Place[] = [];
  for (const place of places.slice(0, 3).toSorted((a, b) => a.from - b.from)) {
    const last = shown.at(-1);
    if (last && place.from - AROUND <= last.to + AROUND + 1)
      shown[shown.length - 1] = { from: last.from, to: Math.max(last.to, place.to) };
    else shown.push(place);
  }
  return shown.map(place => snippet(text, place)).join('\n…\n');
}

function snippet(text: string, { from, to }: Place): string {
  const first = Math.max(1, from - AROUND);
  const lines = text
    .replace(/\n$/, '')
    .split('\n')
    .slice(first - 1, to + AROUND);
  const shown = lines.slice(0, MAX_SHOWN_LINES).map((content, i) => `${first + i}\t${content.slice(0, 200)}`);
  return lines.length > MAX_SHOWN_LINES ? `${shown.join('\n')}\n…` : shown.join('\n');
}
