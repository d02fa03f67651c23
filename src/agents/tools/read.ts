import { z } from 'zod';
import { shellQuote } from '../../lib/shell-quote.ts';
import { SHOWN } from '../cut-text.ts';
import { sandboxPath } from './sandbox-path.ts';
import { defineTool, failure } from './tool.ts';
import type { ToolContext } from './tool-context.ts';

const NOT_FOUND = 44;
const IS_FOLDER = 45;

/** Numbered lines of a file, or the entries of a folder. */
export const readTool = ({ shell, workdir }: ToolContext) =>
  defineTool({
    name: 'read',
    description: `Read a file as numbered lines (at most ${SHOWN.readLines}; go on with offset), or list a folder.`,
    readOnly: true,
    schema: z.object({
      path: z.string(),
      offset: z.coerce.number().int().min(1).optional(),
      limit: z.coerce.number().int().min(1).max(SHOWN.readLines).optional(),
    }),
    run: async ({ path, offset = 1, limit = SHOWN.readLines }, signal) => {
      const name = sandboxPath(path, workdir).path;
      const file = shellQuote(name.startsWith('/') ? name : `./${name}`);
      const script = `[ -d ${file} ] && { ls -1Ap ${file} | head -n ${SHOWN.entries + 1}; exit ${IS_FOLDER}; }
[ -f ${file} ] || exit ${NOT_FOUND}
{ grep -c '' ${file} || true; } && tail -n +${offset} ${file} | head -n ${limit} | head -c ${4 * SHOWN.readChars}`;
      const result = await shell({ script, timeoutMs: 20_000, ...(signal && { signal }) });
      const code = result.exit.kind === 'code' ? result.exit.code : -1;
      const output = result.stdout.toString();
      if (code === IS_FOLDER) return { ok: true, text: listing(output), summary: `${name}/` };
      if (code === NOT_FOUND) return failure(`There is no file ${name}. List its folder, or use search.`);
      if (code !== 0) return failure(`${name} could not be read: ${result.stderr.toString().slice(0, 300)}`);
      return shown(name, output, offset);
    },
  });

function listing(output: string): string {
  const entries = output.split('\n').filter(Boolean);
  const more = entries.length > SHOWN.entries ? '\n… more entries; use bash' : '';
  return entries.length === 0 ? '(empty folder)' : entries.slice(0, SHOWN.entries).join('\n') + more;
}

function shown(name: string, output: string, offset: number) {
  const end = output.indexOf('\n');
  const total = Number.parseInt(output.slice(0, end), 10);
  const body = output.slice(end + 1);
  if (body.includes('\0')) return failure(`${name} is a binary file.`);
  const lines = body === '' ? [] : body.replace(/\n$/, '').split('\n');
  if (lines.length === 0)
    return failure(
      total === 0 ? `${name} is empty.` : `${name} has ${total} lines; offset ${offset} is past its end.`,
    );
  const numbered = lines.map(
    (line, i) =>
      `${offset + i}\t${line.length > SHOWN.lineChars ? `${line.slice(0, SHOWN.lineChars)} …` : line}`,
  );
  const kept = fitting(numbered);
  const last = offset + kept.length - 1;
  const hint = last < total ? `\n… ${total - last} more lines: offset=${last + 1}` : '';
  return { ok: true, text: kept.join('\n') + hint, summary: `${name} ${offset}–${last} of ${total}` };
}

function fitting(lines: readonly string[]): readonly string[] {
  let size = 0;
  const over = lines.findIndex(line => {
    size += line.length + 1;
    return size > SHOWN.readChars;
  });
  return over < 0 ? lines : lines.slice(0, Math.max(1, over));
}
