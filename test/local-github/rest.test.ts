import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FULL, type Sample, startSample } from './fixture.ts';
import { commitFiles } from './git-repository.ts';

let sample: Sample;
beforeAll(async () => {
  sample = await startSample();
});
afterAll(() => sample.close());

interface Ask {
  readonly token?: string | undefined;
  readonly method?: string;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
}

async function ask(path: string, { token, method = 'GET', body, headers = {} }: Ask = {}) {
  const response = await fetch(`${sample.github.apiUrl}/repos/octo-org/hello${path}`, {
    method,
    headers: {
      'user-agent': 'test',
      ...(token && { authorization: `token ${token}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  // biome-ignore lint/suspicious/noExplicitAny: answers of every route
  let json: any;
  try {
    json = JSON.parse(text);
  } catch {
    json = text;
  }
  return { status: response.status, headers: response.headers, json };
}

const full = () => sample.github.token(FULL).value;
const comments = () => `/issues/${sample.issue.number}/comments`;
const branch = (name: string) =>
  commitFiles(sample.repository.folder, name, { [`${name}.txt`]: `${name}\n` }, `Add ${name}`);

describe('credentials', () => {
  it.each([
    ['an unknown token', { token: 'ghs_wrong' }, 401, 'Bad credentials'],
    ['no token, for a write', { method: 'POST', body: { body: 'x' } }, 401, 'Requires authentication'],
  ])('%s is refused', async (_what, request, status, message) => {
    const answer = await ask(comments(), request);
    expect([answer.status, answer.json.message]).toEqual([status, message]);
  });

  it('no token is enough to read what is public', async () => {
    expect((await ask('')).status).toBe(200);
  });

  it('of a private repository not even the existence is told', async () => {
    const { github } = sample;
    await github.addRepository({ owner: 'octo-org', name: 'secret', private: true });
    const response = await fetch(`${github.apiUrl}/repos/octo-org/secret`, {
      headers: { 'user-agent': 'test' },
    });
    expect(response.status).toBe(404);
  });

  it('a request without a user agent is refused', async () => {
    const { port } = new URL(sample.github.url);
    const socket = connect(Number(port), '127.0.0.1');
    socket.end('GET /api/v3/repos/octo-org/hello HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
    let text = '';
    for await (const chunk of socket) text += chunk;
    expect(text).toMatch(/^HTTP\/1.1 403 /);
    expect(text).toContain('Please make sure your request has a User-Agent header');
  });
});

describe('a missing permission is refused with the header that names it:', () => {
  it.each([
    ['POST', () => comments(), { body: 'x' }, 'issues=write'],
    ['POST', () => '/pulls', { title: 'x', head: 'a', base: 'main' }, 'pull_requests=write'],
    ['GET', () => '/git/ref/heads/main', undefined, 'contents=read'],
  ])('%s %s', async (method, path, body, needed) => {
    const { value } = sample.github.token({ issues: 'read', pull_requests: 'read' });
    const answer = await ask(path(), { token: value, method, body });
    expect(answer.status).toBe(403);
    expect(answer.json.message).toBe('Resource not accessible by integration');
    expect(answer.headers.get('x-accepted-github-permissions')).toBe(needed);
  });

  it('a comment on a pull request needs another permission than one on an issue', async () => {
    await branch('talk');
    const { json } = await ask('/pulls', {
      token: full(),
      method: 'POST',
      body: { title: 'x', head: 'talk', base: 'main' },
    });
    const issuesOnly = sample.github.token({ issues: 'write' }).value;
    const post = { token: issuesOnly, method: 'POST', body: { body: 'x' } };
    expect((await ask(comments(), post)).status).toBe(201);
    expect((await ask(`/issues/${json.number}/comments`, post)).status).toBe(403);
  });
});

describe('a malformed request is refused:', () => {
  it.each([
    ['broken JSON', '{"body": ', {}, 400, 'Problems parsing JSON'],
    ['a list', ['x'], {}, 400, 'Body should be a JSON object'],
    ['a missing field', {}, {}, 422, 'Invalid request.\n\n"body" wasn\'t supplied.'],
    [
      'a number for a text',
      { body: 7 },
      {},
      422,
      "Invalid request.\n\nFor 'properties/body', 7 is not a string.",
    ],
    ['a blank text', { body: ' ' }, {}, 422, 'Validation Failed'],
    ['a text that is too long', { body: 'x'.repeat(65_537) }, {}, 422, 'Validation Failed'],
    [
      'another content type',
      'body=x',
      { 'content-type': 'application/x-www-form-urlencoded' },
      415,
      /Content-Type/,
    ],
    ['an unknown accept', { body: 'x' }, { accept: 'text/html' }, 415, /Accept/],
  ])('%s', async (_what, body, headers, status, message) => {
    const answer = await ask(comments(), {
      token: full(),
      method: 'POST',
      body,
      headers: headers as Record<string, string>,
    });
    expect(answer.status).toBe(status);
    expect(answer.json.message).toEqual(
      typeof message === 'string' ? message : expect.stringMatching(message),
    );
  });
});

it('an unknown route is refused and remembered', async () => {
  const answer = await ask('/no/such/route', { token: full() });
  expect([answer.status, answer.json.message]).toEqual([404, 'Not Found']);
  expect(sample.github.unknownRequests).toEqual(['GET /repos/octo-org/hello/no/such/route']);
});

it('a spent rate limit is refused until it is reset', async () => {
  const { state } = sample.github;
  state.rateLimit = { remaining: 1, resetAt: Math.floor(Date.now() / 1000) + 60 };
  expect((await ask('')).headers.get('x-ratelimit-remaining')).toBe('0');
  expect(await ask('')).toMatchObject({
    status: 403,
    json: { message: expect.stringMatching(/rate limit exceeded/) },
  });
  state.rateLimit.resetAt = 0;
  expect((await ask('')).status).toBe(200);
});

it('a planned failure happens as often as it was planned', async () => {
  sample.github.fail({ method: 'GET', path: /hello$/, answer: { status: 502 }, times: 2 });
  const statuses = [await ask(''), await ask(''), await ask('')].map(({ status }) => status);
  expect(statuses).toEqual([502, 502, 200]);
});

describe('comments', () => {
  it('are added, edited, read and deleted', async () => {
    const token = full();
    const added = await ask(comments(), { token, method: 'POST', body: { body: 'one' } });
    expect(added).toMatchObject({
      status: 201,
      json: { body: 'one', user: { login: 'github-actions[bot]', type: 'Bot' } },
    });
    const path = `/issues/comments/${added.json.id}`;
    expect((await ask(path, { token, method: 'PATCH', body: { body: 'two' } })).json.body).toBe('two');
    expect((await ask(path, { token })).json.body).toBe('two');
    expect((await ask(path, { token, method: 'DELETE' })).status).toBe(204);
    expect((await ask(path, { token, method: 'PATCH', body: { body: 'three' } })).status).toBe(404);
  });

  it('come in pages that link to each other', async () => {
    const { github, repository } = sample;
    const issue = github.addIssue(repository, { title: 'Long' });
    for (let n = 1; n <= 5; n++)
      github.addComment(repository, { issue: issue.number, body: `c${n}`, author: 'mona' });
    const answer = await ask(`/issues/${issue.number}/comments?per_page=2&page=2`, { token: full() });
    expect(answer.json.map((row: { body: string }) => row.body)).toEqual(['c3', 'c4']);
    expect(answer.headers.get('link')).toMatch(
      /page=1>; rel="prev", .*page=3>; rel="next", .*page=3>; rel="last", .*page=1>; rel="first"/,
    );
  });
});

it('a reaction is added once, removed by its id, and must be one of eight', async () => {
  const comment = sample.github.addComment(sample.repository, {
    issue: sample.issue.number,
    body: 'x',
    author: 'mona',
  });
  const path = `/issues/comments/${comment.id}/reactions`;
  const token = full();
  const post = (content: string) => ask(path, { token, method: 'POST', body: { content } });
  const first = await post('eyes');
  expect([first.status, (await post('eyes')).status, (await post('wave')).status]).toEqual([201, 200, 422]);
  expect((await ask(`${path}/${first.json.id}`, { token, method: 'DELETE' })).status).toBe(204);
  expect((await ask(`${path}/${first.json.id}`, { token, method: 'DELETE' })).status).toBe(404);
});

describe('the permission of', () => {
  it.each([
    ['octo-org', 'admin', 'admin'],
    ['keeper', 'write', 'maintain'],
    ['mona', 'write', 'write'],
    ['sorter', 'read', 'triage'],
    ['visitor', 'read', 'read'],
  ])('%s is %s, by the role %s', async (login, permission, role) => {
    const answer = await ask(`/collaborators/${login}/permission`, { token: sample.github.token({}).value });
    expect(answer.json).toMatchObject({ permission, role_name: role });
  });

  it.each(['nobody-at-all', 'github-actions[bot]'])('%s is not told: no user', async login => {
    const answer = await ask(`/collaborators/${encodeURIComponent(login)}/permission`, { token: full() });
    expect([answer.status, answer.json.message]).toEqual([404, `${login} is not a user`]);
  });
});

describe('refs', () => {
  it('are found by their whole name, with the slash encoded or not', async () => {
    const sha = await branch('agent/issue-9');
    for (const path of ['/git/ref/heads/agent/issue-9', '/git/ref/heads%2Fagent%2Fissue-9']) {
      expect((await ask(path, { token: full() })).json.object.sha).toBe(sha);
    }
    expect((await ask('/git/ref/heads/agent', { token: full() })).status).toBe(404);
  });

  it('are listed by how they begin', async () => {
    await branch('list/a');
    await branch('list/a-2');
    const { json } = await ask('/git/matching-refs/heads/list/a', { token: full() });
    expect(json.map(({ ref }: { ref: string }) => ref)).toEqual(['refs/heads/list/a', 'refs/heads/list/a-2']);
  });
});

describe('a pull request', () => {
  const open = (head: string, more = {}, token = full()) =>
    ask('/pulls', { token, method: 'POST', body: { title: 'T', head, base: 'main', ...more } });

  it('has what git says of its branches, and is found by its head', async () => {
    const sha = await branch('feature');
    const { status, json } = await open('feature', { body: 'B', draft: true });
    expect(status).toBe(201);
    expect(json).toMatchObject({
      state: 'open',
      draft: true,
      head: { ref: 'feature', sha },
      base: { ref: 'main' },
      commits: 1,
      additions: 1,
      deletions: 0,
      changed_files: 1,
      user: { login: 'github-actions[bot]' },
    });
    expect((await ask(`/pulls/${json.number}`, { token: full() })).json.mergeable).toBe(true);
    const found = await ask('/pulls?head=octo-org:feature', { token: full() });
    expect(found.json.map((row: { number: number }) => row.number)).toEqual([json.number]);
    expect(await sample.github.diff(sample.repository, json.number)).toContain('+feature');
  });

  it('that can not be merged says so', async () => {
    const { folder } = sample.repository;
    await commitFiles(folder, 'clash', { 'README.md': '# one\n' }, 'one');
    await commitFiles(folder, 'main', { 'clash.md': 'x\n' }, 'other');
    const side = await commitFiles(folder, 'clash', { 'clash.md': 'y\n' }, 'two');
    const { json } = await open('clash');
    expect(json).toMatchObject({ head: { sha: side }, mergeable: false, mergeable_state: 'dirty' });
  });

  it.each([
    ['of a branch that does not exist', 'none', {}, { field: 'head', code: 'invalid' }],
    ['into a branch that does not exist', 'main', { base: 'none' }, { field: 'base', code: 'invalid' }],
    ['without commits', 'main', {}, { message: 'No commits between main and main' }],
    ['with a title that is too long', 'main', { title: 'x'.repeat(257) }, { message: /title is too long/ }],
  ])('%s is refused', async (_what, head, more, error) => {
    const { status, json } = await open(head, more);
    expect(status).toBe(422);
    const message =
      'message' in error && error.message instanceof RegExp
        ? { message: expect.stringMatching(error.message) }
        : error;
    expect(json.errors[0]).toMatchObject(message);
  });

  it('is refused when the branch has one already', async () => {
    await branch('twice');
    await open('twice');
    const { status, json } = await open('twice');
    expect([status, json.errors[0].message]).toEqual([
      422,
      'A pull request already exists for octo-org:twice.',
    ]);
  });

  it('is refused to Actions, but not to a person, where the setting says so', async () => {
    await branch('setting');
    sample.repository.settings.allowActionsToCreatePullRequests = false;
    const refused = await open('setting');
    const person = await open('setting', {}, sample.github.token(FULL, 'mona').value);
    sample.repository.settings.allowActionsToCreatePullRequests = true;
    expect([refused.status, refused.json.message]).toEqual([
      403,
      'GitHub Actions is not permitted to create or approve pull requests.',
    ]);
    expect(person.status).toBe(201);
  });

  it('is not made as a draft where there are none', async () => {
    await branch('no-draft');
    sample.repository.settings.draftsSupported = false;
    const refused = await open('no-draft', { draft: true });
    sample.repository.settings.draftsSupported = true;
    expect([refused.status, refused.json.message]).toEqual([
      422,
      'Draft pull requests are not supported in this repository.',
    ]);
  });

  it('closes its issue when it is merged', async () => {
    const { github, repository } = sample;
    const issue = github.addIssue(repository, { title: 'To be closed' });
    await branch('closer');
    const { json } = await open('closer', { body: `Closes #${issue.number}` });
    await github.mergePullRequest(repository, json.number);
    expect(issue.state).toBe('closed');
    expect(await github.pullRequest(repository, json.number)).toMatchObject({
      merged: true,
      state: 'closed',
      changed_files: 1,
    });
  });
});
