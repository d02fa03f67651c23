import { areRelated, compare, readRef } from '../git-repository.ts';
import { pullBody } from '../pull-body.ts';
import { comparisonOf, isPull, openPull, type PullRequestIssue, pullsOf } from '../pull-requests.ts';
import {
  type Answer,
  type Context,
  callerOf,
  invalid,
  issueOf,
  notFound,
  page,
  Refusal,
  type Route,
  textField,
} from '../rest.ts';
import { type Repository, timestamp } from '../state.ts';

export const pullRoutes: readonly Route[] = [
  { method: 'GET', path: '/pulls', needs: [{ pull_requests: 'read' }], handle: list },
  { method: 'POST', path: '/pulls', needs: [{ pull_requests: 'write' }], handle: create },
  {
    method: 'GET',
    path: '/pulls/{number}',
    needs: [{ pull_requests: 'read' }],
    handle: async context => ({ status: 200, body: await bodyOf(context, pullOf(context)) }),
  },
  { method: 'PATCH', path: '/pulls/{number}', needs: [{ pull_requests: 'write' }], handle: update },
];

async function list(context: Context): Promise<Answer> {
  const { repository, query } = context;
  const [headOwner = '', head] = (query.get('head') ?? '').split(':');
  const state = query.get('state') ?? 'open';
  const rows = pullsOf(repository).filter(
    issue =>
      (state === 'all' || issue.state === state) &&
      (query.get('base') === null || issue.pull.baseRef === query.get('base')) &&
      // Without an owner GitHub ignores the filter.
      (head === undefined ||
        (headOwner.toLowerCase() === issue.pull.headOwner.login.toLowerCase() &&
          issue.pull.headRef === head)),
  );
  rows.sort((one, two) =>
    query.get('direction') === 'asc' ? one.number - two.number : two.number - one.number,
  );
  const answer = page(context, '/pulls', rows);
  return { ...answer, body: await Promise.all(answer.body.map(issue => bodyOf(context, issue))) };
}

async function create(context: Context): Promise<Answer> {
  const { repository, token, body, state } = context;
  const { settings, owner, defaultBranch } = repository;
  const [title, head, baseRef] = ['title', 'head', 'base'].map(name => textField(body, name) ?? '') as [
    string,
    string,
    string,
  ];
  const text = textField(body, 'body', 'optional') ?? null;
  checkTexts(title, text);
  if (token?.isApp && !settings.allowActionsToCreatePullRequests) {
    throw new Refusal(403, 'GitHub Actions is not permitted to create or approve pull requests.');
  }
  const headRef = head.replace(`${owner.login}:`, '');
  const headSha = await branchSha(repository, headRef, 'head');
  const baseSha = await branchSha(repository, baseRef, 'base');
  if (
    pullsOf(repository).some(
      ({ pull, state: open }) =>
        open === 'open' && pull.head === repository && pull.headRef === headRef && pull.baseRef === baseRef,
    )
  ) {
    throw custom(`A pull request already exists for ${owner.login}:${headRef}.`);
  }
  if (!(await areRelated(repository.folder, baseSha, headSha))) {
    throw custom(`The ${headRef} branch has no history in common with ${baseRef}`);
  }
  const { commits } = await compare(repository.folder, baseSha, headSha);
  if (commits === 0) throw custom(`No commits between ${baseRef} and ${headRef}`);
  const draft = body.draft === true;
  if (draft && !settings.draftsSupported) {
    throw new Refusal(422, 'Draft pull requests are not supported in this repository.');
  }
  const issue = await openPull(state, repository, {
    title,
    ...(text !== null && { body: text }),
    author: callerOf(context).login,
    base: baseRef || defaultBranch,
    draft,
    head: repository,
    headRef,
  });
  return { status: 201, body: await bodyOf(context, issue) };
}

async function update(context: Context): Promise<Answer> {
  const issue = pullOf(context);
  const title = textField(context.body, 'title', 'optional');
  const body = textField(context.body, 'body', 'optional');
  const state = textField(context.body, 'state', 'optional');
  checkTexts(title ?? issue.title, body ?? issue.body);
  if (state !== undefined && state !== 'open' && state !== 'closed') {
    throw invalid({ resource: 'PullRequest', code: 'invalid', field: 'state' });
  }
  issue.title = title ?? issue.title;
  issue.body = body ?? issue.body;
  issue.state = state ?? issue.state;
  issue.closedAt = issue.state === 'closed' ? (issue.closedAt ?? timestamp()) : null;
  issue.updatedAt = timestamp();
  return { status: 200, body: await bodyOf(context, issue) };
}

function checkTexts(title: string, body: string | null): void {
  const error = { resource: 'PullRequest', code: 'custom' };
  if (title.trim() === '') throw invalid({ resource: 'PullRequest', code: 'missing_field', field: 'title' });
  if (title.length > 256)
    throw invalid({ ...error, field: 'title', message: 'title is too long (maximum is 256 characters)' });
  if ((body ?? '').length > 65_536) {
    throw invalid({ ...error, field: 'body', message: 'body is too long (maximum is 65536 characters)' });
  }
}

async function branchSha(repository: Repository, branch: string, field: string): Promise<string> {
  const sha = await readRef(repository.folder, `refs/heads/${branch}`);
  if (!sha) throw invalid({ resource: 'PullRequest', field, code: 'invalid' });
  return sha;
}

const custom = (message: string) => invalid({ resource: 'PullRequest', code: 'custom', message });

function pullOf(context: Context): PullRequestIssue {
  const issue = issueOf(context);
  if (!isPull(issue)) throw notFound();
  return issue;
}

async function bodyOf({ repository, urls }: Context, issue: PullRequestIssue) {
  return pullBody(repository, issue, await comparisonOf(repository, issue), urls);
}
