/** The bodies of answers, in full and typed by GitHub's own description of its API. */
import type { components } from '@octokit/openapi-types';
import {
  type Comment,
  fullName,
  type Issue,
  type Label,
  type Reaction,
  type Repository,
  type User,
} from './state.ts';

type Schemas = components['schemas'];

export interface Urls {
  readonly apiUrl: string;
  readonly serverUrl: string;
}

export const nodeId = (kind: string, id: number) => Buffer.from(`${kind}:${id}`).toString('base64url');

export function userBody(user: User, { apiUrl, serverUrl }: Urls): Schemas['simple-user'] {
  const url = `${apiUrl}/users/${encodeURIComponent(user.login)}`;
  const page = user.type === 'Bot' ? `apps/${user.login.replace('[bot]', '')}` : user.login;
  return {
    login: user.login,
    id: user.id,
    node_id: nodeId(user.type, user.id),
    avatar_url: `${serverUrl}/avatars/u/${user.id}`,
    gravatar_id: '',
    url,
    html_url: `${serverUrl}/${page}`,
    followers_url: `${url}/followers`,
    following_url: `${url}/following{/other_user}`,
    gists_url: `${url}/gists{/gist_id}`,
    starred_url: `${url}/starred{/owner}{/repo}`,
    subscriptions_url: `${url}/subscriptions`,
    organizations_url: `${url}/orgs`,
    repos_url: `${url}/repos`,
    events_url: `${url}/events{/privacy}`,
    received_events_url: `${url}/received_events`,
    type: user.type,
    user_view_type: 'public',
    site_admin: false,
  };
}

const REPOSITORY_URLS = {
  archive_url: '/{archive_format}{/ref}',
  assignees_url: '/assignees{/user}',
  blobs_url: '/git/blobs{/sha}',
  branches_url: '/branches{/branch}',
  collaborators_url: '/collaborators{/collaborator}',
  comments_url: '/comments{/number}',
  commits_url: '/commits{/sha}',
  compare_url: '/compare/{base}...{head}',
  contents_url: '/contents/{+path}',
  contributors_url: '/contributors',
  deployments_url: '/deployments',
  downloads_url: '/downloads',
  events_url: '/events',
  forks_url: '/forks',
  git_commits_url: '/git/commits{/sha}',
  git_refs_url: '/git/refs{/sha}',
  git_tags_url: '/git/tags{/sha}',
  hooks_url: '/hooks',
  issue_comment_url: '/issues/comments{/number}',
  issue_events_url: '/issues/events{/number}',
  issues_url: '/issues{/number}',
  keys_url: '/keys{/key_id}',
  labels_url: '/labels{/name}',
  languages_url: '/languages',
  merges_url: '/merges',
  milestones_url: '/milestones{/number}',
  notifications_url: '/notifications{?since,all,participating}',
  pulls_url: '/pulls{/number}',
  releases_url: '/releases{/id}',
  stargazers_url: '/stargazers',
  statuses_url: '/statuses/{sha}',
  subscribers_url: '/subscribers',
  subscription_url: '/subscription',
  tags_url: '/tags',
  teams_url: '/teams',
  trees_url: '/git/trees{/sha}',
} as const;

export function repositoryBody(
  repository: Repository,
  urls: Urls,
): Schemas['full-repository'] & Schemas['repository'] {
  const { owner, name, id, createdAt } = repository;
  const url = `${urls.apiUrl}/repos/${owner.login}/${name}`;
  const page = `${urls.serverUrl}/${owner.login}/${name}`;
  const links = Object.fromEntries(Object.entries(REPOSITORY_URLS).map(([key, path]) => [key, url + path]));
  const openIssues = [...repository.issues.values()].filter(issue => issue.state === 'open').length;
  return {
    ...(links as Record<keyof typeof REPOSITORY_URLS, string>),
    id,
    node_id: nodeId('Repository', id),
    name,
    full_name: `${owner.login}/${name}`,
    owner: userBody(owner, urls),
    private: repository.private,
    visibility: repository.private ? 'private' : 'public',
    html_url: page,
    description: null,
    fork: repository.parent !== undefined,
    url,
    git_url: page.replace(/^https?:/, 'git:').concat('.git'),
    ssh_url: `git@${new URL(urls.serverUrl).hostname}:${owner.login}/${name}.git`,
    clone_url: `${page}.git`,
    svn_url: page,
    mirror_url: null,
    homepage: null,
    language: null,
    license: null,
    forks: 0,
    forks_count: 0,
    stargazers_count: 0,
    watchers: 0,
    watchers_count: 0,
    subscribers_count: 0,
    network_count: 0,
    size: 0,
    default_branch: repository.defaultBranch,
    open_issues: openIssues,
    open_issues_count: openIssues,
    has_issues: true,
    has_projects: true,
    has_wiki: true,
    has_pages: false,
    has_downloads: true,
    has_discussions: false,
    custom_properties: {},
    allow_forking: true,
    is_template: false,
    topics: [],
    web_commit_signoff_required: false,
    archived: false,
    disabled: false,
    pushed_at: createdAt,
    created_at: createdAt,
    updated_at: createdAt,
  };
}

/** A repository inside of another body; of its licence that description says something else. */
export const minimalRepositoryBody = (repository: Repository, urls: Urls): Schemas['minimal-repository'] => ({
  ...repositoryBody(repository, urls),
  license: null,
});

export function issueBody(repository: Repository, issue: Issue, urls: Urls): Schemas['issue'] {
  const path = `/repos/${repository.owner.login}/${repository.name}`;
  const page = `${urls.serverUrl}/${repository.owner.login}/${repository.name}`;
  const url = `${urls.apiUrl}${path}/issues/${issue.number}`;
  const pullPage = `${page}/pull/${issue.number}`;
  return {
    id: issue.id,
    node_id: nodeId('Issue', issue.id),
    url,
    repository_url: `${urls.apiUrl}${path}`,
    labels_url: `${url}/labels{/name}`,
    comments_url: `${url}/comments`,
    events_url: `${url}/events`,
    timeline_url: `${url}/timeline`,
    html_url: issue.pull ? pullPage : `${page}/issues/${issue.number}`,
    number: issue.number,
    title: issue.title,
    body: issue.body,
    user: userBody(issue.user, urls),
    labels: issue.labels.map(label => labelBody(repository, label, urls)),
    state: issue.state,
    locked: issue.locked,
    active_lock_reason: null,
    assignee: null,
    assignees: [],
    milestone: null,
    comments: [...repository.comments.values()].filter(comment => comment.issue === issue.number).length,
    created_at: issue.createdAt,
    updated_at: issue.updatedAt,
    closed_at: issue.closedAt,
    author_association: associationOf(repository, issue.user),
    performed_via_github_app: null,
    reactions: rollup(`${url}/reactions`, issue.reactions),
    ...(issue.pull && {
      draft: issue.pull.draft,
      pull_request: {
        url: `${urls.apiUrl}${path}/pulls/${issue.number}`,
        html_url: pullPage,
        diff_url: `${pullPage}.diff`,
        patch_url: `${pullPage}.patch`,
        merged_at: issue.pull.mergedAt,
      },
    }),
  };
}

export const labelBody = (repository: Repository, label: Label, { apiUrl }: Urls): Schemas['label'] => ({
  id: label.id,
  node_id: nodeId('Label', label.id),
  url: `${apiUrl}/repos/${fullName(repository)}/labels/${encodeURIComponent(label.name)}`,
  name: label.name,
  description: null,
  color: label.color,
  default: false,
});

export function commentBody(repository: Repository, comment: Comment, urls: Urls): Schemas['issue-comment'] {
  const path = `/repos/${repository.owner.login}/${repository.name}/issues`;
  const url = `${urls.apiUrl}${path}/comments/${comment.id}`;
  const kind = repository.issues.get(comment.issue)?.pull ? 'pull' : 'issues';
  const page = `${urls.serverUrl}/${repository.owner.login}/${repository.name}/${kind}/${comment.issue}`;
  return {
    id: comment.id,
    node_id: nodeId('IssueComment', comment.id),
    url,
    html_url: `${page}#issuecomment-${comment.id}`,
    issue_url: `${urls.apiUrl}${path}/${comment.issue}`,
    user: userBody(comment.user, urls),
    created_at: comment.createdAt,
    updated_at: comment.updatedAt,
    body: comment.body,
    author_association: associationOf(repository, comment.user),
    performed_via_github_app: null,
    reactions: rollup(`${url}/reactions`, comment.reactions),
    minimized: comment.minimized ? { reason: 'off-topic' } : null,
  };
}

export const reactionBody = (reaction: Reaction, urls: Urls): Schemas['reaction'] => ({
  id: reaction.id,
  node_id: nodeId('Reaction', reaction.id),
  user: userBody(reaction.user, urls),
  content: reaction.content as Schemas['reaction']['content'],
  created_at: reaction.createdAt,
});

/** Says COLLABORATOR of people who may only read too, as the real one does. */
export function associationOf(repository: Repository, user: User): Schemas['author-association'] {
  if (user.id === repository.owner.id) return 'OWNER';
  return repository.collaborators.has(user.login.toLowerCase()) ? 'COLLABORATOR' : 'NONE';
}

function rollup(url: string, reactions: readonly Reaction[]): Schemas['reaction-rollup'] {
  const count = (content: string) => reactions.filter(reaction => reaction.content === content).length;
  return {
    url,
    total_count: reactions.length,
    '+1': count('+1'),
    '-1': count('-1'),
    laugh: count('laugh'),
    hooray: count('hooray'),
    confused: count('confused'),
    heart: count('heart'),
    rocket: count('rocket'),
    eyes: count('eyes'),
  };
}
