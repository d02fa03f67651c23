import type { components } from '@octokit/openapi-types';
import { associationOf, issueBody, labelBody, repositoryBody, type Urls, userBody } from './bodies.ts';
import type { Comparison } from './git-repository.ts';
import type { Issue, Pull, Repository } from './state.ts';

type Schemas = components['schemas'];

/** A pull request in full. Lists of the real API leave the numbers at the end out; ours do not. */
export function pullBody(
  repository: Repository,
  issue: Issue & { readonly pull: Pull },
  comparison: Comparison & { readonly baseSha: string },
  urls: Urls,
): Schemas['pull-request'] {
  const { pull } = issue;
  const owner = userBody(repository.owner, urls);
  const repo = repositoryBody(repository, urls);
  const { url: issueUrl, comments, node_id, body } = issueBody(repository, issue, urls);
  const url = `${repo.url}/pulls/${issue.number}`;
  const html = `${repo.html_url}/pull/${issue.number}`;
  const statuses = `${repo.url}/statuses/${pull.headSha}`;
  const end = (ref: string, sha: string, user: typeof owner, of: typeof repo) => ({
    label: `${user.login}:${ref}`,
    ref,
    sha,
    user,
    repo: of,
  });
  // GitHub's own description forgets that a deleted fork is null here.
  const headRepo = (pull.head ? repositoryBody(pull.head, urls) : null) as typeof repo;
  return {
    id: issue.id,
    node_id,
    number: issue.number,
    ...linksOf(url, html, issueUrl, statuses),
    state: issue.state,
    locked: issue.locked,
    active_lock_reason: null,
    title: issue.title,
    user: userBody(issue.user, urls),
    body: body ?? null,
    labels: issue.labels.map(label => labelBody(repository, label, urls)),
    milestone: null,
    created_at: issue.createdAt,
    updated_at: issue.updatedAt,
    closed_at: issue.closedAt,
    merged_at: pull.mergedAt,
    merge_commit_sha: pull.mergeSha ?? pull.testMergeSha,
    assignee: null,
    assignees: [],
    requested_reviewers: [],
    requested_teams: [],
    head: end(pull.headRef, pull.headSha, userBody(pull.headOwner, urls), headRepo),
    base: end(pull.baseRef, comparison.baseSha, owner, repo),
    author_association: associationOf(repository, issue.user),
    auto_merge: pull.autoMerge
      ? {
          enabled_by: userBody(issue.user, urls),
          merge_method: 'merge',
          commit_title: '',
          commit_message: '',
        }
      : null,
    draft: pull.draft,
    merged: pull.mergedAt !== null,
    mergeable: issue.state === 'open' ? comparison.mergeable : null,
    rebaseable: null,
    mergeable_state: mergeableState(issue, pull, comparison),
    merged_by: null,
    comments,
    review_comments: 0,
    maintainer_can_modify: false,
    commits: comparison.commits,
    additions: comparison.additions,
    deletions: comparison.deletions,
    changed_files: comparison.changedFiles,
  };
}

function mergeableState(issue: Issue, pull: Pull, { mergeable }: Comparison): string {
  if (issue.state === 'closed') return 'unknown';
  if (pull.draft) return 'draft';
  return mergeable ? 'clean' : 'dirty';
}

function linksOf(url: string, html: string, issue: string, statuses: string) {
  const reviewComment = `${url.replace(/\/\d+$/, '')}/comments{/number}`;
  return {
    url,
    html_url: html,
    diff_url: `${html}.diff`,
    patch_url: `${html}.patch`,
    issue_url: issue,
    commits_url: `${url}/commits`,
    review_comments_url: `${url}/comments`,
    review_comment_url: reviewComment,
    comments_url: `${issue}/comments`,
    statuses_url: statuses,
    _links: {
      self: { href: url },
      html: { href: html },
      issue: { href: issue },
      comments: { href: `${issue}/comments` },
      review_comments: { href: `${url}/comments` },
      review_comment: { href: reviewComment },
      commits: { href: `${url}/commits` },
      statuses: { href: statuses },
    },
  };
}
