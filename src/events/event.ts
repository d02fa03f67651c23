import type { z } from 'zod';
import { UserError } from '../errors.ts';
import { COMMANDS, isCommandName, type ParsedCommand, parseCommand } from './command.ts';
import {
  commentGlance,
  type IssueCommentPayload,
  issueCommentPayload,
  type RepositoryPayload,
  type UserPayload,
  workflowDispatchPayload,
} from './payloads.ts';
import { isBotLogin } from './permission.ts';
import {
  type CommentSource,
  type DispatchSource,
  type EventRepository,
  OWN_MARK,
  type Sender,
  type Trigger,
} from './trigger.ts';

/**
 * Turns the payload of a workflow's event into what is asked of us. Throws a `UserError` that names the field when the payload is malformed;
 * of a comment that is no command nothing but `action` and `comment.body` is looked at.
 */
export function parseEvent(eventName: string, payload: unknown, trigger = '/agent'): Trigger {
  if (eventName === 'issue_comment') return parseComment(payload, trigger);
  if (eventName === 'workflow_dispatch') return parseDispatch(payload);
  return ignored(`the event "${eventName}" starts nothing`);
}

function parseComment(payload: unknown, trigger: string): Trigger {
  const { action, comment } = read(commentGlance, payload, 'issue_comment');
  if (action !== 'created') return ignored(`the comment was ${action}, not created`);
  const parsed = parseCommand(comment.body, trigger);
  if (parsed.kind === 'not-a-command') return ignored(`the comment does not start with ${trigger}`);
  if (comment.body.includes(OWN_MARK)) return ignored('the comment is one of our own');

  const event = read(issueCommentPayload, payload, 'issue_comment');
  const bot = [event.sender, event.comment.user].find(user => user && isBot(user));
  if (bot) return ignored(`${bot.login} is a bot`);
  return fromComment(parsed, event);
}

function fromComment(
  parsed: Exclude<ParsedCommand, { kind: 'not-a-command' }>,
  event: IssueCommentPayload,
): Trigger {
  const source = sourceOf(event);
  const origin = { source, ...originOf(event) };
  if (parsed.kind === 'unknown-command')
    return { kind: 'question', about: 'unknown-command', word: parsed.word, ...origin };
  const { name, words } = parsed;
  if (name === 'help') return { kind: 'question', about: 'help', word: name, ...origin };
  if (!parsed.available) return { kind: 'question', about: 'not-available', word: name, ...origin };
  if (source.issue.isPullRequest) return { kind: 'question', about: 'pull-request', word: name, ...origin };
  return { kind: 'command', command: name, words, ...origin };
}

function parseDispatch(payload: unknown): Trigger {
  const event = read(workflowDispatchPayload, payload, 'workflow_dispatch');
  const input = (name: string) => {
    const value = event.inputs?.[name];
    return typeof value === 'string' ? value.trim() : '';
  };
  const command = (input('command') || 'implement').toLowerCase();
  if (!isCommandName(command) || !COMMANDS[command].available) {
    throw new UserError(
      `The input "command" of this workflow_dispatch is "${command}", which can not be run.`,
      `Use one of: ${availableCommands().join(', ')}.`,
    );
  }
  if (!input('task')) {
    throw new UserError(
      'The input "task" of this workflow_dispatch is empty, so there is nothing to do.',
      'Start the workflow again and say in "task" what shall be built.',
    );
  }
  const source: DispatchSource = {
    kind: 'dispatch',
    task: input('task'),
    base: input('base') || undefined,
    pullRequest: undefined,
  };
  return { kind: 'command', command, words: '', source, ...originOf(event) };
}

function read<T>(schema: z.ZodType<T>, payload: unknown, eventName: string): T {
  const result = schema.safeParse(payload);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const field = issue?.path.join('.') || 'the payload itself';
  throw new UserError(
    `The payload of the event "${eventName}" is not as GitHub sends it: ${field}: ${issue?.message}.`,
    'Start the action from a workflow that runs on issue_comment (types: created) or workflow_dispatch.',
    { cause: result.error },
  );
}

const sourceOf = ({ issue, comment }: IssueCommentPayload): CommentSource => ({
  kind: 'issue-comment',
  issue: {
    number: issue.number,
    title: issue.title,
    body: issue.body ?? '',
    author: issue.user?.login ?? 'ghost',
    createdAt: issue.created_at,
    url: issue.html_url,
    state: issue.state,
    locked: issue.locked,
    isPullRequest: issue.pull_request !== undefined,
  },
  commentId: comment.id,
  commentCreatedAt: comment.created_at,
});

const originOf = (event: {
  sender: UserPayload;
  repository: RepositoryPayload;
}): { readonly sender: Sender; readonly repository: EventRepository } => ({
  sender: { login: event.sender.login, id: event.sender.id },
  repository: {
    owner: event.repository.owner.login,
    name: event.repository.name,
    defaultBranch: event.repository.default_branch,
    private: event.repository.private,
  },
});

const isBot = (user: UserPayload) => user.type === 'Bot' || isBotLogin(user.login);
const ignored = (reason: string): Trigger => ({ kind: 'ignored', reason });
const availableCommands = () =>
  Object.entries(COMMANDS).flatMap(([name, { available }]) => (available ? [name] : []));
