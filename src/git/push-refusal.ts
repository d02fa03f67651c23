export interface PushRefusal {
  readonly kind: 'refused';
  readonly reason: 'workflow-files' | 'protected' | 'moved' | 'permission' | 'unreachable' | 'other';
  /** What the server or git said, a few lines, without control characters. */
  readonly detail: string;
  /** What a person can do. */
  readonly cure: string;
}

/** Why a push failed, from what git and the server printed. */
export function explainRefusal(output: string): PushRefusal {
  const row = REFUSALS.find(({ says }) => says.test(output));
  return {
    kind: 'refused',
    reason: row?.reason ?? 'other',
    detail: detailOf(output),
    cure: row?.cure ?? 'Apply the patch from the run by hand; the message above is all that the server said.',
  };
}

interface Row {
  readonly says: RegExp;
  readonly reason: PushRefusal['reason'];
  readonly cure: string;
}

// In order: a server says several things at once, and the most telling stands first.
const REFUSALS: readonly Row[] = [
  {
    says: /refusing to allow an? .{1,60} to create or update workflow/i,
    reason: 'workflow-files',
    cure: 'A change of files under .github/workflows belongs to a person. When the change itself touches none, bring the branch up to date with the default branch and give the command again.',
  },
  {
    says: /push protection|GH013[\s\S]*secret|cannot contain secrets/i,
    reason: 'protected',
    cure: 'The server found a secret in the change. Remove it, or allow it on the page that the message links to.',
  },
  {
    says: /GH001|exceeds GitHub's file size limit|file size limit of/i,
    reason: 'other',
    cure: 'A file is larger than the server takes (100 MB on GitHub). Leave it out or store it elsewhere.',
  },
  {
    says: /GH006|GH013|protected branch|repository rule violations|pre-receive hook declined/i,
    reason: 'protected',
    cure: 'A branch protection or a ruleset forbids the push. Let GitHub Actions bypass it for branches named agent/*, or exclude them.',
  },
  {
    says: /'refs\/[^']{1,300}' exists; cannot create|refname conflict|directory file conflict/i,
    reason: 'other',
    cure: 'Rename or delete the branch that is named like the folder of ours (agent).',
  },
  {
    says: /shallow update not allowed/i,
    reason: 'moved',
    cure: 'The commit that the run began from is on no branch any more: its branch was rewritten while the run was at work. Give the command again to build on its new state.',
  },
  {
    says: /stale info|non-fast-forward|fetch first|\[rejected\]|cannot lock ref|failed to update ref|reference already exists/i,
    reason: 'moved',
    cure: 'The branch changed while the run was at work. Give the command again to build on its new state.',
  },
  {
    says: /permission to .{1,200} denied|write access .{0,40}not granted|authentication failed|could not read username|invalid credentials|repository not found|repository '.*' not found|returned error: 40[134]/i,
    reason: 'permission',
    cure: 'Give the job `permissions: contents: write`, or pass `github-token` a token that may push to this repository.',
  },
  {
    says: /could not resolve|failed to connect|connection (?:refused|reset|timed out)|operation timed out|couldn't connect|unable to access|returned error: (?:429|5\d\d)|early eof|remote end hung up|rpc failed|gnutls|\b(?:ssl|tls)\b/i,
    reason: 'unreachable',
    cure: 'The git server could not be reached. Run the job again; behind a proxy, check HTTPS_PROXY.',
  },
];

const MAX_DETAIL = 1000;

function detailOf(output: string): string {
  const lines = output
    .replaceAll(/\x1b\[[0-9;?]*[A-Za-z]/g, '')
    .replaceAll(/[\0-\x08\x0b-\x1f\x7f-\x9f]/g, ' ')
    .split('\n')
    .map(line => line.trim())
    .filter(line => line !== '' && !NOISE.test(line));
  return lines.join('\n').slice(0, MAX_DETAIL);
}

const NOISE =
  /^(?:To https?:|Done$|Total \d|Enumerating|Counting|Compressing|Writing|Delta|Everything up-to-date|remote:$|remote: Resolving|hint:)/;
