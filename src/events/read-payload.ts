import type { z } from 'zod';
import { UserError } from '../errors.ts';
import type { IssuePayload, RepositoryPayload, UserPayload } from './payloads.ts';
import { isBotLogin } from './permission.ts';
import type { EventRepository, IssueSnapshot, Sender, Trigger } from './trigger.ts';

/** What a schema makes of a payload. Throws a `UserError` that names the event and the first field that is not as it should be. */
export function readPayload<T>(schema: z.ZodType<T>, payload: unknown, eventName: string): T {
  const result = schema.safeParse(payload);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const field = issue?.path.join('.') || 'the payload itself';
  throw new UserError(
    `The payload of the event "${eventName}" is not as GitHub sends it: ${field}: ${issue?.message}.`,
    'Start the action from a workflow that runs on issue_comment (types: created), issues or pull_request (types: labeled), workflow_run (types: completed) or workflow_dispatch.',
    { cause: result.error },
  );
}

/** Who gave the command, and in which repository. */
export const originOf = (event: {
  readonly sender: UserPayload;
  readonly repository: RepositoryPayload;
}): { readonly sender: Sender; readonly repository: EventRepository } => ({
  sender: { login: event.sender.login, id: event.sender.id },
  repository: {
    owner: event.repository.owner.login,
    name: event.repository.name,
    defaultBranch: event.repository.default_branch,
    private: event.repository.private,
  },
});

/** An issue or a pull request as the payload has it. */
export const snapshotOf = (issue: IssuePayload, isPullRequest: boolean): IssueSnapshot => ({
  number: issue.number,
  title: issue.title,
  body: issue.body ?? '',
  author: issue.user?.login ?? 'ghost',
  createdAt: issue.created_at,
  url: issue.html_url,
  state: issue.state,
  locked: issue.locked,
  isPullRequest,
});

export const isBot = (user: UserPayload): boolean => user.type === 'Bot' || isBotLogin(user.login);

export const ignored = (reason: string): Trigger => ({ kind: 'ignored', reason });
