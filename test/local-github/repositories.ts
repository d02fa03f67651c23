/** Repositories: what the server knows of one, and its files. */
import { join } from 'node:path';
import { createBareRepository, type Files, readFiles } from './git-repository.ts';
import {
  addUser,
  nextId,
  type Repository,
  type Role,
  type Settings,
  type State,
  timestamp,
} from './state.ts';

export interface NewRepository {
  readonly owner: string;
  readonly name: string;
  /** Path → content of the first commit; or everything below a folder. */
  readonly files?: Files;
  readonly fromFolder?: string;
  readonly private?: boolean;
  readonly defaultBranch?: string;
  readonly collaborators?: Readonly<Record<string, Role>>;
  readonly settings?: Partial<Settings>;
}

/** Adds a repository with its first commit. `folder` is where the repositories lie. */
export async function addRepository(
  state: State,
  folder: string,
  wanted: NewRepository,
): Promise<Repository> {
  const repository = createRepository(state, {
    owner: wanted.owner,
    name: wanted.name,
    private: wanted.private ?? false,
    defaultBranch: wanted.defaultBranch ?? 'main',
    folder: join(folder, wanted.owner, `${wanted.name}.git`),
    parent: undefined,
  });
  Object.assign(repository.settings, wanted.settings);
  for (const [login, role] of Object.entries(wanted.collaborators ?? {})) {
    addUser(state, login);
    repository.collaborators.set(login.toLowerCase(), role);
  }
  const files = wanted.fromFolder ? await readFiles(wanted.fromFolder) : (wanted.files ?? {});
  await createBareRepository(repository.folder, repository.defaultBranch, files);
  return repository;
}

type Given = Pick<Repository, 'name' | 'private' | 'defaultBranch' | 'folder' | 'parent'> & {
  readonly owner: string;
};

/** Makes an empty repository known; its folder is the caller's to fill. */
export function createRepository(state: State, { owner, ...given }: Given): Repository {
  const repository: Repository = {
    ...given,
    id: nextId(state),
    owner: addUser(state, owner),
    collaborators: new Map(),
    issues: new Map(),
    comments: new Map(),
    labels: new Map(),
    workflows: new Map(),
    runs: new Map(),
    statuses: [],
    checkRuns: [],
    settings: { allowActionsToCreatePullRequests: true, draftsSupported: true, protectedBranches: [] },
    createdAt: timestamp(),
  };
  state.repositories.set(`${owner}/${given.name}`.toLowerCase(), repository);
  return repository;
}
