/** Issues and their comments. Of a pull request the conversation is an issue too, but the permission is another. */
import { commentBody, issueBody } from '../bodies.ts';
import { addIssue } from '../issues.ts';
import {
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
import {
  type Comment,
  isWriter,
  type Level,
  nextId,
  type Repository,
  type State,
  timestamp,
  type User,
} from '../state.ts';
import type { Needs } from '../tokens.ts';

export const issueRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/issues/{number}',
    needs: [{ issues: 'read' }],
    handle: context => ({ status: 200, body: issueBody(context.repository, issueOf(context), context.urls) }),
  },
  {
    method: 'POST',
    path: '/issues',
    needs: [{ issues: 'write' }],
    handle: context => {
      const { state, repository, urls, body } = context;
      const title = textField(body, 'title') ?? '';
      const text = textField(body, 'body', 'optional');
      const author = callerOf(context).login;
      const issue = addIssue(state, repository, { title, author, ...(text !== undefined && { body: text }) });
      return { status: 201, body: issueBody(repository, issue, urls) };
    },
  },
  {
    method: 'GET',
    path: '/issues/{number}/comments',
    needs: context => conversation(context, 'read'),
    handle: context => {
      const { number } = issueOf(context);
      const comments = [...context.repository.comments.values()].filter(({ issue }) => issue === number);
      const answer = page(context, `/issues/${number}/comments`, comments);
      return {
        ...answer,
        body: answer.body.map(comment => commentBody(context.repository, comment, context.urls)),
      };
    },
  },
  {
    method: 'POST',
    path: '/issues/{number}/comments',
    needs: context => conversation(context, 'write'),
    handle: context => {
      const { state, repository, urls } = context;
      const issue = issueOf(context);
      if (issue.locked && !isWriter(repository, callerOf(context)))
        throw new Refusal(403, 'Unable to create comment because issue is locked.');
      const comment = addComment(state, repository, issue.number, callerOf(context), validBody(context));
      const body = commentBody(repository, comment, urls);
      return { status: 201, body, headers: { location: body.url } };
    },
  },
  {
    method: 'GET',
    path: '/issues/comments/{id}',
    needs: context => conversation(context, 'read'),
    handle: context => ({
      status: 200,
      body: commentBody(context.repository, commentOf(context), context.urls),
    }),
  },
  {
    method: 'PATCH',
    path: '/issues/comments/{id}',
    needs: context => conversation(context, 'write'),
    handle: context => {
      const comment = commentOf(context);
      comment.body = validBody(context);
      comment.history.push(comment.body);
      comment.updatedAt = timestamp();
      return { status: 200, body: commentBody(context.repository, comment, context.urls) };
    },
  },
  {
    method: 'DELETE',
    path: '/issues/comments/{id}',
    needs: context => conversation(context, 'write'),
    handle: context => {
      context.repository.comments.delete(commentOf(context).id);
      return { status: 204 };
    },
  },
];

export function addComment(
  state: State,
  repository: Repository,
  issue: number,
  user: User,
  body: string,
  createdAt = timestamp(),
): Comment {
  const common = { minimized: false, reactions: [], history: [body] };
  const comment: Comment = {
    id: nextId(state),
    issue,
    user,
    body,
    createdAt,
    updatedAt: createdAt,
    ...common,
  };
  repository.comments.set(comment.id, comment);
  return comment;
}

export function commentOf({ repository, params }: Context): Comment {
  const comment = repository.comments.get(Number(params.id));
  if (!comment) throw notFound();
  return comment;
}

/** On a pull request it is `pull-requests` that counts, though the path says issues. */
export function conversation(context: Context, level: Level): Needs {
  const { repository, params } = context;
  const number =
    params.id === undefined ? Number(params.number) : repository.comments.get(Number(params.id))?.issue;
  const issue = repository.issues.get(number ?? 0);
  return issue?.pull ? [{ pull_requests: level }] : [{ issues: level }];
}

function validBody({ body }: Context): string {
  const text = textField(body, 'body') ?? '';
  const error = { resource: 'IssueComment', code: 'unprocessable', field: 'data' };
  if (text.trim() === '') throw invalid({ ...error, message: 'Body cannot be blank' });
  if (text.length > 65_536) {
    throw invalid({
      ...error,
      field: 'body',
      code: 'custom',
      message: 'body is too long (maximum is 65536 characters)',
    });
  }
  return text;
}
