/** `fix` where there is nothing to be fixed, nobody who may ask, or something odd: what it ends in, what is said, and what is left alone. */
import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { OWN_MARK } from '../../src/events/trigger.ts';
import { git } from '../local-github/git-repository.ts';
import type { PullRequestIssue } from '../local-github/pull-requests.ts';
import type { NewJob } from '../local-github/workflow-runs.ts';
import {
  branchesOf,
  ciFailed,
  commented,
  createPrices,
  FILES,
  flakyTest,
  labelled,
  type Played,
  type PlayOptions,
  play,
  RED_JOB,
  RED_LOG,
  RIGHT,
  redPullRequest,
  storyOf,
  tell,
  WRONG,
} from './prices.ts';
import { FULL, type World } from './scenario.ts';

const LIMIT = { timeout: 120_000 };
let world: World;
let before: Readonly<Record<string, string>>;
beforeEach(async () => {
  world = await createPrices();
});
afterEach(() => world.close());

async function another(files: Readonly<Record<string, string>>) {
  await world.close();
  world = await createPrices({ files });
}

/** Runs, and has seen to it that no branch moved and that no model was asked. */
async function playInVain(options: PlayOptions): Promise<Played> {
  before = await branchesOf(world);
  const pulls = world.repository.issues.size;
  const result = await play(world, options);
  expect(result.asked, storyOf(result)).toEqual([]);
  expect(await branchesOf(world)).toEqual(before);
  expect(world.repository.issues.size).toBe(pulls);
  expect(result.post?.exitCode).toBe(0);
  expect(world.github.unknownRequests).toEqual([]);
  return result;
}

/** Outcome, reason and exit code; and that the one comment says the same with a next step. */
function expectTold(result: Played, outcome: string, ...texts: readonly (string | RegExp)[]) {
  expect(result.outputs.outcome, storyOf(result)).toBe(outcome);
  expect(result.main.exitCode).toBe(outcome === 'failed' ? 1 : 0);
  for (const text of texts) expect(result.outputs.reason).toMatch(text);
  expect(world.comments()).toHaveLength(1);
  expect(world.comments()[0]).toContain('**Next:**');
  expect(result.summary).toContain('**Next:**');
}

/** A green step without any trace at GitHub. */
function expectIgnored(result: Played, ...texts: readonly (string | RegExp)[]) {
  expect(result.outputs.outcome, storyOf(result)).toBe('ignored');
  for (const text of texts) expect(result.outputs.reason).toMatch(text);
  expect(result.main.exitCode).toBe(0);
  expect(world.comments().filter(body => body.includes(OWN_MARK))).toEqual([]);
  expect(
    world.github.requests.filter(({ method, path }) => path.startsWith('/api/') && method !== 'GET'),
  ).toEqual([]);
}

const apiRequests = () => world.github.requests.filter(({ path }) => path.startsWith('/api/'));
const reactionsTo = (number: number) =>
  world.repository.issues.get(number)?.reactions.map(({ content }) => content);

describe('who may not ask', () => {
  it.each(['reader', 'visitor'])('a commenter is refused: %s', LIMIT, async author => {
    const { number } = await redPullRequest(world);
    let comment = 0;
    const result = await playInVain({
      comment: '/agent fix',
      on: number,
      author,
      onComment: id => {
        comment = id;
      },
    });
    expect(result.outputs).toMatchObject({ outcome: 'refused', reason: expect.stringContaining(author) });
    expect(result.main.exitCode).toBe(0);
    expect(world.reactions(comment)).toEqual(['confused']);
    expect(world.comments()).toEqual([]);
  });

  it('who put the label on is refused, whoever opened the pull request', LIMIT, async () => {
    const { number } = await redPullRequest(world);
    const result = await playInVain({ event: await labelled(world, number, 'agent:fix', 'reader') });
    expect(result.outputs).toMatchObject({
      outcome: 'refused',
      reason: 'reader has the permission "read" here; write or more is needed',
    });
    expect(reactionsTo(number)).toEqual(['confused']);
    expect(world.comments()).toEqual([]);
  });

  it('the author of a pull request whose CI failed is ignored', LIMIT, async () => {
    const issue = await redPullRequest(world, { author: 'reader' });
    expectIgnored(
      await playInVain({ event: ciFailed(world, issue) }),
      /author of the pull request can not start runs: reader has the permission "read"/,
    );
  });

  it('a bot that opened the pull request is ignored, though it can push', LIMIT, async () => {
    world.github.addUser('renovate[bot]', 'Bot');
    const issue = await redPullRequest(world, { author: 'renovate[bot]' });
    expectIgnored(await playInVain({ event: ciFailed(world, issue) }), /renovate\[bot\] is a bot/);
  });

  it.each(['comment', 'label'])('a bot that gives a %s is ignored without one request', LIMIT, async way => {
    world.github.addUser('helper[bot]', 'Bot');
    const { number } = await redPullRequest(world);
    const event =
      way === 'label'
        ? await labelled(world, number, 'agent:fix', 'helper[bot]')
        : commented(world, number, '/agent fix', 'helper[bot]');
    expectIgnored(await playInVain({ event }), /helper\[bot\] is a bot/);
    expect(apiRequests()).toEqual([]);
  });
});

describe('a pull request on which nothing fails that could be mended', () => {
  const job = (name: string, step: string, log: string): NewJob => ({
    name,
    conclusion: 'failure',
    steps: { 'Check out': 'success', [step]: 'failure' },
    log,
  });
  const LINT = job(
    'lint',
    'Run npx eslint .',
    '##[group]Run npx eslint .\n/src/price.js\n  2:14  error  Unexpected var\n\n✖ 1 problem (1 error, 0 warnings)\n##[error]Process completed with exit code 1.\n',
  );
  const BUILD = job(
    'build',
    'Run npx tsc',
    '##[group]Run npx tsc\nsrc/price.ts(2,14): error TS2322: Type string is not assignable to type number.\n##[error]Process completed with exit code 2.\n',
  );
  const green = () => redPullRequest(world, { head: { files: { 'src/price.js': `${RIGHT}// fine\n` } } });

  it.each([
    [
      'lint',
      LINT,
      /^all 2 tests that run pass in the sandbox; in CI job “lint”, step “Run npx eslint \.” of workflow “CI” failed$/,
    ],
    ['a build', BUILD, /in CI job “build”, step “Run npx tsc” of workflow “CI” failed$/],
    ['a job whose log is gone', { ...LINT, log: 'expired' as const }, /job “lint”, step “Run npx eslint \.”/],
  ])('because it was %s: job and step are named', LIMIT, async (_what, failed, reason) => {
    const issue = await green();
    const result = await playInVain({ event: ciFailed(world, issue, [failed]) });
    expectTold(result, 'not-reproduced', reason);
    expect(world.comments()[0]).toContain(`job “${failed.name}”`);
    expect(world.comments()[0]).toContain(
      'What failed in CI is linting or building, which tests do not show.',
    );
  });

  it('because another system failed, by a status and by a check run', LIMIT, async () => {
    const { number, pull } = await green();
    const { github, repository } = world;
    const sha = pull.headSha;
    github.addStatus(repository, {
      sha,
      context: 'ci/deploy',
      state: 'failure',
      targetUrl: 'https://ci.example.org/7',
    });
    github.addCheckRun(repository, { sha, name: 'coverage', app: 'Some Coverage', conclusion: 'failure' });
    const result = await playInVain({ comment: '/agent fix', on: number });
    expectTold(
      result,
      'not-reproduced',
      /“ci\/deploy” of ci\.example\.org failed/,
      /“coverage” of Some Coverage failed/,
    );
  });

  it('because nothing failed anywhere', LIMIT, async () => {
    const { number } = await green();
    expectTold(
      await playInVain({ comment: '/agent fix', on: number }),
      'not-reproduced',
      /^all 2 tests that run pass/,
    );
  });

  it('because the base branch was red already', LIMIT, async () => {
    await another({ ...FILES, 'src/price.js': WRONG });
    const issue = await redPullRequest(world, { head: { files: { 'README.md': '# prices\n' } } });
    const result = await playInVain({ event: ciFailed(world, issue) });
    expectTold(
      result,
      'not-reproduced',
      /fails on the base branch too.*test\/price\.test\.js::price has two digits/,
    );
    expect(world.comments()[0]).toMatch(/mend the base branch first/i);
  });

  it('because only a flaky test fails', LIMIT, async () => {
    const files = { 'test/flaky.test.js': flakyTest([true, false]) };
    const issue = await redPullRequest(world, { head: { files } });
    const result = await playInVain({ event: ciFailed(world, issue) });
    expectTold(result, 'not-reproduced', /^only flaky tests fail.*test\/flaky\.test\.js::now and then/);
    expect(world.comments()[0]).toContain('Run CI again');
  });

  it('because the test that failed in CI is flaky, though it passes here at first', LIMIT, async () => {
    const files = { 'test/flaky.test.js': flakyTest([true, true, true, false]) };
    const issue = await redPullRequest(world, { head: { files } });
    const log = RED_LOG.replaceAll('price has two digits', 'now and then');
    const result = await playInVain({ event: ciFailed(world, issue, [{ ...RED_JOB, log }]) });
    expectTold(result, 'not-reproduced', /^only flaky tests fail.*now and then/);
  });

  it('because there are no tests', LIMIT, async () => {
    await another({ 'main.c': 'int main() { return 0; }\n' });
    const issue = await redPullRequest(world, {
      head: { files: { 'main.c': 'int main() { return 1; }\n' } },
    });
    expectTold(await playInVain({ event: ciFailed(world, issue) }), 'blocked', /^no test runner was found/);
    expect(world.comments()[0]).toContain('`test-command`');
  });

  it('because there is a test stack, but not one test', LIMIT, async () => {
    await another({ 'package.json': FILES['package.json'] ?? '', 'src/price.js': RIGHT });
    const issue = await redPullRequest(world);
    expectTold(
      await playInVain({ event: ciFailed(world, issue, [LINT]) }),
      'not-reproduced',
      /^no test fails in the sandbox; in CI job “lint”/,
    );
  });
});

describe('a failure that a command shows by its exit code alone', () => {
  const command = `! grep -n 'Math.floor' src/price.js`;

  it('is made green, and never called proven', LIMIT, async () => {
    await another({ 'package.json': FILES['package.json'] ?? '', 'src/price.js': RIGHT });
    const { number, pull } = await redPullRequest(world);
    const result = await play(world, {
      comment: '/agent fix',
      on: number,
      inputs: { 'test-command': command },
    });
    expect(result.outputs, storyOf(result)).toMatchObject({
      outcome: 'unproven',
      reason: expect.stringMatching(/^command green: .* this is not proven$/),
      branch: 'round-prices',
      'head-sha': pull.headSha,
    });
    expect(result.main.exitCode).toBe(0);
    expect(JSON.parse(result.outputs.result ?? '')).toMatchObject({ all_tests_passed: false });
    expect(JSON.parse(readFileSync(result.outputs.proof ?? '', 'utf8'))).toMatchObject({ proven: false });
    expect(world.comments()[0]).toContain('Not proven');
    expect(world.comments()[0]).not.toContain('✅ Proven');
  });

  it('that does not show here is not reproduced', LIMIT, async () => {
    await another({ 'package.json': FILES['package.json'] ?? '', 'src/price.js': RIGHT });
    const { number } = await redPullRequest(world, { head: { files: { 'README.md': '# prices\n' } } });
    const result = await playInVain({
      comment: '/agent fix',
      on: number,
      inputs: { 'test-command': command },
    });
    expectTold(result, 'not-reproduced', /does not fail each time/);
  });
});

describe('the log of a failed job', () => {
  it('of 100 MB is read without holding it in memory', LIMIT, async () => {
    const line = Buffer.from(`2026-11-02T09:00:00.0000000Z compiling module ${'x'.repeat(80)}\n`);
    const block = Buffer.concat(Array.from({ length: 1_000 }, () => line));
    const log = function* () {
      for (let bytes = 0; bytes < 100e6; bytes += block.length) yield block;
      yield Buffer.from(RED_LOG);
    };
    const issue = await redPullRequest(world);
    let peak = 0;
    let watch: NodeJS.Timeout | undefined;
    const result = await play(world, {
      event: ciFailed(world, issue, [{ ...RED_JOB, log }]),
      more: {
        onStart: (step, child) => {
          if (step !== 'main') return clearInterval(watch);
          watch = setInterval(() => {
            peak = Math.max(peak, peakMemory(child.pid ?? 0));
          }, 50);
          child.once('exit', () => clearInterval(watch));
        },
      },
    });
    expect(result.outputs, storyOf(result)).toMatchObject({ outcome: 'proven' });
    expect(JSON.stringify(result.asked[0]?.body.messages)).toContain('AssertionError: 12.30 == 12.34');
    expect(peak).toBeGreaterThan(30e6);
    expect(peak, `${Math.round(peak / 1e6)} MB`).toBeLessThan(400e6);
  });

  it.each([
    ['that is gone', { ...RED_JOB, log: 'expired' as const }, FULL, 'GitHub keeps logs for a time only'],
    [
      'that may not be read, like all of `actions`',
      RED_JOB,
      { ...FULL, actions: undefined },
      'actions: read',
    ],
  ])('%s is done without, and that is said', LIMIT, async (_what, job, permissions, said) => {
    const issue = await redPullRequest(world);
    const result = await play(world, {
      event: ciFailed(world, issue, [job]),
      permissions: JSON.parse(JSON.stringify(permissions)),
    });
    expect(result.outputs, storyOf(result)).toMatchObject({
      outcome: 'proven',
      'head-sha': issue.pull.headSha,
    });
    expect(result.main.stdout).toContain(said);
  });
});

/** Bytes; 0 when the process is over. */
function peakMemory(pid: number): number {
  try {
    return Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1024;
  } catch (error) {
    if (['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) return 0;
    throw error;
  }
}

describe('the state of the pull request', () => {
  it('draft is no hindrance', LIMIT, async () => {
    const issue = await redPullRequest(world, { draft: true });
    const result = await play(world, { event: ciFailed(world, issue) });
    expect(result.outputs, storyOf(result)).toMatchObject({
      outcome: 'proven',
      'head-sha': issue.pull.headSha,
    });
    expect((await world.github.pullRequest(world.repository, issue.number)).draft).toBe(true);
  });

  const ends: readonly [string, (number: number) => unknown, RegExp][] = [
    ['closed', number => world.github.closeIssue(world.repository, number), /^Pull request #2 is closed, so/],
    [
      'merged',
      number => world.github.mergePullRequest(world.repository, number),
      /^Pull request #2 is merged, so/,
    ],
    [
      'without its branch',
      () => world.github.deleteBranch(world.repository, 'round-prices'),
      /^Pull request #2 is closed, so/,
    ],
  ];

  it.each(ends)('%s: a command is refused, with a green step', LIMIT, async (_state, end, reason) => {
    const { number } = await redPullRequest(world);
    await end(number);
    expectTold(await playInVain({ comment: '/agent fix', on: number }), 'refused', reason);
  });

  it.each(ends)('%s: a label is refused, with a green step', LIMIT, async (_state, end, reason) => {
    const { number } = await redPullRequest(world);
    await end(number);
    expectTold(await playInVain({ event: await labelled(world, number) }), 'refused', reason);
  });

  it.each(ends)('%s since its CI failed: ignored', LIMIT, async (_state, end) => {
    const issue = await redPullRequest(world);
    const event = ciFailed(world, issue);
    await end(issue.number);
    expectIgnored(await playInVain({ event }), /was (closed|merged) meanwhile/);
  });

  it('gone before its CI failed: ignored without one request', LIMIT, async () => {
    const issue = await redPullRequest(world);
    world.github.closeIssue(world.repository, issue.number);
    expectIgnored(await playInVain({ event: ciFailed(world, issue) }), /names no open pull request/);
    expect(apiRequests()).toEqual([]);
  });

  it('with a branch of an odd name: the fix goes beside it', LIMIT, async () => {
    const issue = await redPullRequest(world, { head: { branch: 'feature/ümlaut(1)' } });
    const result = await play(world, { on: issue.number, comment: '/agent fix' });
    expect(result.outputs, storyOf(result)).toMatchObject({
      outcome: 'proven',
      branch: 'agent/pr-2',
      'pull-request-number': '3',
    });
    const pull = await world.github.pullRequest(world.repository, 3);
    expect(pull.base.ref).toBe('feature/ümlaut(1)');
    expect(world.comments()[0]).toContain('the name of its branch can not be used safely');
  });
});

describe('a pull request from a fork', () => {
  const fromFork = (): Promise<PullRequestIssue> =>
    redPullRequest(world, { author: 'visitor', head: { fork: 'visitor' } });

  const expectPatch = (result: Played, where: string) => {
    expect(result.outputs, storyOf(result)).toMatchObject({
      outcome: 'proven',
      branch: '',
      'head-sha': '',
      'pull-request-number': '',
    });
    expect(result.main.exitCode).toBe(0);
    const patch = readFileSync(result.outputs.patch ?? '', 'utf8');
    expect(patch).toContain('+export const price = cents => (cents / 100).toFixed(2);');
    const [comment = ''] = world.comments();
    expect(comment).toContain(patch.trim());
    expect(comment).toContain(where);
    expect(comment).toContain('nothing was pushed');
  };

  it.each([
    ['open', 'in the fork visitor/tiny-text'],
    ['deleted since', 'in a fork that was deleted'],
  ])(
    '%s: a maintainer’s comment ends in a proven patch, and nothing is pushed',
    LIMIT,
    async (deleted, where) => {
      const { number, pull } = await fromFork();
      const head = pull.headSha;
      if (deleted === 'deleted since' && pull.head) world.github.deleteFork(pull.head);
      before = await branchesOf(world);
      const result = await play(world, { comment: '/agent fix', on: number });
      expectPatch(result, where);
      expect(await branchesOf(world)).toEqual(before);
      expect(pull.headSha).toBe(head);
    },
  );

  it('is not started by a label, which gives a run no secrets', LIMIT, async () => {
    const { number } = await fromFork();
    const result = await playInVain({
      event: await labelled(world, number),
      // As GitHub gives it to a run of a fork's pull request.
      permissions: { contents: 'read', issues: 'read', pull_requests: 'read', actions: 'read' },
      inputs: { 'openai-api-key': '', 'base-url': '' },
    });
    expect(result.outputs, storyOf(result)).toMatchObject({
      outcome: 'refused',
      reason: expect.stringMatching(/from a fork.*comment of a maintainer, `\/agent fix`/),
    });
    expect(result.main.exitCode).toBe(0);
    expect(result.summary).toContain('/agent fix');
    expect(JSON.stringify(result.main.annotations)).toContain('fork');
  });

  it('is not started by its failed CI, without one request', LIMIT, async () => {
    const issue = await fromFork();
    expectIgnored(
      await playInVain({ event: ciFailed(world, issue) }),
      /of a fork; there a maintainer's comment "\/agent fix"/,
    );
    expect(apiRequests()).toEqual([]);
  });
});

describe('the same event twice', () => {
  const events: readonly [string, (issue: PullRequestIssue) => Promise<PlayOptions['event']>][] = [
    ['a comment', async ({ number }) => commented(world, number, '/agent fix')],
    ['a label', ({ number }) => labelled(world, number)],
    ['a failed workflow run', async issue => ciFailed(world, issue)],
  ];
  const green = () => redPullRequest(world, { head: { files: { 'README.md': '# prices\n' } } });

  it.each(events)('%s: the second delivery is ignored, a re-run goes on', LIMIT, async (_way, eventOf) => {
    const event = await eventOf(await green());
    if (!event) throw new Error('there is no event');
    expectTold(await playInVain({ event, runId: 7001 }), 'not-reproduced');
    const second = await playInVain({ event, runId: 7002 });
    expect(second.outputs, storyOf(second)).toMatchObject({
      outcome: 'ignored',
      reason: expect.stringMatching(/another run has taken this|there was a round for this commit already/),
    });
    expect(second.main.exitCode).toBe(0);
    expect(world.comments()).toHaveLength(1);
    const again = await playInVain({ event, runId: 7001, more: { env: { GITHUB_RUN_ATTEMPT: '2' } } });
    expect(again.outputs.outcome, storyOf(again)).toBe('not-reproduced');
    expect(world.comments()).toHaveLength(2);
  });
});

describe('rounds that nobody asked for', () => {
  it('are two for a pull request', LIMIT, async () => {
    const issue = await redPullRequest(world, { head: { files: { 'README.md': '# prices\n' } } });
    for (const round of ['one', 'two']) {
      const result = await playInVain({ event: ciFailed(world, issue) });
      expect(result.outputs.outcome, storyOf(result)).toBe('not-reproduced');
      await world.github.commit(world.repository, 'round-prices', { 'README.md': `# ${round}\n` });
    }
    const third = await playInVain({ event: ciFailed(world, issue) });
    expect(third.outputs, storyOf(third)).toMatchObject({
      outcome: 'ignored',
      reason: expect.stringMatching(/^there were 2 unasked rounds on this pull request already/),
    });
    expect(world.comments()).toHaveLength(2);
  });

  it('are none for a commit of ours', LIMIT, async () => {
    const issue = await redPullRequest(world);
    const { outputs } = await play(world, { event: ciFailed(world, issue) });
    expect(outputs.outcome).toBe('proven');
    const requests = apiRequests().length;
    // CI says the commit's whole message here.
    const displayTitle = await git(world.repository.folder, ['log', '-1', '--format=%B', issue.pull.headSha]);
    const result = await playInVain({ event: ciFailed(world, issue, undefined, { displayTitle }) });
    expect(result.outputs).toMatchObject({ outcome: 'ignored', reason: expect.stringContaining('our own') });
    expect(apiRequests()).toHaveLength(requests);
  });

  it('are none for a commit that is not the newest any more', LIMIT, async () => {
    const issue = await redPullRequest(world);
    const event = ciFailed(world, issue);
    await world.github.commit(world.repository, 'round-prices', { 'README.md': '# more\n' });
    expectIgnored(await playInVain({ event }), /newer commits than the one that failed/);
  });
});

describe('a dispatch', () => {
  const dispatch = (value: string): PlayOptions => ({ dispatch: { command: 'fix', 'pull-request': value } });

  it('with a pull request that is no number fails at once', LIMIT, async () => {
    const result = await playInVain(dispatch('twelve'));
    expect(result.main.exitCode).toBe(1);
    expect(result.outputs).toMatchObject({
      outcome: 'failed',
      reason: expect.stringContaining('"twelve", which is no number'),
    });
    expect(result.summary).toContain('Give the number of the pull request');
    expect(apiRequests()).toEqual([]);
  });

  it.each([
    ['does not exist', '99', /#99/],
    ['is an issue', '1', /^There is no pull request #1/],
  ])('with a pull request that %s fails, and works on nothing else', LIMIT, async (_what, value, reason) => {
    await another({ ...FILES, 'src/price.js': WRONG });
    const result = await playInVain(dispatch(value));
    expect(result.main.exitCode).toBe(1);
    expect(result.outputs, storyOf(result)).toMatchObject({
      outcome: 'failed',
      reason: expect.stringMatching(reason),
    });
  });
});

describe('two commands within a second', () => {
  it('on one pull request: the second fix goes beside the first, and none is lost', LIMIT, async () => {
    const { number, pull } = await redPullRequest(world);
    const { promise: over, resolve: firstIsOver } = Promise.withResolvers<void>();
    const [first, second] = await Promise.all([
      play(world, { comment: '/agent fix', on: number }).finally(firstIsOver),
      play(world, { comment: '/agent fix', on: number, script: tell({ debugger: () => over }) }),
    ]);
    expect(first.outputs, storyOf(first)).toMatchObject({ outcome: 'proven', branch: 'round-prices' });
    expect(second.outputs, storyOf(second)).toMatchObject({
      outcome: 'proven',
      branch: 'agent/pr-2',
      'pull-request-number': '3',
    });
    expect(pull.headSha).toBe(first.outputs['head-sha']);
    expect((await branchesOf(world))['agent/pr-2']).toBe(second.outputs['head-sha']);
    expect((await world.github.pullRequest(world.repository, 3)).base.ref).toBe('round-prices');
    expect(world.comments()).toHaveLength(2);
    expect(world.comments().join('\n')).toContain('somebody pushed to it meanwhile');
  });

  it('on one issue: each has a branch and a pull request of its own', LIMIT, async () => {
    const { promise: over, resolve: firstIsOver } = Promise.withResolvers<void>();
    const [first, second] = await Promise.all([
      play(world, { comment: '/agent implement' }).finally(firstIsOver),
      play(world, { comment: '/agent implement', script: tell({ implementer: () => over }) }),
    ]);
    expect(first.outputs, storyOf(first)).toMatchObject({
      outcome: 'proven',
      branch: 'agent/issue-1',
      'pull-request-number': '2',
    });
    expect(second.outputs, storyOf(second)).toMatchObject({ outcome: 'proven', 'pull-request-number': '3' });
    expect(second.outputs.branch).toMatch(/^agent\/issue-1-/);
    const branches = await branchesOf(world);
    expect(branches['agent/issue-1']).toBe(first.outputs['head-sha']);
    expect(branches[second.outputs.branch ?? '']).toBe(second.outputs['head-sha']);
    expect(world.comments()).toHaveLength(2);
  });
});
