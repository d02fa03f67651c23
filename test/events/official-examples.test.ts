import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { UserError } from '../../src/errors.ts';
import { parseEvent } from '../../src/events/event.ts';

/**
 * Every example payload that GitHub publishes for the events that can start a run, and for some that can not: the decision expected. An
 * example's name is its event, its action and its number among those.
 */
const DECISIONS: readonly (readonly [example: string, decision: string])[] = [
  ['issue_comment created 1', 'the comment does not start with /agent'],
  ['issue_comment created 2', 'the comment does not start with /agent'],
  ['issue_comment created 3', 'the comment does not start with /agent'],
  ['issue_comment created 4', 'the comment does not start with /agent'],
  ['issue_comment created 5', 'the comment does not start with /agent'],
  ['issue_comment deleted 1', 'the comment was deleted, not created'],
  ['issue_comment deleted 2', 'the comment was deleted, not created'],
  ['issue_comment edited 1', 'the comment was edited, not created'],
  ['issue_comment edited 2', 'the comment was edited, not created'],
  ['issues edited 1', 'the issue was edited, not labeled'],
  ['issues assigned 1', 'the issue was assigned, not labeled'],
  ['issues assigned 2', 'the issue was assigned, not labeled'],
  ['issues assigned 3', 'the issue was assigned, not labeled'],
  ['issues deleted 1', 'the issue was deleted, not labeled'],
  ['issues demilestoned 1', 'the issue was demilestoned, not labeled'],
  ['issues demilestoned 2', 'the issue was demilestoned, not labeled'],
  ['issues edited 2', 'the issue was edited, not labeled'],
  ['issues edited 3', 'the issue was edited, not labeled'],
  ['issues labeled 1', 'the label "bug" is none of agent:implement, agent:fix'],
  ['issues labeled 2', 'the label "bug" is none of agent:implement, agent:fix'],
  ['issues locked 1', 'the issue was locked, not labeled'],
  ['issues locked 2', 'the issue was locked, not labeled'],
  ['issues milestoned 1', 'the issue was milestoned, not labeled'],
  ['issues milestoned 2', 'the issue was milestoned, not labeled'],
  ['issues opened 1', 'the issue was opened, not labeled'],
  ['issues opened 2', 'the issue was opened, not labeled'],
  ['issues opened 3', 'the issue was opened, not labeled'],
  ['issues opened 4', 'the issue was opened, not labeled'],
  ['issues pinned 1', 'the issue was pinned, not labeled'],
  ['issues reopened 1', 'the issue was reopened, not labeled'],
  ['issues transferred 1', 'the issue was transferred, not labeled'],
  ['issues unassigned 1', 'the issue was unassigned, not labeled'],
  ['issues unassigned 2', 'the issue was unassigned, not labeled'],
  ['issues unlabeled 1', 'the issue was unlabeled, not labeled'],
  ['issues unlabeled 2', 'the issue was unlabeled, not labeled'],
  ['issues unlocked 1', 'the issue was unlocked, not labeled'],
  ['issues unlocked 2', 'the issue was unlocked, not labeled'],
  ['issues unpinned 1', 'the issue was unpinned, not labeled'],
  ['pull_request opened 1', 'the pull request was opened, not labeled'],
  ['pull_request assigned 1', 'the pull request was assigned, not labeled'],
  ['pull_request assigned 2', 'the pull request was assigned, not labeled'],
  ['pull_request closed 1', 'the pull request was closed, not labeled'],
  ['pull_request closed 2', 'the pull request was closed, not labeled'],
  ['pull_request converted_to_draft 1', 'the pull request was converted to draft, not labeled'],
  ['pull_request converted_to_draft 2', 'the pull request was converted to draft, not labeled'],
  ['pull_request converted_to_draft 3', 'the pull request was converted to draft, not labeled'],
  ['pull_request labeled 1', 'the label "bug" is none of agent:implement, agent:fix'],
  ['pull_request labeled 2', 'the label "bug" is none of agent:implement, agent:fix'],
  ['pull_request locked 1', 'the pull request was locked, not labeled'],
  ['pull_request locked 2', 'the pull request was locked, not labeled'],
  ['pull_request opened 2', 'the pull request was opened, not labeled'],
  ['pull_request opened 3', 'the pull request was opened, not labeled'],
  ['pull_request opened 4', 'the pull request was opened, not labeled'],
  ['pull_request ready_for_review 1', 'the pull request was ready for review, not labeled'],
  ['pull_request ready_for_review 2', 'the pull request was ready for review, not labeled'],
  ['pull_request ready_for_review 3', 'the pull request was ready for review, not labeled'],
  ['pull_request reopened 1', 'the pull request was reopened, not labeled'],
  ['pull_request reopened 2', 'the pull request was reopened, not labeled'],
  ['pull_request review_request_removed 1', 'the pull request was review request removed, not labeled'],
  ['pull_request review_requested 1', 'the pull request was review requested, not labeled'],
  ['pull_request synchronize 1', 'the pull request was synchronize, not labeled'],
  ['pull_request unassigned 1', 'the pull request was unassigned, not labeled'],
  ['pull_request unassigned 2', 'the pull request was unassigned, not labeled'],
  ['pull_request unlabeled 1', 'the pull request was unlabeled, not labeled'],
  ['pull_request unlabeled 2', 'the pull request was unlabeled, not labeled'],
  ['pull_request unlocked 1', 'the pull request was unlocked, not labeled'],
  ['pull_request unlocked 2', 'the pull request was unlocked, not labeled'],
  ['workflow_run completed 1', 'the workflow run has no conclusion'],
  ['workflow_run completed 2', 'the workflow run succeeded'],
  ['workflow_run completed 3', 'the workflow run succeeded'],
  ['workflow_run requested 1', 'the workflow run was requested, and has not ended yet'],
  ['workflow_run requested 2', 'the workflow run was requested, and has not ended yet'],
  [
    'workflow_dispatch 1',
    'a mistake: The input "task" of this workflow_dispatch is empty, so there is nothing to do.',
  ],
  [
    'workflow_dispatch 2',
    'a mistake: The input "task" of this workflow_dispatch is empty, so there is nothing to do.',
  ],
  ['pull_request_review_comment created 1', 'the event "pull_request_review_comment" starts nothing'],
  ['pull_request_review_comment created 2', 'the event "pull_request_review_comment" starts nothing'],
  ['pull_request_review_comment created 3', 'the event "pull_request_review_comment" starts nothing'],
  ['pull_request_review_comment deleted 1', 'the event "pull_request_review_comment" starts nothing'],
  ['pull_request_review_comment edited 1', 'the event "pull_request_review_comment" starts nothing'],
  ['pull_request_review submitted 1', 'the event "pull_request_review" starts nothing'],
  ['pull_request_review dismissed 1', 'the event "pull_request_review" starts nothing'],
  ['pull_request_review submitted 2', 'the event "pull_request_review" starts nothing'],
  ['pull_request_review submitted 3', 'the event "pull_request_review" starts nothing'],
  ['commit_comment created 1', 'the event "commit_comment" starts nothing'],
  ['commit_comment created 2', 'the event "commit_comment" starts nothing'],
  ['commit_comment created 3', 'the event "commit_comment" starts nothing'],
  ['commit_comment created 4', 'the event "commit_comment" starts nothing'],
  ['commit_comment created 5', 'the event "commit_comment" starts nothing'],
  ['discussion_comment created 1', 'the event "discussion_comment" starts nothing'],
  ['discussion_comment created 2', 'the event "discussion_comment" starts nothing'],
  ['discussion_comment deleted 1', 'the event "discussion_comment" starts nothing'],
  ['discussion_comment edited 1', 'the event "discussion_comment" starts nothing'],
  ['push 1', 'the event "push" starts nothing'],
  ['push 2', 'the event "push" starts nothing'],
  ['push 3', 'the event "push" starts nothing'],
  ['push 4', 'the event "push" starts nothing'],
  ['push 5', 'the event "push" starts nothing'],
  ['push 6', 'the event "push" starts nothing'],
  ['push 7', 'the event "push" starts nothing'],
  ['repository_dispatch on-demand-test 1', 'the event "repository_dispatch" starts nothing'],
  ['repository_dispatch on-demand-test 2', 'the event "repository_dispatch" starts nothing'],
];

interface Definition {
  readonly name: string;
  // biome-ignore lint/suspicious/noExplicitAny: payloads of every event, and they are changed in ways that no type knows
  readonly examples: readonly any[];
}

const definitions = (server: string): readonly Definition[] =>
  JSON.parse(
    readFileSync(
      new URL(`../../node_modules/@octokit/webhooks-examples/${server}/index.json`, import.meta.url),
      'utf8',
    ),
  );

const examplesOf = (server: string) => {
  const events = new Set(DECISIONS.map(([name]) => name.split(' ')[0]));
  return definitions(server).flatMap(({ name: event, examples }) => {
    const counts = new Map<string, number>();
    return examples.flatMap(payload => {
      const kind = [event, payload.action].filter(Boolean).join(' ');
      const number = (counts.get(kind) ?? 0) + 1;
      counts.set(kind, number);
      return events.has(event) ? [{ name: `${kind} ${number}`, kind, event, payload }] : [];
    });
  });
};

const decisionOn = (event: string, payload: unknown): string => {
  try {
    const trigger = parseEvent(event, payload);
    return trigger.kind === 'ignored' ? trigger.reason : `${trigger.kind}: ${JSON.stringify(trigger)}`;
  } catch (error) {
    if (error instanceof UserError) return `a mistake: ${error.message}`;
    throw error;
  }
};

const EXAMPLES = examplesOf('api.github.com');
const named = new Map(EXAMPLES.map(example => [example.name, example]));

it('the table has every example', () => {
  expect(DECISIONS.map(([name]) => name).toSorted()).toEqual([...named.keys()].toSorted());
});

it.each(DECISIONS)('%s: %s', (name, decision) => {
  const { event, payload } = named.get(name)!;
  expect(decisionOn(event, payload)).toBe(decision);
});

it.each(['ghes-31', 'ghes-32', 'ghes-33', 'ghes-34', 'ghes-35'])('%s is decided in the same way', server => {
  const expected = new Map(DECISIONS.map(([name, decision]) => [name.replace(/ \d+$/, ''), decision]));
  const examples = examplesOf(server);
  expect(examples.length).toBeGreaterThan(5);
  for (const { kind, event, payload } of examples.filter(({ event }) => event !== 'workflow_run'))
    expect(decisionOn(event, payload), kind).toBe(expected.get(kind));
  for (const { payload } of examples.filter(({ event }) => event === 'workflow_run'))
    expect(decisionOn('workflow_run', payload)).toMatch(/^the workflow run (?:has no conclusion|succeeded)/);
});

const examples = (kind: string) =>
  EXAMPLES.filter(example => example.kind === kind).map(
    ({ name, payload }) => [name, structuredClone(payload)] as const,
  );

describe('an official example asks for a fix as soon as', () => {
  it.each(examples('issue_comment created'))('the comment says so: %s', (_name, payload) => {
    payload.comment.body = '/agent fix the spelling';
    expect(parseEvent('issue_comment', payload)).toMatchObject({
      kind: 'command',
      command: 'fix',
      words: 'the spelling',
      sender: { login: payload.sender.login, id: payload.sender.id },
      repository: { owner: payload.repository.owner.login, name: payload.repository.name },
      source: {
        kind: 'issue-comment',
        commentId: payload.comment.id,
        commentCreatedAt: payload.comment.created_at,
        issue: { number: payload.issue.number, title: payload.issue.title, isPullRequest: false },
      },
    });
  });

  it.each(examples('issues labeled'))('the label says so: %s', (_name, payload) => {
    payload.label.name = 'agent:fix';
    expect(parseEvent('issues', payload)).toMatchObject({
      kind: 'command',
      command: 'fix',
      source: {
        kind: 'label',
        label: 'agent:fix',
        labelledAt: payload.issue.updated_at,
        issue: { number: payload.issue.number, title: payload.issue.title, isPullRequest: false },
      },
    });
  });

  it.each(examples('pull_request labeled'))('the label says so: %s', (_name, payload) => {
    payload.label.name = 'agent:fix';
    expect(parseEvent('pull_request', payload)).toMatchObject({
      kind: 'command',
      command: 'fix',
      source: {
        kind: 'label',
        labelledAt: payload.pull_request.updated_at,
        issue: {
          number: payload.pull_request.number,
          url: payload.pull_request.html_url,
          isPullRequest: true,
        },
      },
    });
  });

  it.each(examples('workflow_dispatch'))('the input says so: %s', (_name, payload) => {
    payload.inputs = { command: 'fix' };
    expect(parseEvent('workflow_dispatch', payload)).toMatchObject({
      kind: 'command',
      command: 'fix',
      source: { kind: 'dispatch', task: '', base: undefined, pullRequest: undefined },
    });
  });
});
