import { parseCommand } from './command.ts';
import { parseComment } from './comment-event.ts';
import { parseDispatch } from './dispatch-event.ts';
import { parseLabel } from './label-event.ts';
import { unheardPayload } from './payloads.ts';
import { ignored } from './read-payload.ts';
import type { Trigger } from './trigger.ts';
import { parseWorkflowRun } from './workflow-run-event.ts';

/**
 * Turns the payload of a workflow's event into what is asked of us. Throws a `UserError` that names the field when the payload is malformed;
 * of a comment that is no command nothing but `action` and `comment.body` is looked at.
 */
export function parseEvent(eventName: string, payload: unknown, trigger = '/agent'): Trigger {
  switch (eventName) {
    case 'issue_comment':
      return parseComment(payload, trigger);
    case 'issues':
    case 'pull_request':
      return parseLabel(eventName, payload);
    case 'workflow_run':
      return parseWorkflowRun(payload, trigger);
    case 'workflow_dispatch':
      return parseDispatch(payload);
    case 'pull_request_target':
      return ignored(
        'the event "pull_request_target" starts nothing, because it mixes the repository\'s secrets with the code of strangers; use "pull_request" in the workflow instead',
      );
    default:
      return unheard(eventName, payload, trigger);
  }
}

/** A person who gives a command where we do not listen is told where we do, if only in the log. */
function unheard(eventName: string, payload: unknown, trigger: string): Trigger {
  const { data } = unheardPayload.safeParse(payload);
  const text = data?.comment?.body ?? data?.review?.body ?? '';
  return parseCommand(text, trigger).kind === 'not-a-command'
    ? ignored(`the event "${eventName}" starts nothing`)
    : ignored(
        `the event "${eventName}" starts nothing; give the command in a normal comment on the issue or pull request`,
      );
}
