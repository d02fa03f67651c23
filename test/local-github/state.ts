/** What the local GitHub knows, as plain data. Bodies of answers are made from it in `bodies.ts`. */
import { randomBytes } from 'node:crypto';

export type Level = 'read' | 'write';
export type Scope =
  | 'actions'
  | 'checks'
  | 'contents'
  | 'issues'
  | 'metadata'
  | 'pull_requests'
  | 'statuses'
  | 'workflows';
export type Permissions = Partial<Record<Scope, Level>>;
export type Role = 'admin' | 'maintain' | 'write' | 'triage' | 'read';

export interface User {
  readonly id: number;
  readonly login: string;
  readonly type: 'User' | 'Bot';
}

export interface Token {
  readonly value: string;
  readonly user: User;
  readonly permissions: Permissions;
  /** An installation token such as GITHUB_TOKEN: "a GitHub App" in refusals. */
  readonly isApp: boolean;
  /** When it ends to be good; undefined means never. */
  expiry: Expiry | undefined;
}

export interface Expiry {
  /** Requests that it is still good for, of the API and of git. */
  requestsLeft: number;
  /** Milliseconds since 1970. */
  readonly at: number;
}

export interface Label {
  readonly id: number;
  readonly name: string;
  readonly color: string;
}

export interface Reaction {
  readonly id: number;
  readonly user: User;
  readonly content: string;
  readonly createdAt: string;
}

export interface Comment {
  readonly id: number;
  readonly issue: number;
  readonly user: User;
  body: string;
  readonly createdAt: string;
  updatedAt: string;
  minimized: boolean;
  readonly reactions: Reaction[];
  /** Every text that it ever had, the newest last. */
  readonly history: string[];
}

export interface Issue {
  readonly number: number;
  readonly id: number;
  readonly user: User;
  title: string;
  body: string | null;
  state: 'open' | 'closed';
  locked: boolean;
  readonly createdAt: string;
  updatedAt: string;
  closedAt: string | null;
  readonly reactions: Reaction[];
  readonly labels: Label[];
  /** Present when the issue is a pull request. */
  readonly pull?: Pull;
}

export interface Pull {
  /** Where the head branch lies: this repository or a fork; undefined when the fork was deleted. */
  head: Repository | undefined;
  /** Stays when the fork is gone. */
  readonly headOwner: User;
  readonly headRef: string;
  headSha: string;
  baseRef: string;
  /** The base when the head moved last. */
  baseSha: string;
  draft: boolean;
  /** Merges by itself as soon as its checks pass. */
  autoMerge?: boolean;
  mergedAt: string | null;
  mergeSha: string | null;
  /** What `refs/pull/N/merge` points to; null when head and base can not be merged. */
  testMergeSha: string | null;
}

export interface Workflow {
  readonly id: number;
  readonly name: string;
  /** Such as `.github/workflows/ci.yml`. */
  readonly path: string;
}

export type RunStatus = 'queued' | 'in_progress' | 'completed' | 'waiting' | 'requested' | 'pending';
export type Conclusion =
  | 'success'
  | 'failure'
  | 'neutral'
  | 'cancelled'
  | 'skipped'
  | 'timed_out'
  | 'action_required';

export interface WorkflowRun {
  readonly id: number;
  readonly workflow: Workflow;
  readonly displayTitle: string;
  readonly event: string;
  readonly actor: User;
  readonly headBranch: string;
  readonly headSha: string;
  /** The fork that the head branch lies in, or the repository itself. */
  readonly headRepository: Repository;
  status: RunStatus;
  conclusion: Conclusion | null;
  readonly createdAt: string;
  updatedAt: string;
  /** Jobs of each attempt, the newest attempt last. */
  readonly attempts: readonly (readonly Job[])[];
  /** Called when somebody cancels it; the run is over only when `finishRun` says so. Without, it is over at once. */
  onCancel: (() => void) | undefined;
}

export interface Job {
  readonly id: number;
  readonly name: string;
  readonly status: RunStatus;
  readonly conclusion: Conclusion | null;
  readonly steps: readonly Step[];
  /** `expired`: 410. Undefined: not written yet. */
  readonly log: JobLog | 'expired' | undefined;
}

export interface Step {
  readonly name: string;
  readonly conclusion: Conclusion;
}

/** Text whose lines get timestamps as GitHub writes them; or bytes as they are, made anew for each reader. */
export type JobLog =
  | { readonly text: string }
  | { readonly bytes: () => Iterable<Uint8Array> | AsyncIterable<Uint8Array> };

/** What another system says of a commit. */
export interface CommitStatus {
  readonly id: number;
  readonly sha: string;
  readonly context: string;
  readonly state: 'error' | 'failure' | 'pending' | 'success';
  readonly description: string | null;
  readonly targetUrl: string | null;
  readonly creator: User;
  readonly createdAt: string;
}

export interface CheckRun {
  readonly id: number;
  readonly sha: string;
  readonly name: string;
  /** The app that reported it: its name, of which the slug is made. */
  readonly app: string;
  readonly conclusion: Conclusion | null;
  readonly title: string | null;
  readonly detailsUrl: string | null;
  readonly createdAt: string;
}

export interface Settings {
  /** "Allow GitHub Actions to create and approve pull requests". */
  allowActionsToCreatePullRequests: boolean;
  draftsSupported: boolean;
  protectedBranches: string[];
}

export interface Repository {
  readonly id: number;
  readonly owner: User;
  readonly name: string;
  readonly private: boolean;
  readonly defaultBranch: string;
  /** The bare repository on disk. */
  readonly folder: string;
  readonly collaborators: Map<string, Role>;
  readonly issues: Map<number, Issue>;
  readonly comments: Map<number, Comment>;
  readonly labels: Map<string, Label>;
  readonly workflows: Map<number, Workflow>;
  readonly runs: Map<number, WorkflowRun>;
  readonly statuses: CommitStatus[];
  readonly checkRuns: CheckRun[];
  /** Present when it is a fork: what it is a fork of. */
  readonly parent: Repository | undefined;
  readonly settings: Settings;
  readonly createdAt: string;
}

export interface State {
  readonly users: Map<string, User>;
  readonly tokens: Map<string, Token>;
  readonly repositories: Map<string, Repository>;
  /** What is left of the token's rate limit, and when it is full again in seconds since 1970. */
  rateLimit: { remaining: number; resetAt: number };
  nextId: number;
}

export const createState = (): State => ({
  users: new Map(),
  tokens: new Map(),
  repositories: new Map(),
  rateLimit: { remaining: 5_000, resetAt: Math.floor(Date.now() / 1000) + 3_600 },
  nextId: 1_001,
});

export const nextId = (state: State): number => state.nextId++;

/** Times of the API have whole seconds. */
export const timestamp = (at = new Date()): string => at.toISOString().replace(/\.\d+Z$/, 'Z');

/** No person's login ends in `[bot]`. */
export function addUser(
  state: State,
  login: string,
  type: User['type'] = login.endsWith('[bot]') ? 'Bot' : 'User',
): User {
  const known = state.users.get(login.toLowerCase());
  if (known) return known;
  const id = login === 'github-actions[bot]' ? 41_898_282 : nextId(state);
  const user: User = { id, login, type };
  state.users.set(login.toLowerCase(), user);
  return user;
}

/** GITHUB_TOKEN has a JSON web token inside and about 520 characters; a person's token has 40. */
export function addToken(state: State, user: User, permissions: Permissions): Token {
  const isApp = user.type === 'Bot';
  const part = (bytes: number) => randomBytes(bytes).toString('base64url');
  const value = isApp
    ? `ghs_15368_${part(27)}.${part(270)}.${part(64)}`
    : `ghp_${randomBytes(18).toString('hex')}`;
  const token: Token = {
    value,
    user,
    permissions: { metadata: 'read', ...permissions },
    isApp,
    expiry: undefined,
  };
  state.tokens.set(value, token);
  return token;
}

export const findRepository = (state: State, owner: string, name: string): Repository | undefined =>
  state.repositories.get(`${owner}/${name}`.toLowerCase());

/** The next number that neither an issue nor a pull request has. */
export const nextNumber = (repository: Repository): number => Math.max(0, ...repository.issues.keys()) + 1;

/** Whether a user may write: the owner, and who has a role for it. Apps never are. */
export function isWriter(repository: Repository, user: User): boolean {
  const role = repository.collaborators.get(user.login.toLowerCase());
  return user.id === repository.owner.id || ['admin', 'maintain', 'write'].includes(role ?? '');
}

export const fullName = ({ owner, name }: Repository): string => `${owner.login}/${name}`;

export const hasLevel = (granted: Level | undefined, wanted: Level): boolean =>
  granted === 'write' || (granted === 'read' && wanted === 'read');
