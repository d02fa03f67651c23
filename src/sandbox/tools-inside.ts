import { UserError } from '../errors.ts';
import type { Tools } from './place.ts';

/** Prints facts about the programs inside, as `name=value` lines. Needs nothing but a shell. */
export const TOOL_FACTS = `
missing=
for tool in tar find cat mkdir rm chmod; do command -v $tool >/dev/null 2>&1 || missing="$missing $tool"; done
echo "missing=$missing"
case $(tar --version 2>/dev/null </dev/null) in *'GNU tar'*) echo tar=gnu;; esac
find / -prune -print0 >/dev/null 2>&1 && echo print0=yes
`;

export function parseFacts(text: string): ReadonlyMap<string, string> {
  const lines = text.split('\n').filter(line => line.includes('='));
  return new Map(lines.map(line => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]));
}

/** Throws a UserError that names each program that is not there. */
export function toolsOf(facts: ReadonlyMap<string, string>, where: string): Tools {
  const missing = facts.get('missing');
  if (missing === undefined) throw new Error(`The shell in ${where} did not answer as a POSIX shell does.`);
  if (missing.trim() !== '') {
    throw new UserError(
      `The sandbox (${where}) has no ${missing.trim().split(' ').join(', ')}.`,
      'Use an image with a POSIX shell, tar, find, cat, mkdir, rm and chmod; busybox is enough, "distroless" images are not.',
    );
  }
  return { gnuTar: facts.get('tar') === 'gnu', print0: facts.get('print0') === 'yes' };
}
