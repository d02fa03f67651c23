import { z } from 'zod';
import type { BaseFiles } from '../types.ts';

const strings = z.record(z.string(), z.string()).catch({});
const schema = z.object({
  scripts: strings.default({}),
  dependencies: strings.default({}),
  devDependencies: strings.default({}),
  optionalDependencies: strings.default({}),
  peerDependencies: strings.default({}),
  workspaces: z.unknown().optional(),
  packageManager: z.string().optional().catch(undefined),
  jest: z.unknown().optional(),
  mocha: z.unknown().optional(),
});

export type PackageJson = z.infer<typeof schema>;

/** The repository's `package.json`; undefined when there is none or it is not JSON, which its own tools will tell better. */
export async function readPackageJson(files: BaseFiles): Promise<PackageJson | undefined> {
  const text = await files.text('package.json');
  return text === undefined ? undefined : schema.safeParse(parseJson(text)).data;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

const MAX_DEPTH = 5;
const SCRIPT_CALL =
  /^(?:npm|pnpm|yarn|bun)\s+(?:(?:run|run-script)\s+)?(?:(?:-s|--silent)\s+)?([\w:.-]+)((?:\s+(?!&&|\|\||;).*)?)$/;

/** Replaces calls of package scripts (`npm test`, `yarn test:unit --x`) by what they run, `pretest` included. */
export function resolveScripts(command: string, scripts: PackageJson['scripts'], depth = 0): string {
  if (depth >= MAX_DEPTH) return command;
  const parts = command.split(/(\s*(?:&&|;)\s*)/);
  return parts.map((part, index) => (index % 2 === 0 ? resolveCall(part, scripts, depth) : part)).join('');
}

function resolveCall(part: string, scripts: PackageJson['scripts'], depth: number): string {
  const call = SCRIPT_CALL.exec(part.trim());
  const name = call?.[1] === 't' ? 'test' : (call?.[1] ?? '');
  const script = Object.hasOwn(scripts, name) ? scripts[name] : undefined;
  if (!script) return part;
  const given = (call?.[2] ?? '').trim().replace(/^--(\s+|$)/, '');
  const before = scripts[`pre${name}`];
  const whole = `${before ? `${before} && ` : ''}${script}${given ? ` ${given}` : ''}`;
  return resolveScripts(whole, scripts, depth + 1);
}
