import { shapeOf, shapeText } from './shape.ts';
import type { Tool } from './tool.ts';

/** What other agents call such tools, in letters only. */
const OTHER_NAMES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    read: 'readfile readtextfile cat view viewfile open openfile ls listfiles listdir listdirectory',
    edit: 'editfile strreplace replace searchreplace replaceinfile applyedit multiedit',
    write: 'writefile createfile create savefile',
    bash: 'run shell execute exec terminal sh runcommand executecommand runshellcommand execcommand shellcommand runinterminal',
    run_tests: 'test tests runtest',
  }).flatMap(([name, others]) => others.split(' ').map(other => [other, name] as const)),
);

/** What searches elsewhere has arguments of its own. */
const SEARCHES = new Set(
  'grep rg ripgrep grepsearch searchfiles codebasesearch find findfiles glob'.split(' '),
);

/** The tool of that name, whatever its case, its underscores and its prefix (`functions.`); else the one that is called so elsewhere. */
export function findTool(tools: readonly Tool[], given: string): Tool | undefined {
  const name = bareName(given);
  return (
    tools.find(tool => tool.name === given) ??
    tools.find(tool => plainName(tool.name) === name) ??
    tools.find(tool => tool.name === OTHER_NAMES.get(name))
  );
}

/** What the model reads when there is no such tool. */
export function unknownTool(tools: readonly Tool[], given: string): string {
  const none = `There is no tool "${given.slice(0, 60)}".`;
  const search = SEARCHES.has(bareName(given)) && tools.find(tool => tool.name === 'search');
  if (search) return `${none} Use search: ${shapeText(shapeOf(search))}.`;
  return `${none} The tools are: ${tools.map(tool => tool.name).join(', ')}.`;
}

const bareName = (given: string): string =>
  plainName(given.replace(/^(?:.*[.:/]|(?:functions|tools|default_api)_+)/s, ''));

/** Letters alone, lower case. */
export const plainName = (name: string): string => name.toLowerCase().replace(/[^a-z]/g, '');
