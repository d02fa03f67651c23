/** What GitHub refuses, or what changes there while a run is at work: the work is kept, and where it is gets told. */
import { existsSync, readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { git } from '../local-github/git-repository.ts';
import type { PullRequestIssue } from '../local-github/pull-requests.ts';
import type { Settings } from '../local-github/state.ts';
import {
  branchesOf,
  createPrices,
  FILES,
  type Played,
  type PlayOptions,
  play,
  redPullRequest,
  storyOf,
  tell,
  tellAgain,
  UNTESTED,
} from './prices.ts';
import { FULL, type World } from './scenario.ts';

const LIMIT = { timeout: 120_000 };
let world: World;
let issue: PullRequestIssue;
beforeEach(() => begin());
afterEach(() => world.close());

async function begin(settings: Partial<Settings> = {}, files = FILES) {
  await world?.close();
  world = await createPrices({ settings, files });
}

const implement = (options: PlayOptions = {}) => play(world, { comment: '/agent implement', ...options });

/** A fix of the pull request #2, which is opened first. */
async function fix(options: PlayOptions = {}): Promise<Played> {
  issue = await redPullRequest(world);
  return play(world, { comment: '/agent fix', on: issue.number, ...options });
}

/** The newest of ours, without the invisible characters that keep it from linking and pinging. */
const comment = () => (world.comments().at(-1) ?? '').replaceAll(/[\u200b-\u200d\u2060]/g, '');
const pullRequest = (number: number) => world.github.pullRequest(world.repository, number);
const numbers = () => [...world.repository.issues.keys()];

/** The work is proven, and where it went is told: a green step. */
function expectPublished(result: Played, branch: string | RegExp, pull: string) {
  expect(result.outputs, storyOf(result)).toMatchObject({
    outcome: 'proven',
    branch: expect.stringMatching(branch),
    'pull-request-number': pull,
  });
  expect(result.main.exitCode).toBe(0);
  expect(result.post?.exitCode).toBe(0);
}

/** Nothing was published: the step is red, and the change lies in a file that is named. */
function expectKept(result: Played, reason: RegExp, content: string) {
  expect(result.outputs, storyOf(result)).toMatchObject({
    outcome: 'failed',
    reason: expect.stringMatching(reason),
    branch: '',
    'pull-request-number': '',
  });
  expect(result.main.exitCode).toBe(1);
  expect(result.post?.exitCode).toBe(0);
  expect(readFileSync(result.outputs.patch ?? '', 'utf8')).toContain(content);
  expect(existsSync(result.outputs.proof ?? '')).toBe(true);
  expect(result.summary).toMatch(reason);
  expect(result.summary).toContain('patch');
  expect(JSON.parse(result.outputs['file-summary'] ?? '')).not.toEqual([]);
}

const FIXED = '+export const price = cents => (cents / 100).toFixed(2);';
const HALF = '+  return cents / 2;';

describe('pull requests that may not be opened', () => {
  const settings = { allowActionsToCreatePullRequests: false };
  const SETTING = 'Allow GitHub Actions to create and approve pull requests';

  it('leave an implementation on its branch, with a link', LIMIT, async () => {
    await begin(settings);
    const result = await implement();
    expectPublished(result, 'agent/issue-1', '');
    expect(comment()).toContain(SETTING);
    expect(comment()).toContain('/compare/main...agent/issue-1');
    expect(numbers()).toEqual([1]);
  });

  it('leave a fix of an issue on its branch, with a link', LIMIT, async () => {
    await begin(settings, UNTESTED);
    const result = await play(world, { comment: '/agent fix' });
    expectPublished(result, 'agent/issue-1', '');
    expect(comment()).toContain('/compare/main...agent/issue-1');
  });

  it('are no hindrance for a fix on somebody’s branch', LIMIT, async () => {
    await begin(settings);
    const result = await fix();
    expectPublished(result, 'round-prices', '2');
    expect(comment()).not.toContain(SETTING);
  });

  it(
    'leave a fix that has to go beside on its branch, with a link into the pull request',
    LIMIT,
    async () => {
      await begin({ ...settings, protectedBranches: ['round-prices'] });
      const result = await fix();
      expectPublished(result, 'agent/pr-2', '');
      expect(comment()).toContain('/compare/round-prices...agent/pr-2');
      expect(comment()).toContain(SETTING);
    },
  );
});

describe('a push that is refused', () => {
  it('for its workflow files: an implementation is kept as a patch', LIMIT, async () => {
    await begin({}, WITH_WORKFLOW);
    // The commit that it builds on has a workflow, and is on no branch any more.
    const script = tell({ implementer: () => rewrite('main') });
    const result = await implement({ script, depth: 0 });
    expectKept(result, /could not be pushed \(workflow-files\): .*refusing to allow a GitHub App/s, HALF);
    expect(comment()).toContain('bring the branch up to date with the default branch');
    expect(comment()).toContain('patch');
  });

  it('for its workflow files: a fix is kept as a patch, and shown', LIMIT, async () => {
    const says =
      'refusing to allow a GitHub App to create or update workflow `.github/workflows/ci.yml` without `workflows` permission\n';
    const answer = { status: 403, body: says, headers: { 'content-type': 'text/plain' } };
    const script = tell({
      debugger: () => world.github.fail({ path: /\.git\/info\/refs$/, answer, times: 9 }),
    });
    const result = await fix({ script });
    expectKept(result, /could not be pushed \(workflow-files\)/, FIXED);
    expect(comment()).toContain('belongs to a person');
    expect(comment()).toContain(FIXED);
    expect((await branchesOf(world))['round-prices']).toBe(issue.pull.headSha);
  });

  it('because its base was rewritten: an implementation is kept as a patch', LIMIT, async () => {
    const result = await implement({ script: tell({ implementer: () => rewrite('main') }) });
    expectKept(result, /could not be pushed \(moved\)/, HALF);
    expect(comment()).toContain('its branch was rewritten while the run was at work');
  });

  it('by a protection: an implementation is kept as a patch', LIMIT, async () => {
    await begin({ protectedBranches: ['agent/issue-1'] });
    const result = await implement();
    expectKept(result, /could not be pushed \(protected\)/, HALF);
    expect(comment()).toContain('Let GitHub Actions bypass it for branches named agent/*');
    expect(numbers()).toEqual([1]);
  });

  it('by a protection: a fix goes beside, as a pull request into the protected branch', LIMIT, async () => {
    await begin({ protectedBranches: ['round-prices'] });
    const result = await fix();
    expectPublished(result, 'agent/pr-2', '3');
    expect((await pullRequest(3)).base.ref).toBe('round-prices');
    expect(await branchesOf(world)).toMatchObject({ 'round-prices': issue.pull.headSha });
    expect(comment()).toContain('the change is not on #2, because its branch is protected');
  });

  it('by a protection of all: a fix is kept as a patch, and shown', LIMIT, async () => {
    await begin({ protectedBranches: ['round-prices', 'agent/pr-2'] });
    const result = await fix();
    expectKept(result, /could not be pushed \(protected\)/, FIXED);
    expect(comment()).toContain(FIXED);
    expect(comment()).toContain('git apply change.patch');
  });

  it('for a missing permission: a fix is kept as a patch, and shown', LIMIT, async () => {
    const result = await fix({ permissions: { ...FULL, contents: 'read' } });
    expectKept(result, /could not be pushed \(permission\)/, FIXED);
    expect(comment()).toContain('`permissions: contents: write`');
    expect(comment()).toContain(FIXED);
  });
});

const WITH_WORKFLOW = { ...FILES, '.github/workflows/ci.yml': 'on: push\n' };
/** A forced push: the branch gets a history of its own, without its commits until now. */
async function rewrite(branch: string) {
  const { folder } = world.repository;
  const tree = `refs/heads/${branch}^{tree}`;
  await git(folder, [
    'update-ref',
    `refs/heads/${branch}`,
    await git(folder, ['commit-tree', tree, '-m', 'Anew']),
  ]);
}

describe('a branch that moves during the run', () => {
  it('keeps what was pushed to it; the fix is a pull request into it', LIMIT, async () => {
    let pushed = '';
    const result = await fix({
      script: tell({
        debugger: async () => {
          pushed = await world.github.commit(world.repository, 'round-prices', { 'README.md': '# more\n' });
        },
      }),
    });
    expectPublished(result, 'agent/pr-2', '3');
    expect(issue.pull.headSha).toBe(pushed);
    expect(await pullRequest(3)).toMatchObject({ draft: true, base: { ref: 'round-prices' } });
    expect(await world.github.diff(world.repository, 3)).toContain(FIXED);
    expect(comment()).toContain('somebody pushed to it meanwhile');
    expect(comment()).toContain('#3');
  });

  it('by a forced push: the fix, whose ground is gone, is kept as a patch, and shown', LIMIT, async () => {
    const { folder } = world.repository;
    const script = tell({
      debugger: async () => {
        await git(folder, ['update-ref', 'refs/heads/round-prices', 'refs/heads/main']);
        await world.github.commit(world.repository, 'round-prices', { 'README.md': '# anew\n' });
      },
    });
    const result = await fix({ script });
    expectKept(result, /could not be pushed \(moved\)/, FIXED);
    expect((await branchesOf(world))['round-prices']).toBe(issue.pull.headSha);
    expect(comment()).toContain('Give the command again to build on its new state');
    expect(comment()).toContain('somebody pushed to it meanwhile; nor could it go to agent/pr-2');
    expect(comment()).toContain(FIXED);
  });

  it(
    'keeps what was pushed to it; the implementation that was to go on there goes beside',
    LIMIT,
    async () => {
      const first = await implement();
      expectPublished(first, 'agent/issue-1', '2');
      let pushed = '';
      const again = await implement({
        script: tellAgain({
          implementer: async () => {
            pushed = await world.github.commit(world.repository, 'agent/issue-1', {
              'README.md': '# more\n',
            });
          },
        }),
      });
      expect(again.outputs.branch, storyOf(again)).toMatch(/^agent\/issue-1-./);
      expect((await branchesOf(world))['agent/issue-1']).toBe(pushed);
      expect(comment()).toContain('agent/issue-1 moved while the agent worked');
    },
  );
});

describe('a pull request that ends during the run', () => {
  const end = {
    merge: () => world.github.mergePullRequest(world.repository, 2),
    close: () => world.github.closeIssue(world.repository, 2),
  };

  it('by being merged: the fix is a pull request into its base', LIMIT, async () => {
    const result = await fix({ script: tell({ debugger: end.merge }) });
    expectPublished(result, 'agent/pr-2', '3');
    expect((await pullRequest(3)).base.ref).toBe('main');
    expect(await world.github.diff(world.repository, 3)).toContain(FIXED);
    expect(comment()).toContain('it was merged meanwhile');
  });

  it.each(['closed', 'its branch deleted'])(
    'by being %s: the fix is on a branch, with a link',
    LIMIT,
    async how => {
      const happening =
        how === 'closed' ? end.close : () => world.github.deleteBranch(world.repository, 'round-prices');
      const result = await fix({ script: tell({ debugger: happening }) });
      expectPublished(result, 'agent/pr-2', '');
      expect(comment()).toContain('/compare/main...agent/pr-2');
      expect(comment()).toContain('#2 was closed meanwhile');
      expect(numbers()).toEqual([1, 2]);
    },
  );

  it.each(['merge', 'close'] as const)(
    'by a %s: an implementation that was to go on there has one of its own',
    LIMIT,
    async how => {
      expectPublished(await implement(), 'agent/issue-1', '2');
      const before = await branchesOf(world);
      const again = await implement({ script: tellAgain({ implementer: end[how] }) });
      expectPublished(again, /^agent\/issue-1-./, '3');
      expect(comment()).toMatch(/#2 was (merged|closed) while the agent worked/);
      expect((await branchesOf(world))['agent/issue-1']).toBe(before['agent/issue-1']);
      expect(await world.github.diff(world.repository, 3)).toContain('+  return cents / 3;');
    },
  );
});

describe('a token that ends before the work is published', () => {
  it('leaves a fix as a patch, told by summary, outputs and annotation', LIMIT, async () => {
    const token = world.github.token(FULL);
    const result = await fix({ token, script: tell({ debugger: () => world.github.expire(token) }) });
    expectKept(result, /Bad credentials/, FIXED);
    expect(JSON.stringify(result.main.annotations)).toContain('github-token');
    // The comment could not be brought to its end by anybody.
    expect(world.comments()).toHaveLength(1);
    expect(comment()).toContain('redgreen is at work');
    expect((await branchesOf(world))['round-prices']).toBe(issue.pull.headSha);
    expect(result.main.stdout).toContain('The progress comment was not edited: Bad credentials');
    expect(result.post?.stdout).toContain('not finished: refused');
  });

  it('leaves an implementation as a patch, told by summary, outputs and annotation', LIMIT, async () => {
    const token = world.github.token(FULL);
    const result = await implement({
      token,
      script: tell({ implementer: () => world.github.expire(token) }),
    });
    expectKept(result, /could not be pushed \(permission\)|Bad credentials/, HALF);
    expect(JSON.stringify(result.main.annotations)).toContain('token');
    expect(comment()).toContain('redgreen is at work');
    expect(Object.keys(await branchesOf(world))).toEqual(['main']);
  });

  it('just after the push, leaves the branch, and says so', LIMIT, async () => {
    const token = world.github.token(FULL);
    // The looks at the pull request and its branch, and what git asks for a push.
    const result = await fix({
      token,
      script: tell({ debugger: () => world.github.expire(token, { afterRequests: 4 }) }),
    });
    expectPublished(result, 'round-prices', '2');
    expect(issue.pull.headSha).toBe(result.outputs['head-sha']);
    expect(result.summary).toMatch(/pull request #\W?2/);
    expect(comment()).toContain('redgreen is at work');
  });
});

describe('a conversation', () => {
  it.each(['implement', 'fix'])(
    'that is locked: %s is done, and told by the summary',
    LIMIT,
    async command => {
      world.issue.locked = true;
      issue = await redPullRequest(world);
      issue.locked = true;
      const result =
        command === 'fix'
          ? await play(world, { comment: '/agent fix', on: issue.number })
          : await implement();
      expectPublished(
        result,
        command === 'fix' ? 'round-prices' : 'agent/issue-1',
        command === 'fix' ? '2' : '3',
      );
      expect(world.comments()).toEqual([]);
      expect(JSON.stringify(result.main.annotations)).toContain('Unlock the conversation');
      expect(result.summary).toContain('Proven');
      if (command === 'fix') expect(result.summary).toContain('floored to ten cents');
    },
  );

  it.each(['implement', 'fix'])(
    'in which both comments are deleted: %s is done, and writes no other',
    LIMIT,
    async command => {
      const script = tell({
        [command === 'fix' ? 'debugger' : 'implementer']: () => world.repository.comments.clear(),
      });
      const result = command === 'fix' ? await fix({ script }) : await implement({ script });
      expectPublished(result, command === 'fix' ? 'round-prices' : 'agent/issue-1', '2');
      expect(world.comments()).toEqual([]);
      expect(result.summary).toContain('Proven');
      expect(result.main.stdout).toContain('The progress comment was deleted; no other is written.');
    },
  );
});
