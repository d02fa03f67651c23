import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseEvent } from '../../src/events/event.ts';

// biome-ignore lint/suspicious/noExplicitAny: payloads are changed in ways that no type knows
const labelled = (event: 'issues' | 'pull_request', label: string): any => {
  const path = '../../node_modules/@octokit/webhooks-examples/api.github.com/index.json';
  const definitions: { name: string; examples: { action: string }[] }[] = JSON.parse(
    readFileSync(new URL(path, import.meta.url), 'utf8'),
  );
  const example = definitions.find(({ name }) => name === event)?.examples.find(e => e.action === 'labeled');
  return { ...structuredClone(example), label: { name: label } };
};

describe('the label', () => {
  it.each([
    ['agent:implement', 'implement'],
    ['agent:fix', 'fix'],
    ['Agent:Fix', 'fix'],
  ])('%s on an issue gives the command %s of whoever put it there', (label, command) => {
    expect(parseEvent('issues', labelled('issues', label))).toEqual({
      kind: 'command',
      command,
      words: '',
      sender: { login: 'Codertocat', id: 21_031_067 },
      repository: { owner: 'Codertocat', name: 'Hello-World', defaultBranch: 'master', private: false },
      source: {
        kind: 'label',
        label,
        labelledAt: '2019-05-15T15:20:18Z',
        issue: {
          number: 1,
          title: 'Spelling error in the README file',
          body: expect.stringContaining('commit'),
          author: 'Codertocat',
          createdAt: '2019-05-15T15:20:18Z',
          url: 'https://github.com/Codertocat/Hello-World/issues/1',
          state: 'open',
          locked: false,
          isPullRequest: false,
        },
      },
    });
  });

  it('agent:fix on a pull request gives the command, also on one of a fork and on a closed one', () => {
    const payload = labelled('pull_request', 'agent:fix');
    payload.pull_request.head.repo = null;
    payload.pull_request.state = 'closed';
    payload.pull_request.body = null;
    expect(parseEvent('pull_request', payload)).toMatchObject({
      kind: 'command',
      command: 'fix',
      source: { kind: 'label', issue: { number: 2, state: 'closed', body: '', isPullRequest: true } },
    });
  });

  it.each([
    ['agent:implement', 'the label "agent:implement" works on issues, not on pull requests'],
    ['bug', 'the label "bug" is none of agent:implement, agent:fix'],
    ['agent:check', 'the label "agent:check" is none of agent:implement, agent:fix'],
    ['agent:fix ', 'the label "agent:fix " is none of agent:implement, agent:fix'],
    ['constructor', 'the label "constructor" is none of agent:implement, agent:fix'],
  ])('%j on a pull request is ignored', (label, reason) => {
    expect(parseEvent('pull_request', labelled('pull_request', label))).toEqual({ kind: 'ignored', reason });
  });

  it.each([
    { login: 'triage[bot]', id: 5, type: 'User' },
    { login: 'triage', id: 5, type: 'Bot' },
  ])('is ignored when a bot put it there: %j', sender => {
    const payload = { ...labelled('issues', 'agent:fix'), sender };
    expect(parseEvent('issues', payload)).toEqual({ kind: 'ignored', reason: `${sender.login} is a bot` });
  });

  it('is the sender’s, whoever wrote the issue', () => {
    const payload = labelled('issues', 'agent:fix');
    payload.issue.user = { login: 'dependabot[bot]', id: 6, type: 'Bot' };
    expect(parseEvent('issues', payload)).toMatchObject({
      kind: 'command',
      sender: { login: 'Codertocat' },
      source: { issue: { author: 'dependabot[bot]' } },
    });
  });
});

it.each(['opened', 'unlabeled', 'closed', 'assigned'])(
  'an issue that was %s starts nothing, whatever its label',
  action => {
    expect(parseEvent('issues', { ...labelled('issues', 'agent:fix'), action })).toEqual({
      kind: 'ignored',
      reason: `the issue was ${action}, not labeled`,
    });
  },
);

it('another label and another action are decided by themselves, whatever else is in the payload', () => {
  expect(parseEvent('issues', { action: 'opened' })).toMatchObject({ kind: 'ignored' });
  expect(parseEvent('issues', { action: 'labeled', label: { name: 'bug' } })).toMatchObject({
    kind: 'ignored',
  });
  expect(parseEvent('pull_request', { action: 'labeled' })).toMatchObject({ kind: 'ignored' });
});

it.each([
  ['issues', 'issue.updated_at', { issue: { updated_at: 7 } }],
  ['issues', 'sender', { sender: undefined }],
  ['pull_request', 'pull_request', { pull_request: 'none' }],
] as const)('a malformed payload of %s is a mistake that names %s', (event, field, change) => {
  const payload = labelled(event, 'agent:fix');
  const issue = { ...payload.issue, ...('issue' in change ? change.issue : {}) };
  expect(() => parseEvent(event, { ...payload, ...change, ...('issue' in change && { issue }) })).toThrow(
    field,
  );
});

it('pull_request_target is refused, with what to use instead', () => {
  const decision = parseEvent('pull_request_target', labelled('pull_request', 'agent:fix'));
  expect(decision).toMatchObject({ kind: 'ignored', reason: expect.stringContaining('use "pull_request"') });
});
