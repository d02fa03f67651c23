/** The whole way, with every kind of sandbox: from the comment to a proven pull request. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { buildHostImage } from '../../scripts/host-image.ts';
import type { Proof } from '../../src/types.ts';
import { dockerEngine, type Service, startService, unlessDocker } from '../helpers/docker-engine.ts';
import { createWorld, recordingText, startRecorded, type World } from './scenario.ts';

const engine = await dockerEngine();
let world: World;
beforeEach(async () => {
  world = await createWorld();
});
afterEach(() => world.close());

async function provenRun(inputs: Record<string, string>) {
  await using endpoint = await startRecorded();
  let commentId = 0;
  const result = await world.run({
    inputs: { 'base-url': endpoint.url, ...inputs },
    onComment: id => {
      commentId = id;
    },
  });
  expect(result.main.stdout + result.main.stderr).toContain('proof: proven');
  expect(endpoint.problems).toEqual([]);
  expect(endpoint.unserved()).toEqual([]);
  expect(world.github.unknownRequests).toEqual([]);
  return { ...result, commentId };
}

async function expectPublished(result: Awaited<ReturnType<typeof provenRun>>) {
  const { outputs } = result;
  expect(result.main.exitCode).toBe(0);
  expect(result.post?.exitCode).toBe(0);
  expect(outputs).toMatchObject({
    outcome: 'proven',
    reason: '',
    'pull-request-number': '2',
    branch: 'agent/issue-1',
  });
  const pull = await world.github.pullRequest(world.repository, 2);
  expect(pull).toMatchObject({
    draft: true,
    state: 'open',
    head: { ref: 'agent/issue-1', sha: outputs['head-sha'] },
    base: { ref: 'main' },
  });
  expect(pull.title).toBe('Add slugify(text, options)');
  expect(pull.body).toContain('Closes #1');
  expect(outputs['pull-request-url']).toBe(pull.html_url);
  expect(world.reactions(result.commentId)).toEqual(['rocket']);
  expect(world.comments()).toHaveLength(1);
  expect(world.comments()[0]).toContain('Proven');
  return pull;
}

const leftContainers = (label: string | undefined) =>
  execFileSync('docker', ['ps', '-a', '--filter', `label=redgreen=${label}`, '--format', '{{.Names}}'], {
    encoding: 'utf8',
  }).trim();

describe.skipIf(!engine.available)(`with a Docker engine${unlessDocker(engine)}`, () => {
  it('works in the job’s service container, and leaves the job as it was', { timeout: 180_000 }, async () => {
    const service: Service = await startService({
      image: await buildHostImage({ dockerHost: engine.dockerHost }),
      options: ['--tty', '--init'],
    });
    try {
      const result = await provenRun({ sandbox: 'auto', 'sandbox-container': service.id });
      const pull = await expectPublished(result);
      const proof = JSON.parse(readFileSync(result.outputs.proof ?? '', 'utf8')) as Proof;
      expect(proof).toMatchObject({
        version: 1,
        proven: true,
        isolated: true,
        reason: '',
        sandbox: { kind: 'service' },
        runner: 'node:test',
        brokenTests: [],
        lostTests: [],
      });
      expect(proof.sandbox.snapshot).toMatch(/^sha256:[0-9a-f]{64}$/);
      expect(proof.runs.map(run => run.name)).toEqual([
        'baseline',
        'baseline-again',
        'red',
        'green',
        'suite',
      ]);
      expect(proof.runs.every(run => /^[0-9a-f]{64}$/.test(run.reportSha256 ?? ''))).toBe(true);
      expect(proof.failToPass.length).toBeGreaterThanOrEqual(4);
      expect(
        proof.failToPass.every(
          test => ['assertion', 'not-implemented'].includes(test.before) && test.after === 'passed',
        ),
      ).toBe(true);
      expect(proof.passToPass).toHaveLength(10);
      for (const test of proof.failToPass) expect(pull.body).toContain(test.id.split('::')[1]?.slice(0, 20));
      expect(pull.body).toContain('close and reopen it to start CI');
      expect(leftContainers(result.state['run-label'])).toBe('');
    } finally {
      await service.stop();
    }
  });

  it('works in a container of its own', { timeout: 180_000 }, async () => {
    const image = await buildHostImage({ dockerHost: engine.dockerHost });
    const result = await provenRun({ sandbox: 'docker', image });
    await expectPublished(result);
    expect(leftContainers(result.state['run-label'])).toBe('');
  });
});

describe('without an engine', () => {
  it('works in bubblewrap', { timeout: 180_000 }, async () => {
    const result = await provenRun({ sandbox: 'bubblewrap' });
    await expectPublished(result);
  });

  it('works unsafely when asked to by name, and says so', { timeout: 180_000 }, async () => {
    const result = await provenRun({ sandbox: 'unsafe-local' });
    const pull = await expectPublished(result);
    expect(pull.body).toContain('not isolated');
    expect(world.comments()[0]).toContain('not isolated');
  });
});

describe('what a proven run leaves', () => {
  it('has the same bytes in the proof, the branch and the patch, and a commit by the bot with its co-author', {
    timeout: 180_000,
  }, async () => {
    const { outputs } = await provenRun({ sandbox: 'unsafe-local' });
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'safe.directory=*', '--git-dir', world.repository.folder, ...args]);
    const proof = JSON.parse(readFileSync(outputs.proof ?? '', 'utf8')) as Proof;
    for (const [path, hash] of Object.entries(proof.change)) {
      expect(
        createHash('sha256')
          .update(git('show', `agent/issue-1:${path}`))
          .digest('hex'),
      ).toBe(hash);
    }
    expect(git('diff', '--name-only', 'main', 'agent/issue-1').toString().trim().split('\n')).toEqual(
      Object.keys(proof.change).sort(),
    );
    const [author, message] = git('log', '-1', '--format=%an%x00%B', 'agent/issue-1').toString().split('\0');
    expect(author).toBe('github-actions[bot]');
    expect(message).toMatch(
      /^Add slugify\(text, options\)\n[\s\S]*Co-authored-by: mona <\d+\+mona@users\.noreply\.github\.com>/,
    );
    expect(readFileSync(outputs.patch ?? '', 'utf8')).toContain('diff --git');
  });

  it('sets every output, and writes a summary', { timeout: 180_000 }, async () => {
    const { outputs, summary, main } = await provenRun({ sandbox: 'unsafe-local' });
    const names = [
      'outcome',
      'reason',
      'pull-request-number',
      'pull-request-url',
      'branch',
      'head-sha',
      'patch',
      'file-summary',
      'result',
      'proof',
      'trajectory',
    ];
    expect(Object.keys(outputs).sort()).toEqual(names.sort());
    const rows = JSON.parse(outputs['file-summary'] ?? '') as {
      path: string;
      kind: string;
      description: string;
    }[];
    expect(rows.find(row => row.path.startsWith('test/'))?.kind).toBe('test');
    expect(rows.every(row => row.description.length > 5)).toBe(true);
    expect(JSON.parse(outputs.result ?? '')).toMatchObject({
      all_tests_passed: true,
      function_specs: [{ name: 'slugify' }],
    });
    expect(summary).toContain('Proven');
    expect(main.stdout).not.toContain(outputs['file-summary'] ?? '-');
  });

  it('replays the same from its own trajectory', { timeout: 240_000 }, async () => {
    const first = await provenRun({ sandbox: 'unsafe-local' });
    const answers = (text: string) =>
      text
        .split('\n')
        .filter(line => line.includes('"kind":"model-answered"'))
        .map(line => (JSON.parse(line) as { message: unknown }).message);
    expect(answers(readFileSync(first.outputs.trajectory ?? '', 'utf8'))).toEqual(answers(recordingText()));
  });

  it('makes few requests to the API besides edits of its comment', { timeout: 180_000 }, async () => {
    await provenRun({ sandbox: 'unsafe-local' });
    const requests = world.github.requests.filter(
      request => request.path.startsWith('/api/') && request.method !== 'PATCH',
    );
    expect(requests.map(request => `${request.method} ${request.path}`).length).toBeLessThanOrEqual(25);
  });

  it('goes on with its open pull request when asked again, and takes a new branch after that was closed', {
    timeout: 240_000,
  }, async () => {
    await provenRun({ sandbox: 'unsafe-local' });
    await world.github.mergePullRequest(world.repository, 2);
    // The sample's main now has slugify, so the recorded run can not be proven again; what counts is where it goes.
    await using endpoint = await startRecorded();
    const again = await world.run({ inputs: { 'base-url': endpoint.url } });
    expect(again.outputs.branch === '' || again.outputs.branch === 'agent/issue-1-2').toBe(true);
    expect(again.outputs.outcome).not.toBe('proven');
  });
});
