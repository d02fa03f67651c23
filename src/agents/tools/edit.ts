import { z } from 'zod';
import { applyEdits } from './apply-edits.ts';
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
        text: `${edits.length === 1 ? 'Edited' : `${edits.length} edits applied to`} ${path}.\n${snippets(result.text, result.lines)}${await syntaxErrors(context, path)}`,
        summary: `${path} (${edits.length})`,
      };
    },
  });

/** The new text around each edit, of the first three. */
const snippets = (text: string, lines: readonly number[]): string =>
  [...new Set(lines)]
    .slice(0, 3)
    .map(line => snippet(text, line))
    .join('\n…\n');

function snippet(text: string, line: number): string {
  const from = Math.max(1, line - AROUND);
  const lines = text.split('\n').slice(from - 1, line + AROUND + 4);
  return lines.map((content, i) => `${from + i}\t${content.slice(0, 200)}`).join('\n');
}
