/** Every way in, in the job's service container: the built action against a local GitHub, with real test runs; only the model is scripted. */
import { readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { buildHostImage } from '../../scripts/host-image.ts';
import type { Proof } from '../../src/types.ts';
import { dockerEngine, type Service, startService, unlessDocker } from '../helpers/docker-engine.ts';
import {
  branchesOf,
  ciFailed,
  createPrices,
  labelled,
  type Played,
  type PlayOptions,
  play,
  redPullRequest,
  storyOf,
  tellAgain,
  UNTESTED,
} from './prices.ts';
import type { World } from './scenario.ts';

const engine = await dockerEngine();
const LIMIT = { timeout: 180_000 };
let world: World;
afterEach(() => world?.close());

function expectProven(result: Played, kind: string): Proof {
  expect(result.outputs, storyOf(result)).toMatchObject({ outcome: 'proven', reason: '' });
  expect(result.main.exitCode).toBe(0);
  expect(result.post?.exitCode).toBe(0);
  expect(world.github.unknownRequests).toEqual([]);
  const proof = JSON.parse(readFileSync(result.outputs.proof ?? '', 'utf8')) as Proof;
  expect(proof).toMatchObject({ proven: true, isolated: kind === 'service', sandbox: { kind } });
  return proof;
}

/** One commit more on the branch of the pull request, and nothing else. */
async function expectOnItsBranch(result: Played, number: number, before: Readonly<Record<string, string>>) {
  const { repository, github } = world;
  expect(result.outputs).toMatchObject({ branch: 'round-prices', 'pull-request-number': String(number) });
  expect(await branchesOf(world)).toEqual({ ...before, 'round-prices': result.outputs['head-sha'] });
  expect(repository.issues.get(number)?.pull?.headSha).toBe(result.outputs['head-sha']);
  expect(await github.diff(repository, number)).toBe('');
}

describe.skipIf(!engine.available)(`in the job’s service container${unlessDocker(engine)}`, () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({ image: await buildHostImage({ dockerHost: engine.dockerHost }) });
  });
  afterAll(() => service?.stop());

  const serve = (options: PlayOptions): Promise<Played> =>
    play(world, {
      ...options,
      inputs: { sandbox: 'auto', 'sandbox-container': service.id, ...options.inputs },
    });

  it('a comment on a red pull request ends in a proven commit on its branch', LIMIT, async () => {
    world = await createPrices();
    const { number } = await redPullRequest(world);
    const before = await branchesOf(world);
    let comment = 0;
    const result = await serve({
      comment: '/agent fix',
      on: number,
      onComment: id => {
        comment = id;
      },
    });
    const proof = expectProven(result, 'service');
    await expectOnItsBranch(result, number, before);
    expect(proof.runs.map(run => [run.name, run.passed, run.failed])).toEqual([
      ['baseline', 1, 1],
      ['baseline-again', 1, 1],
      ['reproduction', 1, 1],
      ['on-base', 2, 0],
      ['red', 1, 1],
      ['green', 2, 0],
      ['suite', 2, 0],
    ]);
    expect(world.reactions(comment)).toEqual(['rocket']);
    expect(world.comments()).toHaveLength(1);
    for (const text of ['floored to ten cents', 'Divides once and rounds last.', 'src/price.js:2'])
      expect(world.comments()[0]).toContain(text);
    expect(world.comments()[0]).not.toContain('not isolated');
  });

  it('the label agent:fix on a red pull request does as well', LIMIT, async () => {
    world = await createPrices();
    const { number } = await redPullRequest(world);
    const before = await branchesOf(world);
    const result = await serve({ event: await labelled(world, number) });
    expectProven(result, 'service');
    await expectOnItsBranch(result, number, before);
    expect(world.repository.issues.get(number)?.reactions.map(({ content }) => content)).toEqual(['rocket']);
  });

  it(
    'a failed workflow run of a pull request, that nobody asked to be mended, does as well',
    LIMIT,
    async () => {
      world = await createPrices();
      const issue = await redPullRequest(world);
      const before = await branchesOf(world);
      const result = await serve({ event: ciFailed(world, issue) });
      expectProven(result, 'service');
      await expectOnItsBranch(result, issue.number, before);
      expect(world.comments()[0]).toContain('because CI failed');
      const brief = JSON.stringify(result.asked[0]?.body.messages);
      for (const text of ['log of the job test in CI', 'price has two digits', 'Math.floor(cents / 10)'])
        expect(brief).toContain(text);
    },
  );

  it('a bug report in words ends in a pull request with a test of its own', LIMIT, async () => {
    world = await createPrices({ files: UNTESTED });
    const result = await serve({ comment: '/agent fix' });
    expectProven(result, 'service');
    const pull = await world.github.pullRequest(world.repository, 2);
    expect(pull).toMatchObject({ draft: true, head: { ref: 'agent/issue-1' }, base: { ref: 'main' } });
    expect(pull.title).not.toContain('not proven');
    expect(pull.body).toContain('What was wrong');
    expect(pull.body).toContain('Closes #1');
    const diff = await world.github.diff(world.repository, 2);
    expect([...diff.matchAll(/^diff --git a\/(\S+)/gm)].map(([, path]) => path)).toEqual([
      'src/price.js',
      'test/cent.test.js',
    ]);
  });

  it('a dispatch about a red pull request ends on its branch', LIMIT, async () => {
    world = await createPrices();
    const { number } = await redPullRequest(world);
    const before = await branchesOf(world);
    const result = await serve({ dispatch: { command: 'fix', 'pull-request': String(number) } });
    expectProven(result, 'service');
    await expectOnItsBranch(result, number, before);
  });

  it('a dispatch without words, on a red branch, ends in a pull request', LIMIT, async () => {
    world = await createPrices({ files: { ...UNTESTED, 'test/price.test.js': TWO_DIGITS } });
    const result = await serve({ dispatch: { command: 'fix' } });
    expectProven(result, 'service');
    expect(result.outputs.branch).toMatch(/^agent\/run-\d+$/);
    expect(world.comments()).toEqual([]);
    const pull = await world.github.pullRequest(
      world.repository,
      Number(result.outputs['pull-request-number']),
    );
    expect(pull.body).not.toContain('Closes');
  });

  it('the label agent:implement on an issue ends in a pull request', LIMIT, async () => {
    world = await createPrices();
    const result = await serve({ event: await labelled(world, world.issue.number, 'agent:implement') });
    expectProven(result, 'service');
    const pull = await world.github.pullRequest(world.repository, 2);
    expect(pull).toMatchObject({ draft: true, head: { ref: 'agent/issue-1' } });
    expect(pull.body).toContain('Closes #1');
    expect(world.issue.reactions.map(({ content }) => content)).toEqual(['rocket']);
    expect(world.comments()).toHaveLength(1);
  });
});

const TWO_DIGITS = `import assert from 'node:assert';
import { test } from 'node:test';
import { price } from '../src/price.js';
test('price has two digits', () => assert.equal(price(1234), '12.34'));
`;

describe('what a run costs at GitHub', () => {
  /** Method and path of every request of the API, but for edits of the progress comment. */
  const apiCalls = () =>
    world.github.requests
      .filter(
        ({ method, path }) =>
          path.startsWith('/api/') && !(method === 'PATCH' && /\/comments\/\d+$/.test(path)),
      )
      .map(({ method, path }) => `${method} ${path.replace('/api/v3/repos/octo-org/tiny-text', '')}`);

  const expectFew = (calls: readonly string[]) =>
    expect(calls.length, `${calls.length} calls:\n${calls.join('\n')}`).toBeLessThanOrEqual(25);

  it('a fix after three jobs have failed makes at most 25 calls of the API', LIMIT, async () => {
    world = await createPrices();
    const issue = await redPullRequest(world);
    const red = { conclusion: 'failure', steps: { 'Run npm test': 'failure' } } as const;
    const jobs = ['node 22', 'node 24', 'node 26'].map(name => ({ name, ...red }));
    const result = await play(world, { event: ciFailed(world, issue, jobs) });
    expectProven(result, 'unsafe-local');
    const brief = JSON.stringify(result.asked[0]?.body.messages);
    for (const { name } of jobs) expect(brief).toContain(`log of the job ${name} in CI`);
    expectFew(apiCalls());
  });

  it('a fix that was asked for, with three failed workflows to look at, makes no more', LIMIT, async () => {
    world = await createPrices();
    const issue = await redPullRequest(world);
    for (const workflow of ['one', 'two', 'three']) ciFailed(world, issue, undefined, { workflow });
    expectProven(await play(world, { comment: '/agent fix', on: issue.number }), 'unsafe-local');
    expectFew(apiCalls());
  });

  it('an implementation makes at most 25 calls of the API', LIMIT, async () => {
    world = await createPrices();
    expectProven(await play(world, { comment: '/agent implement' }), 'unsafe-local');
    expectFew(apiCalls());
  });

  it('an implementation that goes on with its pull request makes no more', LIMIT, async () => {
    world = await createPrices();
    await play(world, { comment: '/agent implement' });
    const first = apiCalls().length;
    const again = await play(world, { comment: '/agent implement', script: tellAgain() });
    expectProven(again, 'unsafe-local');
    expect(again.outputs).toMatchObject({ branch: 'agent/issue-1', 'pull-request-number': '2' });
    expectFew(apiCalls().slice(first));
  });
});
