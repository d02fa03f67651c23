/** Whatever goes wrong is told: what, why and what to do; work is kept, and nothing is left running. */
import { existsSync, readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { answerFor, readRecording } from '../../src/model/replay.ts';
import { dockerEngine, unlessDocker } from '../helpers/docker-engine.ts';
import {
  cutAfter,
  failWith,
  type Handler,
  hang,
  type Reply,
  type Script,
  startScriptedEndpoint,
} from '../helpers/scripted-endpoint.ts';
import {
  createWorld,
  type RunOptions,
  recordingText,
  sampleFiles,
  startRecorded,
  type World,
} from './scenario.ts';

const engine = await dockerEngine();
let world: World;
beforeEach(async () => {
  world = await createWorld();
});
afterEach(() => world.close());

const LIMIT = { timeout: 120_000 };
const recording = readRecording(recordingText());

/** The recorded answer for a request, as the replay endpoint would give it. */
function recorded(headers: Record<string, unknown>): Reply {
  const { message } = answerFor(
    recording,
    String(headers['x-redgreen-role']),
    Number(headers['x-redgreen-turn']),
  );
  return { content: message.content, calls: message.toolCalls };
}

async function runWith(script: Script | readonly (Reply | Handler)[], options: RunOptions = {}) {
  await using endpoint = await startScriptedEndpoint(script);
  let commentId = 0;
  const result = await world.run({
    ...options,
    inputs: { 'base-url': endpoint.url, ...options.inputs },
    onComment: id => {
      commentId = id;
    },
  });
  return { ...result, requests: endpoint.requests.length, commentId };
}
type Result = Awaited<ReturnType<typeof runWith>>;

/** Outcome and exit code, and that the one comment and the reaction tell it. */
function expectTold(result: Result, outcome: string, ...texts: (string | RegExp)[]) {
  expect(result.outputs.outcome).toBe(outcome);
  expect(result.main.exitCode).toBe(outcome === 'failed' || outcome === 'crashed' ? 1 : 0);
  expect(result.post?.exitCode).toBe(0);
  expect(world.comments()).toHaveLength(1);
  const comment = world.comments()[0] ?? '';
  for (const text of texts) {
    if (typeof text === 'string') expect(comment).toContain(text);
    else expect(comment).toMatch(text);
  }
  expect(comment).toContain('**Next:**');
  expect(world.reactions(result.commentId)).toEqual(['confused']);
  expect(result.summary.length).toBeGreaterThan(50);
  expect(world.github.unknownRequests).toEqual([]);
}

describe('the model', () => {
  it('without a key, for an endpoint that needs one, costs nobody a minute', LIMIT, async () => {
    const result = await runWith([{ content: '' }], { inputs: { 'base-url': '' } });
    expectTold(result, 'failed', 'openai-api-key');
    expect(result.events.some(event => event.kind === 'phase-started' && event.phase === 'sandbox')).toBe(
      false,
    );
  });

  it('that is not known to the endpoint', LIMIT, async () => {
    expectTold(
      await runWith([failWith(404, 'The model `recorded` does not exist')]),
      'failed',
      'recorded',
      '`model`',
      '`base-url`',
    );
  });

  it('with a key that is rejected, which is never shown', LIMIT, async () => {
    const key = 'sk-secret-key-that-must-not-be-shown';
    const result = await runWith([failWith(401, `Incorrect API key provided: ${key}`)], {
      inputs: { 'openai-api-key': key },
    });
    expectTold(result, 'failed', '`openai-api-key`');
    const everything = JSON.stringify([
      world.comments(),
      result.outputs,
      result.summary,
      result.events,
      result.main.stdout.replaceAll(`::add-mask::${key}`, ''),
    ]);
    expect(everything).not.toContain(key);
  });

  it('with a rate limit, after which it goes on', LIMIT, async () => {
    let first = true;
    const script: Script = request => {
      if (first) {
        first = false;
        return failWith(429, 'slow down', { 'retry-after': '1' });
      }
      return recorded(request.headers);
    };
    const result = await runWith(script);
    expect(result.outputs.outcome).toBe('proven');
    expect(result.events.filter(event => event.kind === 'model-retried')).toHaveLength(1);
  });

  it('that hangs', LIMIT, async () => {
    const result = await runWith(() => hang, { inputs: { 'model-timeout-seconds': '1' } });
    expectTold(result, 'failed', 'did not answer in time', 'model-timeout-seconds');
    expect(result.requests).toBe(3);
  });

  it('whose stream is cut, once, which is no harm', LIMIT, async () => {
    let cut = false;
    const script: Script = request => {
      if (!cut) {
        cut = true;
        return cutAfter({ choices: [{ index: 0, delta: { role: 'assistant', content: 'I' } }] });
      }
      return recorded(request.headers);
    };
    expect((await runWith(script)).outputs.outcome).toBe('proven');
  });

  it('that talks nonsense three times', LIMIT, async () => {
    const nonsense: Reply = { calls: [{ name: 'bash', arguments: 'please run the tests' }] };
    const result = await runWith([nonsense]);
    expectTold(result, 'partial', 'three malformed replies');
    expect(result.requests).toBe(3);
  });

  it('that reports that it is blocked', LIMIT, async () => {
    const result = await runWith([
      {
        calls: [
          {
            name: 'flag_blocked',
            arguments: { reason: 'spec_ambiguous', evidence: 'Two readings: A and B.' },
          },
        ],
      },
    ]);
    expectTold(result, 'blocked', 'Two readings: A and B', 'Answer the question in the issue');
  });

  it('that runs out of budget after its tests: they are kept in a draft that says so', LIMIT, async () => {
    const script: Script = request =>
      String(request.headers['x-redgreen-role']).startsWith('implementer')
        ? { calls: [{ name: 'bash', arguments: { command: `echo ${request.headers['x-redgreen-turn']}` } }] }
        : recorded(request.headers);
    const result = await runWith(script, { inputs: { 'max-steps': '12' } });
    expectTold(result, 'partial', 'max-steps', /#2|pull\/2/);
    const pull = await world.github.pullRequest(world.repository, 2);
    expect(pull.title).toMatch(/^\[not proven\] /);
    expect(pull.draft).toBe(true);
  });
});

describe('the sandbox', () => {
  it.skipIf(!engine.available)(`container that does not exist${unlessDocker(engine)}`, LIMIT, async () => {
    const result = await runWith([{ content: '' }], {
      inputs: { sandbox: 'service', 'sandbox-container': 'no-such-container' },
    });
    expectTold(result, 'failed', 'no-such-container');
  });

  it('set-up that fails, with the end of its output', LIMIT, async () => {
    const result = await runWith([{ content: '' }], {
      inputs: { 'setup-command': 'echo first; echo the reason >&2; exit 7' },
    });
    expectTold(result, 'failed', 'exit 7', 'the reason', '`setup-command`');
    expect(result.requests).toBe(0);
  });

  it('root set-up where there is no root', LIMIT, async () => {
    expectTold(
      await runWith([{ content: '' }], { inputs: { 'root-setup-command': 'true' } }),
      'failed',
      'root-setup-command',
    );
  });
});

describe('the tests', () => {
  it('of a repository without any', LIMIT, async () => {
    await world.close();
    world = await createWorld({
      files: { 'README.md': '# nothing\n', 'main.c': 'int main() { return 0; }\n' },
    });
    const result = await runWith([{ content: '' }]);
    expectTold(result, 'blocked', 'no test runner was found', '`test-command`');
    expect(result.requests).toBe(0);
  });

  it('that hang', LIMIT, async () => {
    await world.close();
    world = await createWorld({
      files: {
        ...sampleFiles(),
        'test/hang.test.js':
          "import { test } from 'node:test';\ntest('hangs', async () => { await new Promise(r => setTimeout(r, 1e8)); });\n",
      },
    });
    const result = await runWith([{ content: '' }], { inputs: { 'proof-minutes': '0.1' } });
    expectTold(result, 'blocked', 'stopped after 6 s', '`test-command`');
    expect(result.requests).toBe(0);
  });
});

describe('the inputs', () => {
  it.each([
    ['model', '', 'model'],
    ['sandbox', 'jail', 'bubblewrap'],
    ['max-cost-usd', 'much', 'max-cost-usd'],
    ['model-price', 'cheap', 'model-price'],
    ['base', 'no-such-branch', 'base'],
    ['include', '../secrets', 'include'],
  ])('%s: "%s" is told in the comment', LIMIT, async (name, value, text) => {
    expectTold(await runWith([{ content: '' }], { inputs: { [name]: value } }), 'failed', text);
  });
});

describe('GitHub', () => {
  it('that refuses to open pull requests: the branch and a link stay', LIMIT, async () => {
    await world.close();
    world = await createWorld({ settings: { allowActionsToCreatePullRequests: false } });
    await using endpoint = await startRecorded();
    const result = await world.run({ inputs: { 'base-url': endpoint.url } });
    expect(result.main.exitCode).toBe(0);
    expect(result.outputs).toMatchObject({
      outcome: 'proven',
      branch: 'agent/issue-1',
      'pull-request-number': '',
    });
    expect(world.comments()[0]).toContain('Allow GitHub Actions to create and approve pull requests');
    expect(world.comments()[0]).toContain('/compare/main...agent/issue-1');
  });

  it('that refuses the push: the change stays as a patch', LIMIT, async () => {
    await world.close();
    world = await createWorld({ settings: { protectedBranches: ['agent/issue-1'] } });
    await using endpoint = await startRecorded();
    let commentId = 0;
    const result = await world.run({
      inputs: { 'base-url': endpoint.url },
      onComment: id => {
        commentId = id;
      },
    });
    expectTold({ ...result, requests: 0, commentId }, 'failed', 'could not be pushed', 'patch');
    expect(readFileSync(result.outputs.patch ?? '', 'utf8')).toContain('slugify');
    expect(existsSync(result.outputs.proof ?? '')).toBe(true);
  });

  it('without drafts: the pull request is ready, and its title says that it is one', LIMIT, async () => {
    await world.close();
    world = await createWorld({ settings: { draftsSupported: false } });
    await using endpoint = await startRecorded();
    await world.run({ inputs: { 'base-url': endpoint.url } });
    expect(await world.github.pullRequest(world.repository, 2)).toMatchObject({
      draft: false,
      title: '[draft] Add slugify(text, options)',
    });
  });

  it('that may not be commented on: an annotation and the summary tell it', LIMIT, async () => {
    const result = await world.run({
      inputs: { 'setup-command': 'exit 3', 'base-url': 'http://127.0.0.1:9/v1' },
      permissions: { contents: 'write', issues: 'read', pull_requests: 'write' },
    });
    expect(result.outputs.outcome).toBe('failed');
    expect(world.comments()).toEqual([]);
    expect(JSON.stringify(result.main.annotations)).toContain('issues: write');
    expect(result.summary).toContain('exit 3');
  });
});

describe('a run that ends early', () => {
  const slow: Script = async request => {
    await new Promise(resolve => setTimeout(resolve, 1_500));
    return recorded(request.headers);
  };

  it('by cancellation says so in its comment, and keeps nothing running', LIMIT, async () => {
    const controller = new AbortController();
    const result = await runWith(slow, {
      more: {
        cancel: controller.signal,
        onOutput: (_step, text) => text.includes('specifier 1') && controller.abort(),
      },
    });
    expectTold(result, 'cancelled', 'Cancelled', 'the workflow run was cancelled');
    expect(result.main.durationMs).toBeLessThan(60_000);
  });

  it('by a kill is told by the post step', LIMIT, async () => {
    const result = await runWith(slow, {
      more: {
        onStart: (step, child) => {
          if (step !== 'main') return;
          child.stdout?.on(
            'data',
            (text: string) => text.includes('specifier 1') && process.kill(-(child.pid ?? 0), 'SIGKILL'),
          );
        },
      },
    });
    expect(result.main.signal).toBe('SIGKILL');
    expect(result.post?.exitCode).toBe(0);
    expect(world.comments()).toHaveLength(1);
    expect(world.comments()[0]).toContain('Crashed');
    expect(world.comments()[0]).toContain('Baseline: 10 tests pass');
    expect(world.reactions(result.commentId)).toEqual(['confused']);
  });

  it('by its own time limit keeps what it had, in a draft that says so', LIMIT, async () => {
    const script: Script = request =>
      String(request.headers['x-redgreen-role']).startsWith('implementer') ? hang : recorded(request.headers);
    const result = await runWith(script, { inputs: { 'timeout-minutes': '0.35', 'proof-minutes': '0.05' } });
    expectTold(result, 'partial', /timeout-minutes|time budget/, /#.?2/);
    const pull = await world.github.pullRequest(world.repository, 2);
    expect(pull.title).toMatch(/^\[not proven\] /);
    expect(await world.github.diff(world.repository, 2)).toContain('test/slugify.test.js');
  });

  it('by its own time limit, with nothing done yet, says so', LIMIT, async () => {
    const result = await runWith(() => hang, { inputs: { 'timeout-minutes': '0.15' } });
    expect(['cancelled', 'partial']).toContain(result.outputs.outcome);
    expect(result.outputs.reason).toMatch(/timeout-minutes|time budget/);
  });
});

describe('a set-up that was only guessed', () => {
  it('may fail where the tests do not need it', LIMIT, async () => {
    await world.close();
    const files = sampleFiles();
    const manifest = {
      ...JSON.parse(files['package.json'] ?? '{}'),
      dependencies: { 'left-out': 'file:./not-there.tgz' },
    };
    world = await createWorld({ files: { ...files, 'package.json': JSON.stringify(manifest) } });
    await using endpoint = await startRecorded();
    const result = await world.run({ inputs: { 'base-url': endpoint.url } });
    expect(result.outputs.outcome).toBe('proven');
    expect(world.comments()[0]).toMatch(/The set-up that was guessed \(.*\) did not work/);
  });
});
