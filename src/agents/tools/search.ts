import { z } from 'zod';
import { shellQuote } from '../../lib/shell-quote.ts';
import type { Shell } from '../../types.ts';
import { SHOWN } from '../cut-text.ts';
import { sandboxPath } from './sandbox-path.ts';
import { defineTool, failure } from './tool.ts';
import type { ToolContext } from './tool-context.ts';

/** Folders that hold other people's code or build output; `bash` can still look there. */
const SKIPPED = [
  '.git',
  'node_modules',
  '.venv',
  'venv',
  '__pycache__',
  'target',
  'dist',
  'build',
  'coverage',
  '.tox',
  'vendor',
];

const NOT_FOUND = 44;
const AS_TEXT = 45;

/** `find` and `grep` alone, so that it works in any image. */
export const searchTool = ({ shell, workdir }: ToolContext) =>
  defineTool({
    name: 'search',
    description:
      'Search file contents by extended regular expression. Answers path:line: text; with files_only, the paths that match.',
    readOnly: true,
    schema: z.object({
      pattern: z.string().min(1),
      path: z.string().optional(),
      glob: z.string().describe('file name pattern, like *.ts').optional(),
      files_only: z.boolean().optional(),
    }),
    run: async ({ pattern, path = '.', glob, files_only = false }, signal) => {
      const root = sandboxPath(path, workdir).path;
      const from = shellQuote(root.startsWith('/') ? root : `./${root}`);
      const prune = SKIPPED.map(name => `-name ${name}`).join(' -o ');
      const named = glob ? findPatterns(glob) : '';
      const flags = files_only ? '-ls' : '-nHs';
      const regex = `-E -e ${shellQuote(posix(pattern))}`;
      // What is no regular expression is looked for as it stands.
      const script = `[ -e ${from} ] || exit ${NOT_FOUND}
look() { find ${from} -type d \\( ${prune} \\) ! -path ${from} -prune -o -type f ${named} -size -2000k -exec grep ${flags} "$@" {} + 2>&1 | head -n 5000; }
printf '' | grep ${regex} >/dev/null 2>&1
[ $? -le 1 ] && { look ${regex}; exit 0; }
look -F -e ${shellQuote(pattern)}; exit ${AS_TEXT}`;
      const result = await shell({ script, timeoutMs: 30_000, ...(signal && { signal }) });
      if (result.exit.kind === 'code' && result.exit.code === NOT_FOUND)
        return failure(`There is no ${root}.`);
      if (result.exit.kind !== 'code')
        return failure('The search took too long or printed too much. Narrow it with path or glob.');
      const found = hits(pattern, result.stdout.toString(), result.exit.code === AS_TEXT);
      const globFails =
        found.matches === 0 && found.ok && named !== '' && !(await anyFile(shell, from, named));
      return globFails ? failure(`No file matches the glob ${glob} below ${root}.`) : found;
    },
  });

/** "No matches" must not hide that nothing was searched. */
async function anyFile(shell: Shell, from: string, named: string): Promise<boolean> {
  const { stdout } = await shell({ script: `find ${from} -type f ${named} | head -n 1`, timeoutMs: 30_000 });
  return stdout.length > 0;
}

/** `find` knows neither braces nor `**`; in its `-path`, `*` crosses folders. */
function findPatterns(glob: string): string {
  const patterns = expandBraces(glob).map(each => {
    const plain = each.replaceAll('**/', '').replace(/^\.\//, '');
    return plain.includes('/') ? `-path ${shellQuote(`*/${plain}`)}` : `-name ${shellQuote(plain)}`;
  });
  return `\\( ${patterns.join(' -o ')} \\)`;
}

function expandBraces(glob: string): string[] {
  const [, before = '', inside, after = ''] = /^([^{]*)\{([^{}]*)\}(.*)$/.exec(glob) ?? [];
  return inside === undefined
    ? [glob]
    : inside.split(',').flatMap(part => expandBraces(before + part + after));
}

/** grep -E knows neither `\d` nor non-capturing groups, which models write out of habit. */
const posix = (pattern: string): string =>
  pattern.replaceAll('\\d', '[0-9]').replaceAll('\\D', '[^0-9]').replaceAll('(?:', '(');

function hits(pattern: string, output: string, isText: boolean) {
  const lines = output
    .split('\n')
    .filter(
      line => line !== '' && !line.includes('\0') && !/^(Binary file|grep: .*binary file matches)/.test(line),
    );
  const bad = lines.find(line => /^grep: /.test(line));
  if (bad) return { ...failure(`The pattern does not work: ${bad}`), matches: 0 };
  const note = isText ? 'No regular expression, so searched as plain text: ' : '';
  if (lines.length === 0)
    return {
      ok: true,
      text: `${note}${note ? 'no' : 'No'} matches.`,
      summary: `${pattern}: none`,
      matches: 0,
    };
  const shown = lines.slice(0, SHOWN.hits).map(line => line.replace(/^(\.\/)+/, '').slice(0, SHOWN.hitChars));
  const more =
    lines.length > SHOWN.hits
      ? `\n… ${lines.length >= 5000 ? 'thousands of' : lines.length - SHOWN.hits} more; narrow with path or glob`
      : '';
  return {
    ok: true,
    text: `${note && `${note.trim()}\n`}${shown.join('\n')}${more}`,
    summary: `${pattern}: ${lines.length}`,
    matches: lines.length,
  };
}
