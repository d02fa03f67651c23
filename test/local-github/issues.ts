/** Issues, their comments and their labels, as people put them in. */
import {
  addUser,
  type Issue,
  type Label,
  nextId,
  nextNumber,
  type Repository,
  type State,
  timestamp,
} from './state.ts';

export interface NewIssue {
  readonly title: string;
  readonly body?: string;
  readonly author?: string;
  readonly createdAt?: string;
  readonly labels?: readonly string[];
}

export function addIssue(state: State, repository: Repository, wanted: NewIssue): Issue {
  const issue = issueWith(state, repository, wanted);
  repository.issues.set(issue.number, issue);
  return issue;
}

/** An issue with the next number, that stands nowhere yet. */
export function issueWith(state: State, repository: Repository, wanted: NewIssue): Issue {
  const at = wanted.createdAt ?? timestamp();
  return {
    number: nextNumber(repository),
    id: nextId(state),
    user: addUser(state, wanted.author ?? repository.owner.login),
    title: wanted.title,
    body: wanted.body ?? null,
    state: 'open',
    locked: false,
    createdAt: at,
    updatedAt: at,
    closedAt: null,
    reactions: [],
    labels: (wanted.labels ?? []).map(name => labelOf(state, repository, name)),
  };
}

/** Puts a label on an issue or a pull request. */
export function addLabel(state: State, repository: Repository, number: number, name: string): Label {
  const issue = repository.issues.get(number);
  if (!issue) throw new Error(`there is no issue #${number}`);
  const label = labelOf(state, repository, name);
  if (!issue.labels.includes(label)) issue.labels.push(label);
  issue.updatedAt = timestamp();
  return label;
}

/** The repository's label of this name, which is made when it is not there. */
export function labelOf(state: State, repository: Repository, name: string): Label {
  const known = repository.labels.get(name.toLowerCase());
  if (known) return known;
  const label: Label = { id: nextId(state), name, color: 'ededed' };
  repository.labels.set(name.toLowerCase(), label);
  return label;
}
