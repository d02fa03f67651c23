import { z } from 'zod';
import { defineTool } from './tool.ts';

const text = z.string().optional();

/** Claims that the step is done. The step's gate decides; the loop asks it. */
export const finishTool = () =>
  defineTool({
    name: 'finish',
    description:
      'Say that this step is done. The harness checks it by its own runs; if it is not, you get the reason and go on.',
    readOnly: false,
    schema: z.object({
      summary: z.string(),
      functions: z
        .array(
          z.object({
            name: z.string(),
            file: z.string(),
            purpose: z.string(),
            inputs: text,
            outputs: text,
            errors: text,
            dependencies: z.array(z.string()).optional(),
            complexity: text,
          }),
        )
        .describe('only in the specification step')
        .optional(),
      files: z
        .array(z.object({ path: z.string(), description: z.string() }))
        .describe('one sentence for each file you changed')
        .optional(),
    }),
    run: async ({ summary, functions = [], files = [] }) => ({
      ok: true,
      text: '',
      summary: cutLine(summary, 200),
      end: {
        kind: 'finished',
        report: {
          summary,
          functions: functions.map(each => ({ ...each, dependencies: each.dependencies ?? [] })),
          files,
        },
      },
    }),
  });

const cutLine = (text: string, max: number): string => {
  const line = text.split('\n')[0] ?? '';
  return line.length > max ? `${line.slice(0, max)} …` : line;
};
