import { isGivenIn, type ParsedCommand, parseCommand } from './command.ts';
import { commentGlance, type IssueCommentPayload, issueCommentPayload } from './payloads.ts';
import { ignored, isBot, originOf, readPayload, snapshotOf } from './read-payload.ts';
import { type CommentSource, OWN_MARK, type Trigger } from './trigger.ts';

/** A comment on an issue or a pull request. What is no command costs a glance. */
export function parseComment(payload: unknown, trigger: string): Trigger {
  const { action, comment } = readPayload(commentGlance, payload, 'issue_comment');
  if (action !== 'created') return ignored(`the comment was ${action}, not created`);
  const parsed = parseCommand(comment.body, trigger);
  if (parsed.kind === 'not-a-command') return ignored(`the comment does not start with ${trigger}`);
  if (comment.body.includes(OWN_MARK)) return ignored('the comment is one of our own');

  const event = readPayload(issueCommentPayload, payload, 'issue_comment');
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
  const place = source.issue.isPullRequest ? 'pull-request' : 'issue';
  if (!isGivenIn(name, place)) return { kind: 'question', about: 'pull-request', word: name, ...origin };
  return { kind: 'command', command: name, words, ...origin };
}

const sourceOf = ({ issue, comment }: IssueCommentPayload): CommentSource => ({
  kind: 'issue-comment',
  issue: snapshotOf(issue, issue.pull_request !== undefined),
  commentId: comment.id,
  commentCreatedAt: comment.created_at,
});
