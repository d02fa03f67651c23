import { bashTool } from './bash.ts';
import { editTool } from './edit.ts';
import { finishTool } from './finish.ts';
import { DEBUG_REASONS, flagBlockedTool } from './flag-blocked.ts';
import { type CauseContext, nameCauseTool } from './name-cause.ts';
import { readTool } from './read.ts';
import { runTestsTool } from './run-tests.ts';
import { searchTool } from './search.ts';
import type { Tool } from './tool.ts';
import type { ToolContext } from './tool-context.ts';
import { writeTool } from './write.ts';

/** The same tools in the same order for every role, so that the prompt's prefix can be cached; what a role may not do is refused with a reason. */
export const toolSet = (context: ToolContext): readonly Tool[] => [
  ...workTools(context),
  finishTool(),
  flagBlockedTool(),
];

/** Of the debug agent: one more, without which nothing can be edited. */
export const debugToolSet = (context: ToolContext, cause: CauseContext): readonly Tool[] => [
  ...workTools(context),
  nameCauseTool(cause),
  finishTool(),
  flagBlockedTool(DEBUG_REASONS),
];

const workTools = (context: ToolContext): readonly Tool[] => [
  bashTool(context),
  readTool(context),
  searchTool(context),
  editTool(context),
  writeTool(context),
  runTestsTool(context),
];
