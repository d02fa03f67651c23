import { posix } from 'node:path';

/** Why a path can not be published, or undefined when it can. `path` is relative, with `/`. */
export function pathProblem(path: string): string | undefined {
  if (path === '' || path.startsWith('/')) return 'not a relative path';
  if (CONTROL.test(path)) return 'control characters in the name';
  if (Buffer.byteLength(path) > 4096) return 'the path is longer than 4096 bytes';
  const parts = path.split('/');
  if (parts.some(part => part === '' || part === '.' || part === '..')) return 'not a plain path';
  if (parts.some(isGitFolder)) return 'a name that some systems take for .git';
  return undefined;
}

/** Why a symbolic link can not be published: it has to stay in the tree on every system. */
export function linkProblem(path: string, target: string): string | undefined {
  if (target === '' || CONTROL.test(target)) return 'a link with an odd target';
  if (target.startsWith('/') || /^[a-z]:/i.test(target)) return 'a link to an absolute path';
  const end = posix.normalize(posix.join(posix.dirname(path), target));
  if (end === '..' || end.startsWith('../')) return 'a link that leaves the work folder';
  if (target.split('/').some(isGitFolder)) return 'a link into .git';
  return undefined;
}

/** Text of bytes that are exactly UTF-8; undefined for all others. */
export function decodeStrictly(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

const CONTROL = /[\u0000-\u001f\u007f-\u009f]/;

/** macOS ignores these in names, so `.g<U+200C>it` is `.git` there. */
const IGNORED_BY_HFS = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;

/** `.git` as Linux, macOS (case, invisible characters) and Windows (case, short name, trailing dots and spaces, streams) see it. */
const isGitFolder = (part: string): boolean =>
  /^(\.git|git~\d+)[. ]*($|[:\\])/.test(part.replace(IGNORED_BY_HFS, '').toLowerCase());
