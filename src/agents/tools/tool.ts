import { jsonrepair } from 'jsonrepair';
import { z } from 'zod';
import type { ToolSpec } from '../../model/model.ts';
import type { FunctionSpec, ToolCall } from '../../types.ts';

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

export type ParsedCall =
  | { readonly tool: Tool; readonly args: unknown }
  | { readonly error: string; readonly malformed: boolean };

/** Finds the tool (case and underscores aside) and reads the arguments, mended once where they are almost JSON. */
export function parseCall(tools: readonly Tool[], call: ToolCall): ParsedCall {
  const tool =
    tools.find(each => each.name === call.name) ??
    tools.find(each => plainName(each.name) === plainName(call.name));
  if (!tool)
    return {
      malformed: true,
      error: `There is no tool "${call.name}". The tools are: ${tools.map(each => each.name).join(', ')}.`,
    };
  const json = parseArguments(call.arguments);
  if ('error' in json)
    return {
      malformed: true,
      error: `The arguments of ${tool.name} are not valid JSON: ${json.error}. Send the call again.`,
    };
  const parsed = tool.schema.safeParse(json.value);
  if (parsed.success) return { tool, args: parsed.data };
  const problems = parsed.error.issues
    .slice(0, 5)
    .map(issue => `${issue.path.join('.') || 'arguments'}: ${issue.message}`);
  return {
    malformed: true,
    error: `The arguments of ${tool.name} do not fit: ${problems.join('; ')}. Send the call again.`,
  };
}

const plainName = (name: string): string => name.toLowerCase().replace(/[^a-z]/g, '');

function parseArguments(text: string): { readonly value: unknown } | { readonly error: string } {
  if (text.trim() === '') return { value: {} };
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    return repaired(text, error instanceof Error ? error.message : String(error));
  }
}

function repaired(text: string, problem: string): { readonly value: unknown } | { readonly error: string } {
  try {
    const value: unknown = JSON.parse(jsonrepair(text));
    // A sentence "repairs" to a string; only an object can be arguments.
    return typeof value === 'object' && value !== null ? { value } : { error: problem };
  } catch {
    return { error: problem };
  }
}
