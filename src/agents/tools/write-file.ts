import { shellQuote } from '../../lib/shell-quote.ts';
import { sandboxPath } from './sandbox-path.ts';
import { failure, type ToolResult } from './tool.ts';
import type { ToolContext } from './tool-context.ts';

/** Files larger than this are not edited by tools; no source file that a person keeps is. */
export const MAX_EDIT_BYTES = 2 * 1024 * 1024;

/** The path to change, or the refusal that the model reads. */
export function writablePath(
  context: ToolContext,
  given: string,
): { readonly path: string } | { readonly refused: ToolResult } {
  const { inside, path } = sandboxPath(given, context.workdir);
  if (!inside || path === '.')
    return { refused: failure(`${given} is outside the repository. Only files in it can be changed.`) };
  if (path.split('/').some(part => part.toLowerCase() === '.git'))
    return { refused: failure('.git can not be changed.') };
  const reason = context.objectTo(path);
  if (reason)
    return {
      refused: failure(
        `${path} can not be changed in this step: ${reason}. If the task can not be done without it, call flag_blocked.`,
      ),
    };
  const locked = context.isLocked?.();
  return locked ? { refused: failure(locked) } : { path };
}

/** Text of a file inside, or undefined when there is none. */
export async function readWhole(context: ToolContext, path: string): Promise<string | undefined> {
  const file = shellQuote(`./${path}`);
  const result = await context.shell({
    script: `[ -f ${file} ] || exit 44; cat ${file}`,
    timeoutMs: 20_000,
    maxOutputBytes: MAX_EDIT_BYTES,
  });
  if (result.exit.kind === 'code' && result.exit.code === 44) return undefined;
  if (result.exit.kind !== 'code' || result.exit.code !== 0)
    throw new Error(
      `${path} could not be read (${result.exit.kind}): ${result.stderr.toString().slice(0, 300)}`,
    );
  return result.stdout.toString();
}

/** Puts a file in place by a rename, so that a reader never sees half of it, and keeps an existing file's mode. */
export async function writeWhole(
  context: ToolContext,
  path: string,
  text: string,
): Promise<string | undefined> {
  const [file, part] = [shellQuote(`./${path}`), shellQuote(`./${path}.redgreen-part`)];
  const script = `d=$(dirname ${file}); mkdir -p "$d" && { [ -f ${file} ] && cp -p ${file} ${part}; cat > ${part}; } && mv -f ${part} ${file}`;
  const result = await context.shell({ script, stdin: text, timeoutMs: 20_000 });
  const ok = result.exit.kind === 'code' && result.exit.code === 0;
  return ok ? undefined : `${path} could not be written: ${result.stderr.toString().slice(0, 300)}`;
}

/** Syntax errors of a file just written, or the empty string. Reported, never a reason to undo. */
export async function syntaxErrors(context: ToolContext, path: string): Promise<string> {
  const file = shellQuote(`./${path}`);
  const check = /\.[cm]?js$/.test(path)
    ? `command -v node >/dev/null || exit 0; node --check ${file}`
    : /\.py$/.test(path)
      ? `p=$(command -v python3 || command -v python) || exit 0; "$p" -c 'import ast,sys; ast.parse(open(sys.argv[1],"rb").read(), sys.argv[1])' ${file}`
      : /\.json$/.test(path)
        ? `command -v node >/dev/null || exit 0; node -e 'JSON.parse(require("fs").readFileSync(process.argv[1],"utf8"))' ${file}`
        : undefined;
  if (!check) return '';
  const result = await context.shell({ script: check, timeoutMs: 5_000 });
  if (result.exit.kind !== 'code' || result.exit.code === 0) return '';
  const lines = result.stderr
    .toString()
    .split('\n')
    .filter(line => line.trim() !== '' && !/^\s+at |node:internal|^Node\.js v/.test(line));
  return `\nSyntax error:\n${lines.slice(-8).join('\n')}`;
}
