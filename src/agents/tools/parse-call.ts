import { parseLooseJson } from '../../model/loose-arguments.ts';
import type { ToolCall } from '../../types.ts';
import { argumentProblems } from './argument-problems.ts';
import { fitArguments } from './fit-arguments.ts';
import { shapeOf } from './shape.ts';
import type { Tool } from './tool.ts';
import { findTool, unknownTool } from './tool-names.ts';

export type ParsedCall = { readonly tool: Tool; readonly args: unknown } | { readonly error: string };

/** Finds the tool, also by names that other agents have for it, and reads the arguments, mended where they are almost right. `error` is for the model. */
export function parseCall(tools: readonly Tool[], call: ToolCall): ParsedCall {
  const tool = findTool(tools, call.name);
  if (!tool) return { error: unknownTool(tools, call.name) };
  const json = parseLooseJson(call.arguments);
  if ('error' in json)
    return {
      error: `The arguments of ${tool.name} are not valid JSON: ${json.error}. Send the call again.`,
    };
  const shape = shapeOf(tool);
  const fitted = fitArguments(shape, json.value);
  const parsed = tool.schema.safeParse(fitted);
  if (parsed.success) return { tool, args: parsed.data };
  const problems = argumentProblems({ shape, sent: json.value, fitted, issues: parsed.error.issues });
  return { error: `${tool.name} was not run: ${problems}` };
}
