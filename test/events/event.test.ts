import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { UserError } from '../../src/errors.ts';
import { parseEvent } from '../../src/events/event.ts';

// biome-ignore lint/suspicious/noExplicitAny: payloads are changed in ways that no type knows
const fixture = (name: string): any =>
  JSON.parse(readFileSync(new URL(`../fixtures/events/${name}.json`, import.meta.url), 'utf8'));
const created = () => fixture('issue-comment-created');
const withComment = (body: string) => {
  const payload = created();
  payload.comment.body = body;
  return payload;
};

const HELLO = { owner: 'octo-org', name: 'hello', defaultBranch: 'main', private: false };

describe('a comment on an issue', () => {
  it('becomes a command with the issue as the payload has it', () => {
    expect(parseEvent('issue_comment', created())).toEqual({
      kind: 'command',
      command: 'implement',
      words: 'keep the table as the default\nand no new dependency',
      sender: { login: 'mona', id: 91_000_001 },
      repository: HELLO,
      source: {
        kind: 'issue-comment',
        commentId: 3_100_000_001,
        commentCreatedAt: '2026-11-20T10:00:00Z',
        issue: {
          number: 7,
          title: 'Add a --json flag',
          body: 'The list command should print JSON.\r\n\r\n<!-- template: feature -->\r\n',
          author: 'hubot-fan',
          createdAt: '2026-11-19T08:00:00Z',
          url: 'https://github.com/octo-org/hello/issues/7',
          state: 'open',
          locked: false,
          isPullRequest: false,
        },
      },
    });
  });

  it('notes that the issue is closed and locked, and has neither body nor author', () => {
    const payload = created();
    Object.assign(payload.issue, { state: 'closed', locked: true, body: null, user: null });
    expect(parseEvent('issue_comment', payload)).toMatchObject({
      kind: 'command',
      source: { issue: { state: 'closed', locked: true, body: '', author: 'ghost' } },
    });
  });

  it.each([
    ['/agent', 'unknown-command', ''],
    ['/agent dance', 'unknown-command', 'dance'],
    ['/agent refactor the cart', 'not-available', 'refactor'],
    ['/agent continue', 'not-available', 'continue'],
    ['/agent help', 'help', 'help'],
    ['/agent help me', 'help', 'help'],
  ])('%j becomes a question', (body, about, word) => {
    expect(parseEvent('issue_comment', withComment(body))).toMatchObject({ kind: 'question', about, word });
  });
});

describe('on issues and pull requests alike', () => {
  it.each([
    ['/agent fix', 'fix', ''],
    ['/agent fix: the total is wrong\nfor two of a kind', 'fix', 'the total is wrong\nfor two of a kind'],
    ['/agent check', 'check', ''],
    ['/agent cancel', 'cancel', ''],
  ])('%j is a command', (body, command, words) => {
    for (const name of ['issue-comment-created', 'issue-comment-created-on-pull-request']) {
      const payload = fixture(name);
      payload.comment.body = body;
      expect(parseEvent('issue_comment', payload)).toMatchObject({
        kind: 'command',
        command,
        words,
        source: { kind: 'issue-comment', issue: { isPullRequest: name.endsWith('pull-request') } },
      });
    }
  });

  it('help is a question', () => {
    const payload = fixture('issue-comment-created-on-pull-request');
    payload.comment.body = '/agent help';
    expect(parseEvent('issue_comment', payload)).toMatchObject({ kind: 'question', about: 'help' });
  });
});

describe('nothing is started by', () => {
  it.each([
    ['an edited comment', fixture('issue-comment-edited')],
    ['a deleted comment', fixture('issue-comment-deleted')],
    ['a comment without the trigger', withComment('Looks good to me.')],
    ['a quoted command', withComment('> /agent implement')],
    ['a comment with our own mark', withComment('/agent implement\n<!-- redgreen:run=1.1 -->')],
    ['a sender of the type Bot', { ...created(), sender: { login: 'some-app', id: 1, type: 'Bot' } }],
    ['a sender whose name ends in [bot]', { ...created(), sender: { login: 'x[bot]', id: 1, type: 'User' } }],
  ])('%s', (_what, payload) => {
    expect(parseEvent('issue_comment', payload)).toMatchObject({ kind: 'ignored' });
  });

  it('a command of a person on the comment of a bot', () => {
    const payload = created();
    payload.comment.user = { login: 'writer[bot]', id: 5, type: 'Bot' };
    expect(parseEvent('issue_comment', payload)).toEqual({ kind: 'ignored', reason: 'writer[bot] is a bot' });
  });

  it.each(['push', 'schedule', 'repository_dispatch', 'release', '__proto__'])('the event %s', event => {
    for (const payload of [{}, null, 'text', { comment: 7 }])
      expect(parseEvent(event, payload)).toEqual({
        kind: 'ignored',
        reason: `the event "${event}" starts nothing`,
      });
  });

  it.each([
    ['pull_request_review_comment', { action: 'created', comment: { body: '/agent fix this' } }],
    ['pull_request_review', { action: 'submitted', review: { body: '/agent fix' } }],
    ['commit_comment', { action: 'created', comment: { body: '/agent dance' } }],
  ])('a command in the event %s, and the reason says where to give it', (event, payload) => {
    expect(parseEvent(event, payload)).toEqual({
      kind: 'ignored',
      reason: `the event "${event}" starts nothing; give the command in a normal comment on the issue or pull request`,
    });
  });
});

it('a comment that is no command is decided by its action and body alone', () => {
  expect(parseEvent('issue_comment', { action: 'created', comment: { body: 'Hello' } })).toMatchObject({
    kind: 'ignored',
  });
});

it('a command on a pull request is a question, because implement belongs to issues', () => {
  expect(parseEvent('issue_comment', fixture('issue-comment-created-on-pull-request'))).toMatchObject({
    kind: 'question',
    about: 'pull-request',
    word: 'implement',
    source: { issue: { number: 8, isPullRequest: true } },
  });
});

describe('a workflow_dispatch', () => {
  const dispatch = (inputs: unknown) => ({ ...fixture('workflow-dispatch'), inputs });

  it('becomes a command with task and base', () => {
    expect(parseEvent('workflow_dispatch', fixture('workflow-dispatch'))).toEqual({
      kind: 'command',
      command: 'implement',
      words: '',
      sender: { login: 'mona', id: 91_000_001 },
      repository: HELLO,
      source: { kind: 'dispatch', task: 'Add a --json flag to list', base: 'next', pullRequest: undefined },
    });
  });

  it('means implement and the default branch when it does not say', () => {
    expect(parseEvent('workflow_dispatch', dispatch({ task: ' do it ', base: '' }))).toMatchObject({
      command: 'implement',
      source: { task: 'do it', base: undefined },
    });
  });

  it.each([
    ['fix of a pull request', { command: 'fix', 'pull-request': '12' }, 'fix', { task: '', pullRequest: 12 }],
    ['fix with a number as a number', { command: 'fix', 'pull-request': 12 }, 'fix', { pullRequest: 12 }],
    [
      'fix with a number as people write it',
      { command: 'fix', 'pull-request': ' #12 ' },
      'fix',
      { pullRequest: 12 },
    ],
    [
      'fix of a red branch',
      { command: 'fix', base: 'next' },
      'fix',
      { task: '', base: 'next', pullRequest: undefined },
    ],
    ['fix in words', { command: 'Fix', task: 'the total is wrong' }, 'fix', { task: 'the total is wrong' }],
    ['check, without a task', { command: 'check', task: '', 'pull-request': '' }, 'check', { task: '' }],
  ])('asks for %s', (_what, inputs, command, source) => {
    expect(parseEvent('workflow_dispatch', dispatch(inputs))).toMatchObject({
      kind: 'command',
      command,
      words: '',
      source: { kind: 'dispatch', ...source },
    });
  });

  it('for help is a question', () => {
    expect(parseEvent('workflow_dispatch', dispatch({ command: 'help' }))).toMatchObject({
      kind: 'question',
      about: 'help',
      word: 'help',
      source: { kind: 'dispatch', pullRequest: undefined },
    });
  });

  it('for cancel is a mistake, and the cure is on the Actions page', () => {
    const cancel = () => parseEvent('workflow_dispatch', dispatch({ command: 'cancel' }));
    expect(cancel).toThrow(UserError);
    expect(cancel).toThrow(expect.objectContaining({ cure: expect.stringContaining('Actions page') }));
  });

  it.each(['0', '-3', '1.5', 'twelve', '12; rm', '0x1', '99999999999', '١٢'])(
    'with the pull request %j is a mistake that the message names',
    number => {
      const fix = () => parseEvent('workflow_dispatch', dispatch({ command: 'fix', 'pull-request': number }));
      expect(fix).toThrow(UserError);
      expect(fix).toThrow(`"pull-request" of this workflow_dispatch is "${number}"`);
    },
  );

  it.each([
    ['no inputs at all', null, /"task"/],
    ['a blank task', { task: '  ' }, /"task"/],
    ['an unknown command', { command: 'dance', task: 'x' }, /"dance"/],
    ['a command that is not there yet', { command: 'refactor', task: 'x' }, /"refactor"/],
    ['the name of a property', { command: 'constructor', task: 'x' }, /"constructor"/],
    ['a pull request to implement', { task: 'x', 'pull-request': '3' }, /pull request #3/],
  ])('with %s is a mistake that the message names', (_what, inputs, message) => {
    expect(() => parseEvent('workflow_dispatch', dispatch(inputs))).toThrow(UserError);
    expect(() => parseEvent('workflow_dispatch', dispatch(inputs))).toThrow(message);
  });
});

describe('a malformed payload is a mistake that names the field:', () => {
  it.each([
    ['comment.body', { action: 'created', comment: {} }],
    ['action', { comment: { body: 'x' } }],
    ['the payload itself', null],
    ['the payload itself', 'text'],
    ['sender', { ...created(), sender: undefined }],
    ['issue.number', { ...created(), issue: { ...created().issue, number: 'seven' } }],
    ['repository.owner.login', { ...created(), repository: { ...created().repository, owner: {} } }],
  ])('%s', (field, payload) => {
    expect(() => parseEvent('issue_comment', payload)).toThrow(UserError);
    expect(() => parseEvent('issue_comment', payload)).toThrow(field);
  });
});
