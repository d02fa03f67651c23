import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { OWN_MARK } from '../../src/events/trigger.ts';
import { listComments } from '../../src/github/comments.ts';
import { cureOf, type GitHubError } from '../../src/github/github-error.ts';
import { readPermission } from '../../src/github/permissions.ts';
import {
  createProgressComment,
  editProgressComment,
  type ProgressComment,
  runMark,
} from '../../src/github/progress-comment.ts';
import { addReaction, removeReaction } from '../../src/github/reactions.ts';
import { FULL, type Sample, startSample } from '../local-github/fixture.ts';
import { connect } from './connect.ts';

let sample: Sample;
beforeAll(async () => {
  sample = await startSample();
});
afterAll(() => sample.close());
afterEach(() => expect(sample.github.unknownRequests).toEqual([]));

const say = (body: string, more = {}) =>
  sample.github.addComment(sample.repository, { issue: sample.issue.number, body, author: 'mona', ...more });

describe('the permission', () => {
  it.each([
    ['mona', { permission: 'write', roleName: 'write' }],
    ['keeper', { permission: 'write', roleName: 'maintain' }],
    ['sorter', { permission: 'read', roleName: 'triage' }],
    ['github-actions[bot]', { permission: 'none', roleName: 'none' }],
    ['no-such-user', { permission: 'none', roleName: 'none' }],
  ])('of %s is asked live', async (login, expected) => {
    expect(await readPermission(connect(sample, { permissions: {} }), login)).toEqual(expected);
  });

  it('that can not be asked is never taken as given', async () => {
    sample.github.fail({ path: /permission$/, answer: { status: 500 }, times: 4 });
    await expect(readPermission(connect(sample), 'mona')).rejects.toThrow(/not obeyed/);
  });
});

describe('a reaction', () => {
  it('is added, and removed by its id', async () => {
    const github = connect(sample);
    const comment = say('/agent implement');
    const added = await addReaction(github, { kind: 'comment', id: comment.id }, 'eyes');
    expect(comment.reactions.map(({ id, content }) => [id, content])).toEqual([
      [added.ok && added.value, 'eyes'],
    ]);
    expect(
      await removeReaction(github, { kind: 'comment', id: comment.id }, comment.reactions[0]!.id),
    ).toBeUndefined();
    expect(comment.reactions).toEqual([]);
  });

  it('that is gone already is removed without complaint', async () => {
    expect(await removeReaction(connect(sample), { kind: 'comment', id: say('x').id }, 12)).toBeUndefined();
  });

  it('that may not be added says which permission is missing', async () => {
    const github = connect(sample, { permissions: { issues: 'read' } });
    expect(await addReaction(github, { kind: 'comment', id: say('x').id }, 'rocket')).toMatchObject({
      ok: false,
      error: { needs: 'issues: write' },
    });
  });
});

describe('comments', () => {
  it('come oldest first, with what decides whether they may be read', async () => {
    const { github, repository } = sample;
    const { number: issue } = github.addIssue(repository, { title: 'Talk' });
    const createdAt = '2026-11-20T09:00:00Z';
    const first = github.addComment(repository, { issue, body: 'one', author: 'visitor', createdAt });
    github.addComment(repository, { issue, body: 'two', author: 'mona', createdAt }).minimized = true;
    first.updatedAt = '2026-11-20T09:30:00Z';
    const { comments, leftOut } = await listComments(connect(sample), issue);
    expect(leftOut).toBe(false);
    expect(comments).toEqual([
      {
        id: first.id,
        author: 'visitor',
        isBot: false,
        body: 'one',
        createdAt,
        updatedAt: '2026-11-20T09:30:00Z',
        minimized: false,
        url: `${github.url}/octo-org/hello/issues/${issue}#issuecomment-${first.id}`,
      },
      expect.objectContaining({ body: 'two', minimized: true }),
    ]);
  });

  it.each([
    [0, 1, false],
    [150, 2, false],
    [200, 2, false],
    [345, 3, true],
  ])('of %i the newest two pages are read, with %i requests', async (total, requests, leftOut) => {
    const { github, repository } = sample;
    const { number: issue } = github.addIssue(repository, { title: `${total}` });
    for (let n = 1; n <= total; n++) github.addComment(repository, { issue, body: `c${n}`, author: 'mona' });
    const result = await listComments(connect(sample), issue);
    expect(result.leftOut).toBe(leftOut);
    expect(result.comments.at(-1)?.body).toBe(total > 0 ? `c${total}` : undefined);
    expect(result.comments.length).toBe(total > 200 ? 145 : total);
    expect(github.countOf('GET', new RegExp(`/issues/${issue}/comments`))).toBe(requests);
  });
});

describe('the progress comment', () => {
  const create = async (intervalMs: number, log: string[] = []) => {
    const github = connect(sample, { log: line => log.push(line) });
    const options = { issue: sample.issue.number, mark: runMark('77.1'), body: 'Begun', intervalMs };
    const progress = (await createProgressComment(github, options)) as ProgressComment;
    return { github, progress, comment: sample.repository.comments.get(progress.id)! };
  };
  const MARK = '<!-- redgreen:run=77.1 -->\n';

  it('carries a hidden mark, by which our own comments start no run', async () => {
    const { comment, progress } = await create(10_000);
    expect(comment.body).toBe(`${MARK}Begun`);
    expect(comment.body.startsWith(OWN_MARK)).toBe(true);
    expect(progress.url).toMatch(/#issuecomment-\d+$/);
  });

  it('is edited at most once in an interval, and then with the newest text', async () => {
    const { comment, progress } = await create(150);
    for (const text of ['a', 'b', 'c']) progress.show(text);
    expect(comment.history).toHaveLength(1);
    await expect.poll(() => comment.history.at(-1)).toBe(`${MARK}c`);
    progress.show('d');
    progress.show('e');
    await expect.poll(() => comment.history.at(-1)).toBe(`${MARK}e`);
    expect(comment.history).toHaveLength(3);
  });

  it('shows what came while an edit was under way', async () => {
    const { comment, progress } = await create(1);
    progress.show('a');
    await expect.poll(() => comment.history.length).toBe(2);
    progress.show('b');
    await expect.poll(() => comment.history.at(-1)).toBe(`${MARK}b`);
  });

  it('ends with the last text, at once, and nothing after it', async () => {
    const { comment, progress } = await create(60_000);
    progress.show('on the way');
    expect(await progress.finish('Done')).toEqual({ kind: 'edited' });
    progress.show('late');
    expect(comment.history).toEqual([`${MARK}Begun`, `${MARK}Done`]);
  });

  it('is edited only when the text is another', async () => {
    const { comment, progress } = await create(1);
    expect(await progress.finish('Begun')).toEqual({ kind: 'edited' });
    expect(comment.history).toHaveLength(1);
  });

  it('that was deleted is not written again, and the log says so once', async () => {
    const log: string[] = [];
    const { comment, progress } = await create(1, log);
    sample.repository.comments.delete(comment.id);
    progress.show('a');
    await expect.poll(() => log.length).toBe(1);
    progress.show('b');
    expect(await progress.finish('Done')).toEqual({ kind: 'gone' });
    expect(log).toEqual(['The progress comment was deleted; no other is written.']);
  });

  it('that can not be edited for a while does not break the run', async () => {
    const log: string[] = [];
    const { comment, progress } = await create(1, log);
    sample.github.fail({
      method: 'PATCH',
      path: /comments/,
      answer: { status: 422, body: { message: 'no' } },
    });
    progress.show('a');
    await expect.poll(() => log.length).toBe(1);
    expect(await progress.finish('Done')).toEqual({ kind: 'edited' });
    expect(comment.body).toBe(`${MARK}Done`);
  });

  it('longer than GitHub takes is cut, behind the mark', async () => {
    const { comment, progress } = await create(1);
    expect(await progress.finish('é'.repeat(70_000))).toEqual({ kind: 'edited' });
    expect(comment.body.length).toBeLessThan(65_536);
    expect(comment.body).toMatch(/^<!-- redgreen:run=77\.1 -->\né+\n\n… \(cut/);
  });

  it('is edited by the post step, which knows only its id', async () => {
    const { github, comment } = await create(10_000);
    expect(await editProgressComment(github, comment.id, runMark('77.1'), 'Cancelled')).toEqual({
      kind: 'edited',
    });
    expect(comment.body).toBe(`${MARK}Cancelled`);
    expect(await editProgressComment(github, 1, runMark('77.1'), 'x')).toEqual({ kind: 'gone' });
  });

  it('that may not be created is a refusal with its reason', async () => {
    const github = connect(sample, { permissions: {} });
    const options = { issue: sample.issue.number, mark: runMark('1.1'), body: 'x' };
    expect(await createProgressComment(github, options)).toMatchObject({
      kind: 'forbidden',
      needs: 'issues: write',
    });
  });
});

describe('a locked conversation', () => {
  const lock = (isPull: boolean) => {
    const { github, repository } = sample;
    if (!isPull) return github.addIssue(repository, { title: 'Heated' });
    return github.addPullRequest(repository, {
      title: 'Heated',
      author: 'visitor',
      head: { branch: 'heated', files: { 'a.txt': 'a\n' } },
    });
  };

  it.each([
    ['an issue', false],
    ['a pull request', true],
  ])('of %s takes no comment, and the refusal says what to do', async (_what, isPull) => {
    const issue = await lock(isPull);
    issue.locked = true;
    const options = { issue: issue.number, mark: runMark('1.1'), body: 'x' };
    const refused = await createProgressComment(connect(sample), options);
    expect(refused).toEqual({
      kind: 'locked',
      status: 403,
      message:
        'Unable to create comment because issue is locked. Unlock the conversation to get answers there.',
    });
    expect(cureOf(refused as GitHubError)).toBe('Unlock the conversation, then give the command again.');
  });

  it('takes no reaction either, and one that was there before can be removed', async () => {
    const { github, repository } = sample;
    const issue = github.addIssue(repository, { title: 'Later' });
    const comment = github.addComment(repository, { issue: issue.number, body: '/agent', author: 'mona' });
    const client = connect(sample);
    const target = { kind: 'comment', id: comment.id } as const;
    const eyes = await addReaction(client, target, 'eyes');
    issue.locked = true;
    expect(await addReaction(client, target, 'rocket')).toMatchObject({
      ok: false,
      error: { kind: 'locked' },
    });
    expect(await addReaction(client, { kind: 'issue', number: issue.number }, 'eyes')).toMatchObject({
      ok: false,
      error: { kind: 'locked' },
    });
    expect(await removeReaction(client, target, eyes.ok ? eyes.value : 0)).toBeUndefined();
    expect(comment.reactions).toEqual([]);
  });

  it('lets a token of a writer speak', async () => {
    const { github, repository } = sample;
    const issue = github.addIssue(repository, { title: 'Quiet' });
    issue.locked = true;
    const token = github.token({ issues: 'write' }, 'mona').value;
    const options = { issue: issue.number, mark: runMark('1.1'), body: 'x' };
    expect(await createProgressComment(connect(sample, { token }), options)).toMatchObject({
      id: expect.any(Number),
    });
  });
});

it('of a command that was deleted meanwhile, a reaction is refused as not found, and removing one is no error', async () => {
  const comment = say('/agent implement');
  sample.repository.comments.delete(comment.id);
  const target = { kind: 'comment', id: comment.id } as const;
  expect(await addReaction(connect(sample), target, 'rocket')).toMatchObject({
    ok: false,
    error: { kind: 'not-found', status: 404 },
  });
  expect(await removeReaction(connect(sample), target, 77)).toBeUndefined();
});

it('a token that ends in the middle of a run is told as such, not as a missing permission', async () => {
  const token = sample.github.token(FULL);
  const client = connect(sample, { token: token.value });
  const options = { issue: sample.issue.number, mark: runMark('1.1'), body: 'x' };
  const progress = (await createProgressComment(client, options)) as ProgressComment;
  sample.github.expire(token);
  expect(await progress.finish('done')).toMatchObject({
    kind: 'refused',
    error: { kind: 'unauthorized', message: 'Bad credentials' },
  });
});
