import { type CommandName, isGivenIn } from './command.ts';
import { labelGlance, labelledIssuePayload, labelledPullRequestPayload } from './payloads.ts';
import { ignored, isBot, originOf, readPayload, snapshotOf } from './read-payload.ts';
import type { Trigger } from './trigger.ts';

/** What a label asks for. GitHub takes names of labels that differ in case for the same. */
const LABELS: ReadonlyMap<string, CommandName> = new Map([
  ['agent:implement', 'implement'],
  ['agent:fix', 'fix'],
]);

/**
 * A label put on an issue or a pull request; whoever put it there is the sender. That a pull request comes from a fork, where GitHub
 * withholds the secrets, is for the caller to see.
 */
export function parseLabel(eventName: 'issues' | 'pull_request', payload: unknown): Trigger {
  const thing = eventName === 'issues' ? 'issue' : 'pull request';
  const { action, label } = readPayload(labelGlance, payload, eventName);
  if (action !== 'labeled') return ignored(`the ${thing} was ${action.replaceAll('_', ' ')}, not labeled`);
  const command = LABELS.get(label?.name.toLowerCase() ?? '');
  if (!label || !command)
    return ignored(`the label "${label?.name ?? ''}" is none of ${[...LABELS.keys()].join(', ')}`);
  if (!isGivenIn(command, eventName === 'issues' ? 'issue' : 'pull-request'))
    return ignored(`the label "${label.name}" works on issues, not on pull requests`);

  const { labelled, ...event } = readLabelled(eventName, payload);
  if (isBot(event.sender)) return ignored(`${event.sender.login} is a bot`);
  const issue = snapshotOf(labelled, eventName === 'pull_request');
  const source = { kind: 'label', issue, label: label.name, labelledAt: labelled.updated_at } as const;
  return { kind: 'command', command, words: '', source, ...originOf(event) };
}

function readLabelled(eventName: 'issues' | 'pull_request', payload: unknown) {
  if (eventName === 'issues') {
    const { issue, ...event } = readPayload(labelledIssuePayload, payload, eventName);
    return { labelled: issue, ...event };
  }
  const { pull_request, ...event } = readPayload(labelledPullRequestPayload, payload, eventName);
  return { labelled: pull_request, ...event };
}
