/** What the local GitHub knows, as plain data. Bodies of answers are made from it in `bodies.ts`. */
import { randomBytes } from 'node:crypto';

export type Level = 'read' | 'write';
export type Scope = 'contents' | 'issues' | 'pull_requests' | 'metadata' | 'workflows';
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
  /** Present when the issue is a pull request. */
  readonly pull?: Pull;
}

export interface Pull {
  readonly headRef: string;
  headSha: string;
  baseRef: string;
  draft: boolean;
  mergedAt: string | null;
  mergeSha: string | null;
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

export function addUser(state: State, login: string, type: User['type'] = 'User'): User {
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
  const token: Token = { value, user, permissions: { metadata: 'read', ...permissions }, isApp };
  state.tokens.set(value, token);
  return token;
}

export const findRepository = (state: State, owner: string, name: string): Repository | undefined =>
  state.repositories.get(`${owner}/${name}`.toLowerCase());

/** The next number that neither an issue nor a pull request has. */
export const nextNumber = (repository: Repository): number => Math.max(0, ...repository.issues.keys()) + 1;

export const hasLevel = (granted: Level | undefined, wanted: Level): boolean =>
  granted === 'write' || (granted === 'read' && wanted === 'read');
