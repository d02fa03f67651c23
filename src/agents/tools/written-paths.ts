import { posix } from 'node:path';
import { simpleCommands } from './shell-words.ts';

/**
 * Paths that a shell script names as what it writes, moves or removes: after `>`, and as operands of tee, sed -i, mv, rm, cp, git checkout
 * and their like. A guess that serves for a hint and never as a guard: what variables, `find` or another program do is not seen.
 * Relative to the folder in which the script starts, or absolute.
 */
export function writtenPaths(script: string): readonly string[] {
  let folder = '.';
  const found = new Set<string>();
  const inFolder = (path: string) => (path.startsWith('/') ? path : posix.join(folder, path));
  for (const { words, targets } of simpleCommands(script)) {
    const [program = '', ...rest] = words.slice(words.findIndex(word => !PREFIX.test(word)));
    if (program === 'cd') folder = inFolder(rest[0] ?? '/');
    for (const path of [...targets, ...changedBy(posix.basename(program), rest)].map(inFolder))
      if (isPath(path)) found.add(path);
  }
  return [...found];
}

/** Words that stand before a program: assignments, and what begins or wraps a command. */
const PREFIX = /^(?:\w+=.*|[!{]|if|then|else|elif|while|until|do|time|command|env|sudo|nohup)$/s;

/** Without variables, and neither a number nor the whole work folder. */
const isPath = (path: string): boolean => !/[$`]|^[\d.]*$/.test(path);

function changedBy(program: string, rest: readonly string[]): readonly string[] {
  switch (program) {
    case 'tee':
    case 'touch':
    case 'rm':
    case 'rmdir':
    case 'unlink':
    case 'mv':
      return operands(rest);
    case 'cp':
    case 'ln':
    case 'install':
      return operands(rest).slice(-1);
    case 'sed':
    case 'perl':
      return editedInPlace(rest);
    case 'git':
      return changedByGit(rest);
    default:
      return [];
  }
}

function operands(rest: readonly string[]): readonly string[] {
  const end = rest.indexOf('--');
  const before = end < 0 ? rest : rest.slice(0, end);
  return [...before.filter(word => !word.startsWith('-')), ...(end < 0 ? [] : rest.slice(end + 1))];
}

/** The files of `sed -i` and `perl -pi`: what is neither an option, nor its value, nor the script. */
function editedInPlace(rest: readonly string[]): readonly string[] {
  if (!rest.some(word => /^-[a-zA-Z]*i|^--in-place/.test(word))) return [];
  const takesScript = (word: string | undefined) =>
    /^-[a-zA-Z]*[ef]$|^--(?:expression|file)$/.test(word ?? '');
  const files = operands(rest.filter((word, i) => word !== '' && !takesScript(rest[i - 1])));
  const hasScript = rest.some(word => takesScript(word) || /^--(?:expression|file)=/.test(word));
  return hasScript ? files : files.slice(1);
}

function changedByGit([action = '', ...rest]: readonly string[]): readonly string[] {
  if (!['checkout', 'restore', 'rm', 'mv'].includes(action)) return [];
  const end = rest.indexOf('--');
  // Without the dashes a word may also be a revision.
  return end < 0 ? operands(rest).filter(word => !/[~^@]/.test(word)) : rest.slice(end + 1);
}
