import { z } from 'zod';
import type { ToolSpec } from '../../model/model.ts';
import type { FunctionSpec } from '../../types.ts';

/** What one tool call came to. `text` goes to the model, `summary` (one line) to people. `end` ends the conversation. */
export interface ToolResult {
  readonly text: string;
  readonly ok: boolean;
  readonly summary: string;
  readonly end?: ToolEnd;
}

export type ToolEnd =
  | { readonly kind: 'finished'; readonly report: FinishReport }
  | { readonly kind: 'blocked'; readonly block: BlockReport };

export interface FinishReport {
  readonly summary: string;
  readonly functions: readonly FunctionSpec[];
  readonly files: readonly { readonly path: string; readonly description: string }[];
}

export interface BlockReport {
  readonly reason: string;
  readonly testId?: string | undefined;
  readonly evidence: string;
}

export interface Tool<Args = unknown> {
  readonly name: string;
  /** 60 words at most: it is sent with every request. */
  readonly description: string;
  readonly schema: z.ZodType<Args>;
  /** Read-only calls of one reply do not wait for each other's success; a failed mutating call skips the mutating ones after it. */
  readonly readOnly: boolean;
  readonly run: (args: Args, signal: AbortSignal | undefined) => Promise<ToolResult>;
}

/** Ties arguments to their schema; the list of tools then forgets their types. */
export const defineTool = <Args>(tool: Tool<Args>): Tool => tool as unknown as Tool;

export const failure = (text: string, summary = text): ToolResult => ({
  text,
  ok: false,
  summary: summary.split('\n')[0] ?? '',
});

export function toolSpec(tool: Tool): ToolSpec {
  const { $schema: _, ...parameters } = z.toJSONSchema(tool.schema, {
    io: 'input',
    // Zod bounds every integer by what a double can hold; no model needs telling.
    override: ({ jsonSchema }) => {
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
    },
  }) as Record<string, unknown>;
  return { name: tool.name, description: tool.description, parameters };
}
