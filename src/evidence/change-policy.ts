import type { FileChange } from '../types.ts';
import { frozenManifestKeys, protection } from './protected-paths.ts';

export interface Objection {
  readonly path: string;
  readonly reason: string;
}

/** Who may change what in one step of an agent. */
export interface StepPolicy {
  /** Why this step may not change the path, or undefined when it may. */
  readonly objectTo: (path: string) => string | undefined;
}

/** The changes of a step that its policy forbids. What is objected to is put back as it was; nothing is dropped silently. */
export const objections = (change: readonly FileChange[], policy: StepPolicy): readonly Objection[] =>
  change.flatMap(file => {
    const reason =
      manifestObjection(file) ?? protection(file.path) ?? policy.objectTo(file.path) ?? linkObjection(file);
    return reason ? [{ path: file.path, reason }] : [];
  });

function manifestObjection(file: FileChange): string | undefined {
  if (!/(^|\/)package\.json$/.test(file.path) || !file.before) return undefined;
  const keys = frozenManifestKeys(file.before.bytes.toString(), file.after?.bytes.toString() ?? '');
  return keys.length > 0
    ? `package.json: ${keys.join(', ')} may not change; a missing dependency is reported with flag_blocked`
    : undefined;
}

function linkObjection(file: FileChange): string | undefined {
  if (file.after?.mode !== '120000' || file.before?.mode === '120000') return undefined;
  return 'new symbolic links are not published';
}

const SECRETS: readonly [RegExp, string][] = [
  [/-----BEGIN (?:RSA |EC |OPENSSH |PGP )?PRIVATE KEY/, 'a private key'],
  [/\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/, 'an AWS key id'],
  [
    /\b(?:ghp|gho|ghu|ghr)_[A-Za-z0-9]{36,}\b|\bghs_[A-Za-z0-9._-]{36,}|\bgithub_pat_[A-Za-z0-9_]{40,}\b/,
    'a GitHub token',
  ],
  [/\bsk-(?:proj-)?[A-Za-z0-9_-]{32,}\b/, 'an API key'],
  [/\bxox[abprs]-[A-Za-z0-9-]{20,}\b/, 'a Slack token'],
];

/** GitHub refuses files over 100 MB; a change of more files than this is no longer one that a person reviews. */
const MAX_FILES = 300;
const MAX_FILE_BYTES = 5 * 1024 * 1024;

/** What forbids publishing a change as a whole: too many files, a huge file, something that looks like a secret. */
export function publishObjections(change: readonly FileChange[]): readonly Objection[] {
  const tooMany =
    change.length > MAX_FILES
      ? [{ path: '', reason: `${change.length} files changed; the limit is ${MAX_FILES}` }]
      : [];
  return [...tooMany, ...change.flatMap(fileObjections)];
}

function fileObjections(file: FileChange): Objection[] {
  const bytes = file.after?.bytes;
  if (!bytes) return [];
  if (bytes.length > MAX_FILE_BYTES)
    return [{ path: file.path, reason: `larger than ${MAX_FILE_BYTES / 1024 / 1024} MiB` }];
  const old = new Set(linesOf(file.before?.bytes));
  const added = linesOf(bytes).filter(line => !old.has(line));
  const found = SECRETS.filter(([pattern]) => added.some(line => pattern.test(line)));
  return found.map(([, what]) => ({ path: file.path, reason: `an added line looks like ${what}` }));
}

const linesOf = (bytes: Buffer | undefined): string[] => bytes?.toString('latin1').split('\n') ?? [];
