import { z } from 'zod';
import { defineTool, failure } from './tool.ts';
import type { ToolContext } from './tool-context.ts';
import { syntaxErrors, writablePath, writeWhole } from './write-file.ts';

/** Creates or replaces a file. */
export const writeTool = (context: ToolContext) =>
  defineTool({
    name: 'write',
    description: 'Create a file, or replace it whole. Prefer edit for files that exist.',
    readOnly: false,
    schema: z.object({ path: z.string(), content: z.string() }),
    run: async ({ path: given, content }) => {
      const target = writablePath(context, given);
      if ('refused' in target) return target.refused;
      const problem = await writeWhole(context, target.path, content);
      if (problem) return failure(problem);
      const lines = content.split('\n').length - (content.endsWith('\n') ? 1 : 0);
      return {
        ok: true,
        text: `Wrote ${target.path} (${lines} lines).${await syntaxErrors(context, target.path)}`,
        summary: `${target.path} (${lines} lines)`,
      };
    },
  });
