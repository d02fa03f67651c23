/**
 * A port of the runner's two command parsers (ActionCommand.cs). Lines end where StreamReader.ReadLine ends them; the search for `##[` is
 * made as it stands and as a culture-sensitive search would, which skips ignorable characters.
 */
export const commandsIn = (output: string): string[] =>
  output
    .split(/\r\n|\r|\n/)
    .flatMap(line =>
      [versionTwo(line), versionOne(line), versionOne(withoutIgnorable(line))].filter(
        name => name !== undefined,
      ),
    );

const withoutIgnorable = (line: string) => line.replaceAll(/[\p{Default_Ignorable_Code_Point}\p{Cc}]/gu, '');

function versionTwo(line: string): string | undefined {
  const trimmed = line.replace(/^[\s\u0085\u200b\ufeff]+/, '');
  const end = trimmed.indexOf('::', 2);
  if (!trimmed.startsWith('::') || end < 0) return undefined;
  return known(trimmed.slice(2, end));
}

function versionOne(line: string): string | undefined {
  const start = line.indexOf('##[');
  const end = line.indexOf(']', start);
  if (start < 0 || end < 0) return undefined;
  return known(line.slice(start + 3, end));
}

const NAMES = [
  'add-mask',
  'add-matcher',
  'set-output',
  'save-state',
  'stop-commands',
  'set-env',
  'add-path',
  'error',
  'warning',
  'notice',
  'group',
  'endgroup',
  'echo',
  'debug',
];

function known(info: string): string | undefined {
  const name = info.split(' ')[0]?.toLowerCase() ?? '';
  return NAMES.includes(name) ? name : undefined;
}
