import { posix } from 'node:path';
import { z } from 'zod';
import { shellQuote } from '../../lib/shell-quote.ts';
import type { Exit } from '../../types.ts';
import { cutOutput } from '../cut-text.ts';
import { sandboxPath } from './sandbox-path.ts';
import { defineTool } from './tool.ts';
import type { ToolContext } from './tool-context.ts';
import { writtenPaths } from './written-paths.ts';

/** A fresh `sh` a call; bash where the image has it, because models write bash. */
export const bashTool = (context: ToolContext) => {
  const told = new Set<string>();
  return defineTool({
    name: 'bash',
    description:
      'Run a shell command in the repository. Every call is a fresh shell; no network; background processes are killed when it returns.',
    readOnly: false,
    schema: z.object({
      command: z.string().min(1),
      timeout_s: z.coerce.number().int().min(1).max(600).optional(),
      workdir: z.string().optional(),
    }),
    run: async ({ command, timeout_s = 60, workdir }, signal) => {
      const chunks: Buffer[] = [];
      const enter = workdir ? `cd ${shellQuote(workdir)} || exit 1\n` : '';
      const script = `${enter}if command -v bash >/dev/null 2>&1; then exec bash -c ${shellQuote(command)}; else exec sh -c ${shellQuote(command)}; fi`;
      const result = await context.shell({
        script,
        timeoutMs: timeout_s * 1000,
        maxOutputBytes: 2 * 1024 * 1024,
        onOutput: (_stream, chunk) => chunks.push(chunk),
        ...(signal && { signal }),
      });
      const ok = result.exit.kind === 'code' && result.exit.code === 0;
      const output = cutOutput(
        Buffer.concat(chunks)
          .subarray(0, 2 * 1024 * 1024)
          .toString(),
        !ok,
      );
      return {
        ok,
        text: `${exitWords(result.exit)}\n${output || '(no output)'}${forbiddenNote(context, { command, workdir, told })}`,
        summary: `${oneLine(command)} → ${exitWords(result.exit)}`,
      };
    },
  });
};

interface Ran {
  readonly command: string;
  readonly workdir: string | undefined;
  /** Paths of which the model was told before. */
  readonly told: Set<string>;
}

/** Says at once what the step's gate would say later, once for each: that files named in the command may not be changed. */
function forbiddenNote({ workdir, objectTo }: ToolContext, ran: Ran): string {
  const start = sandboxPath(ran.workdir ?? '.', workdir).path;
  const forbidden = writtenPaths(ran.command).flatMap(named => {
    const { inside, path } = sandboxPath(posix.resolve(workdir, start, named), workdir);
    if (!inside || path === '.' || ran.told.has(path)) return [];
    // A name without an ending is taken for a folder's: what counts is what may be changed in it.
    const reason = objectTo(posix.extname(path) === '' ? `${path}/x` : path);
    return reason ? [{ path, reason }] : [];
  });
  for (const { path } of forbidden) ran.told.add(path);
  const notes = [...Map.groupBy(forbidden, each => each.reason)].map(
    ([reason, group]) =>
      `Not to be changed in this step, and will be undone: ${group
        .slice(0, 5)
        .map(({ path }) => path)
        .join(', ')}${group.length > 5 ? ', …' : ''} (${reason}).`,
  );
  return notes.length > 0 ? `\n<harness>${notes.join(' ')}</harness>` : '';
}

/** How a process ended, in a few words. */
export function exitWords(exit: Exit): string {
  switch (exit.kind) {
    case 'code':
      return `exit ${exit.code}`;
    case 'signal':
      return `killed by signal ${exit.signal}`;
    case 'timeout':
      return `timed out after ${exit.timeoutMs / 1000} s and was killed`;
    case 'out-of-memory':
      return 'killed: out of memory';
    case 'output-limit':
      return `killed: more than ${Math.round(exit.maxBytes / 1024)} KiB of output`;
    case 'cancelled':
      return 'cancelled';
    case 'failed-to-start':
      return `could not be started: ${exit.message}`;
  }
}

const oneLine = (command: string): string => {
  const line = command.split('\n')[0] ?? '';
  return line.length > 100 || command.includes('\n') ? `${line.slice(0, 100)} …` : line;
};
