/** `fix`, by every way in: the built action against a local GitHub, with real test runs; only the model is scripted. */
import { afterEach, describe, expect, it } from 'vitest';
import { failWith, type Reply, type Script, startScriptedEndpoint } from '../helpers/scripted-endpoint.ts';
import { labeledEvent, workflowRunEvent } from '../local-github/events.ts';
import { createWorld, type World } from './scenario.ts';

let world: World;
afterEach(() => world.close());

const LIMIT = { timeout: 120_000 };
const PRICE = (body: string) => `/** Cents as a price. */\nexport const price = cents => ${body};\n`;
const RIGHT = PRICE('(cents / 100).toFixed(2)');
const WRONG = PRICE('(Math.floor(cents / 10) / 10).toFixed(2)');
const TEST = `import assert from 'node:assert';
import { test } from 'node:test';
import { price } from '../src/price.js';
test('price has two digits', () => assert.equal(price(1234), '12.34'));
test('price of nothing', () => assert.equal(price(0), '0.00'));
`;
const FILES = {
  'package.json': JSON.stringify({ name: 'prices', type: 'module', scripts: { test: 'node --test' } }),
  'src/price.js': RIGHT,
  'test/price.test.js': TEST,
};

const OTHER = TEST.replace(/^test\('price has.*$/m, '');
const LOG =
  '##[group]Run npm test\n✖ price has two digits (1.2ms)\n  AssertionError: 12.30 == 12.34\n##[error]Process completed with exit code 1.\n';
const CENT = (expected: string) => `import assert from 'node:assert';
import { test } from 'node:test';
import { price } from '../src/price.js';
test('price keeps the last cent', () => assert.equal(price(1234), '${expected}'));
`;
const github = () => world.github;

const call = (name: string, args: object) => ({ name, arguments: args });
const FIX: readonly Reply[] = [
  { calls: [call('read', { path: 'src/price.js' })] },
  {
    calls: [
      call('name_cause', {
        cause: 'The price is floored to ten cents before it is formatted.',
        file: 'src/price.js',
        line: 2,
        evidence: [{ source: 'src/price.js:2', quote: 'Math.floor(cents / 10)' }],
      }),
    ],
  },
  {
    calls: [
      call('write', { path: 'src/price.js', content: RIGHT }),
      call('finish', {
        summary: 'Divides once and rounds last.',
        files: [{ path: 'src/price.js', description: 'Formats prices.' }],
      }),
    ],
  },
];

const REPRODUCE: readonly Reply[] = ['12.30', '12.34'].map(expected => ({
  calls: [
    call('write', { path: 'test/cent.test.js', content: CENT(expected) }),
    call('finish', { summary: 'done', files: [{ path: 'test/cent.test.js', description: 'Cents.' }] }),
  ],
}));

const tell =
  (story: Readonly<Record<string, readonly Reply[]>>): Script =>
  ({ headers }) =>
    story[String(headers['x-redgreen-role'])]?.[Number(headers['x-redgreen-turn']) - 1] ??
    failWith(400, `no turn ${headers['x-redgreen-turn']} of ${headers['x-redgreen-role']}`);

const redPullRequest = (more: object = {}) =>
  world.github.addPullRequest(world.repository, {
    title: 'Round prices',
    author: 'mona',
    head: { branch: 'round-prices', files: { 'src/price.js': WRONG } },
    ...more,
  });

describe('a red pull request', () => {
  it('is fixed by a comment: one commit more on its branch, and a report in one comment', LIMIT, async () => {
    world = await createWorld({ files: FILES });
    const { number, pull } = await redPullRequest();
    const before = pull.headSha;
    await using endpoint = await startScriptedEndpoint(tell({ debugger: FIX }));
    const result = await world.run({
      comment: '/agent fix',
      on: number,
      inputs: { 'base-url': endpoint.url },
    });
    expect(result.outputs, result.main.stdout).toMatchObject({ outcome: 'proven', reason: '' });
    expect(result.outputs['pull-request-number']).toBe(String(number));
    expect(pull.headSha).toBe(result.outputs['head-sha']);
    expect(pull.headSha).not.toBe(before);
    const [comment] = world.comments();
    expect(world.comments()).toHaveLength(1);
    expect(comment).toContain('floored to ten cents');
    expect(comment).toContain('Divides once and rounds last.');
    expect(comment).toContain('src/price.js:2');
  });
});

describe('the ways in', () => {
  it('a failed workflow run of a pull request, that nobody asked to be mended', LIMIT, async () => {
    world = await createWorld({ files: FILES });
    const { github, repository } = world;
    const { number, pull } = await redPullRequest();
    const run = github.addWorkflowRun(repository, {
      event: 'pull_request',
      headSha: pull.headSha,
      headBranch: 'round-prices',
      jobs: [{ name: 'test', conclusion: 'failure', steps: { 'Run npm test': 'failure' }, log: LOG }],
    });
    await using endpoint = await startScriptedEndpoint(tell({ debugger: FIX }));
    const result = await world.run({
      event: workflowRunEvent(github, repository, run),
      inputs: { 'base-url': endpoint.url },
    });
    expect(result.outputs, result.main.stdout).toMatchObject({ outcome: 'proven' });
    expect(pull.headSha).toBe(result.outputs['head-sha']);
    expect(world.comments()[0]).toContain('CI failed');
    const brief = JSON.stringify(endpoint.requests[0]?.body.messages);
    expect(brief).toContain('log of the job test in CI');
    expect(brief).toContain('price has two digits');
    expect(brief).toContain('Math.floor(cents / 10)');
    expect(number).toBe(2);
  });

  it('the label agent:fix', LIMIT, async () => {
    world = await createWorld({ files: FILES });
    const { github, repository } = world;
    const { number, pull } = await redPullRequest();
    github.addLabel(repository, number, 'agent:fix');
    await using endpoint = await startScriptedEndpoint(tell({ debugger: FIX }));
    const result = await world.run({
      event: await labeledEvent(github, repository, number, 'agent:fix', github.addUser('mona')),
      inputs: { 'base-url': endpoint.url },
    });
    expect(result.outputs, result.main.stdout).toMatchObject({ outcome: 'proven' });
    expect(pull.headSha).toBe(result.outputs['head-sha']);
    const issue = repository.issues.get(number);
    expect(issue?.reactions.map(reaction => reaction.content)).toEqual(['rocket']);
  });

  it('a bug report in words, in an issue', LIMIT, async () => {
    world = await createWorld({ files: { ...FILES, 'src/price.js': WRONG, 'test/price.test.js': OTHER } });
    await using endpoint = await startScriptedEndpoint(tell({ reproducer: REPRODUCE, debugger: FIX }));
    const result = await world.run({ comment: '/agent fix', inputs: { 'base-url': endpoint.url } });
    expect(result.outputs, result.main.stdout).toMatchObject({ outcome: 'proven' });
    const { body, title } = await github().pullRequest(world.repository, 2);
    expect(title).not.toContain('not proven');
    expect(body).toContain('What was wrong');
    expect(body).toContain('Closes #1');
    const diff = await github().diff(world.repository, 2);
    expect(diff).toContain('test/cent.test.js');
  });

  it('a dispatch without words, on a branch whose tests are red', LIMIT, async () => {
    world = await createWorld({ files: { ...FILES, 'src/price.js': WRONG } });
    await using endpoint = await startScriptedEndpoint(tell({ debugger: FIX }));
    const result = await world.run({ dispatch: { command: 'fix' }, inputs: { 'base-url': endpoint.url } });
    expect(result.outputs, result.main.stdout).toMatchObject({ outcome: 'proven' });
    expect(result.outputs.branch).toMatch(/^agent\/run-/);
  });

  it('a dispatch about a pull request', LIMIT, async () => {
    world = await createWorld({ files: FILES });
    const { number, pull } = await redPullRequest();
    await using endpoint = await startScriptedEndpoint(tell({ debugger: FIX }));
    const result = await world.run({
      dispatch: { command: 'fix', 'pull-request': String(number) },
      inputs: { 'base-url': endpoint.url },
    });
    expect(result.outputs, result.main.stdout).toMatchObject({ outcome: 'proven' });
    expect(pull.headSha).toBe(result.outputs['head-sha']);
  });
});
