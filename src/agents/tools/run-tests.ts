import { z } from 'zod';
import { defineTool } from './tool.ts';
import type { ToolContext } from './tool-context.ts';

/** The only test run that counts: runner, flags and report are the harness's; the model names files. */
export const runTestsTool = (context: ToolContext) =>
  defineTool({
    name: 'run_tests',
    description:
      "Run tests and get a summary of failures. Without arguments: this step's tests. scope full: the whole suite.",
    readOnly: false,
    schema: z.object({
      files: z.preprocess(
        value => (typeof value === 'string' ? [value] : value),
        z.array(z.string()).optional(),
      ),
      scope: z.enum(['targeted', 'full']).optional(),
    }),
    run: async ({ files = [], scope = 'targeted' }) =>
      context.runTests({ files: scope === 'full' ? [] : files, full: scope === 'full' }),
  });
