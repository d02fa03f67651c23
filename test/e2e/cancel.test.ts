/** `/agent cancel`, and the questions that are answered at once: no model is needed for either, nor a key. */
import { execFileSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { buildHostImage } from '../../scripts/host-image.ts';
import { runMark } from '../../src/github/progress-comment.ts';
import { dockerEngine, startService, unlessDocker } from '../helpers/docker-engine.ts';
import { hang, startScriptedEndpoint } from '../helpers/scripted-endpoint.ts';
import type { WorkflowRun } from '../local-github/state.ts';
import type { NewWorkflowRun } from '../local-github/workflow-runs.ts';
import { createWorld, FULL, type RunOptions, type World } from './scenario.ts';

const engine = await dockerEngine();
const LIMIT = { timeout: 120_000 };
const FILES = {
  'package.json': JSON.stringify({ name: 'small', type: 'module', scripts: { test: 'node --test' } }),
  'test/one.test.js': "import { test } from 'node:test';\ntest('one', () => undefined);\n",
};

let world: World;
beforeEach(async () => {
  world = await createWorld({ files: FILES });
});
afterEach(async () => {
  expect(world.github.unknownRequests).toEqual([]);
  await world.close();
});

/** Neither a model nor a key, which a question does not need. */
const BARE = { model: '', 'openai-api-key': '' };

async function give(comment: string, options: RunOptions = {}) {
  let id = 0;
  const before = world.comments().length;
  const result = await world.run({
    comment,
    inputs: BARE,
    ...options,
    onComment: given => {
      id = given;
    },
  });
  expect([result.main.exitCode, result.post?.exitCode], result.main.stdout).toEqual([0, 0]);
  const replies = world.comments().slice(before);
  return { ...result, replies, reply: readable(replies[0]), reactions: world.reactions(id) };
}

/** Without what keeps outside text from acting. */
const readable = (text = ''): string => text.replaceAll('\u200b', '').replaceAll('\\#', '#');

const [FIRST, SECOND, THIRD] = [7_000_000_100, 7_000_000_200, 7_000_000_300];
const LONG_AGO = '2026-01-01T00:00:00Z';

/** A run that is cancelled or not, as it stands in the list. */
const addRun = (more: Partial<NewWorkflowRun> = {}): WorkflowRun =>
  world.github.addWorkflowRun(world.repository, {
    workflow: 'agent',
    event: 'issue_comment',
    headSha: 'a'.repeat(40),
    status: 'in_progress',
    displayTitle: 'agent #1',
    createdAt: LONG_AGO,
    ...more,
  });

const mark = (run: WorkflowRun, author: string, answers?: string) =>
  world.github.addComment(world.repository, {
    issue: 1,
    body: `${runMark(`${run.id}-1-abc`, answers)}\nat work`,
    author,
  });

/** Starts a run whose model never answers, cancels it by comments at once, and waits for all of them. */
async function cancelOne(start: RunOptions, cancels: readonly number[] = [SECOND]) {
  await using endpoint = await startScriptedEndpoint(() => hang);
  const running = world.run({
    ...start,
    runId: FIRST,
    inputs: { 'base-url': endpoint.url, ...start.inputs },
  });
  for (let n = 0; endpoint.requests.length === 0; n++) {
    if (n > 600) throw new Error(`no model was asked: ${(await running).main.stdout}`);
    await sleep(100);
  }
  const answers = await Promise.all(
    cancels.map(runId => give('/agent cancel', { runId, ...(start.on && { on: start.on }) })),
  );
  return { stopped: await running, answers };
}

const conclusionOf = (id: number) => world.repository.runs.get(id)?.conclusion;
const ownComment = (label: string | undefined) =>
  world.comments().find(comment => comment.startsWith(`<!-- redgreen:run=${label}`));

describe('a run under way', () => {
  it.skipIf(!engine.available)(
    `on an issue ends, says so, and leaves no container${unlessDocker(engine)}`,
    LIMIT,
    async () => {
      const service = await startService({ image: await buildHostImage({ dockerHost: engine.dockerHost }) });
      try {
        const inputs = { sandbox: 'auto', 'sandbox-container': service.id };
        const { stopped, answers } = await cancelOne({ comment: '/agent implement', inputs });
        expect(stopped.outputs).toMatchObject({
          outcome: 'cancelled',
          reason: 'the workflow run was cancelled',
        });
        expect(stopped.main.signal).toBeNull();
        const label = stopped.state['run-label'];
        expect(ownComment(label)).toContain('Cancelled');
        const filter = `label=redgreen=${label}`;
        const docker = (...args: string[]) => execFileSync('docker', args, { encoding: 'utf8' }).trim();
        expect(docker('ps', '-aq', '--filter', filter) + docker('images', '-q', '--filter', filter)).toBe('');
        expect(answers[0]?.reply).toContain('Told to stop; each says in its own comment what became of it:');
        expect(answers[0]?.reply).toContain(`[run ${FIRST}](${world.github.url}/octo-org/tiny-text/actions`);
        expect(answers[0]).toMatchObject({
          reactions: ['rocket'],
          outputs: { outcome: 'answered', reason: '' },
        });
        expect([conclusionOf(FIRST), conclusionOf(SECOND)]).toEqual(['cancelled', 'success']);
        expect(world.comments()).toHaveLength(2);
      } finally {
        await service.stop();
      }
    },
  );

  it('on a pull request ends and says so', LIMIT, async () => {
    const failing = FILES['test/one.test.js'].replace('undefined', "{ throw new Error('no'); }");
    await world.github.addPullRequest(world.repository, {
      title: 'Break it',
      author: 'mona',
      head: { branch: 'broken', files: { 'test/one.test.js': failing } },
    });
    const { stopped, answers } = await cancelOne({ comment: '/agent fix', on: 2 });
    expect(stopped.outputs.outcome).toBe('cancelled');
    expect(ownComment(stopped.state['run-label'])).toContain('Cancelled');
    expect(answers[0]?.reply).toContain(`run ${FIRST}`);
    expect(conclusionOf(FIRST)).toBe('cancelled');
  });

  it('is stopped once by two cancellations at once, which do not stop each other', LIMIT, async () => {
    const { stopped, answers } = await cancelOne({ comment: '/agent implement' }, [SECOND, THIRD]);
    expect(stopped.outputs.outcome).toBe('cancelled');
    expect([FIRST, SECOND, THIRD].map(conclusionOf)).toEqual(['cancelled', 'success', 'success']);
    for (const { outputs, reactions } of answers) {
      expect(outputs).toMatchObject({ outcome: 'answered', reason: '' });
      expect(reactions).toEqual(['rocket']);
    }
    expect(readable(world.comments().join('\n'))).toContain(`run ${FIRST}`);
    // The one of the run, and one for each cancellation.
    expect(world.comments()).toHaveLength(3);
  });
});

describe('which runs are meant', () => {
  it('those that wait for their turn too, by their name', LIMIT, async () => {
    const runs = (['queued', 'pending', 'waiting', 'in_progress'] as const).map(status => addRun({ status }));
    const named = addRun({ displayTitle: 'agent #1: /agent fix the total' });
    const { reply, reactions } = await give('/agent cancel');
    for (const run of [...runs, named]) {
      expect(run.conclusion).toBe('cancelled');
      expect(reply).toContain(`run ${run.id}`);
    }
    expect(reply).toContain('agent #1');
    expect(reactions).toEqual(['rocket']);
  });

  it('those that are marked in the conversation, whatever they are called', LIMIT, async () => {
    const run = addRun({ displayTitle: 'Add slugify(text, options)' });
    mark(run, 'github-actions[bot]');
    expect((await give('/agent cancel')).reply).toContain(`run ${run.id}`);
    expect(run.conclusion).toBe('cancelled');
  });

  it(
    'none of another issue or workflow, none that is over, none that was asked for later',
    LIMIT,
    async () => {
      const release = addRun({ workflow: 'release', displayTitle: 'v1.0.0' });
      for (const author of ['visitor', 'github-actions[bot]']) mark(release, author);
      const claimed = addRun({ workflow: 'release', displayTitle: 'agent #1' });
      mark(claimed, 'visitor');
      const forged = addRun({ displayTitle: 'agent #2' });
      const others = [
        release,
        claimed,
        forged,
        addRun({ displayTitle: 'agent #11', status: 'queued' }),
        addRun({ displayTitle: 'Another issue' }),
        addRun({ createdAt: '2099-01-01T00:00:00Z' }),
        addRun({ displayTitle: 'agent #1: cancel' }),
        addRun({ displayTitle: 'agent #1 help by mona' }),
      ];
      mark(forged, 'visitor');
      addRun({ status: 'completed', conclusion: 'success' });
      const { reply, reactions, outputs } = await give('/agent cancel');
      expect(others.map(run => run.conclusion)).toEqual(others.map(() => null));
      expect(reply).toContain('There is no run of mine under way here');
      expect(reactions).toEqual(['rocket']);
      expect(outputs).toMatchObject({ outcome: 'answered', reason: '' });
      expect(world.github.countOf('POST', /\/cancel$/)).toBe(0);
    },
  );
});

describe('what stands in the way', () => {
  it.each([
    ['that may only be read', { ...FULL, actions: 'read' as const }],
    ['that may not even be read', (({ actions: _, ...rest }) => rest)(FULL)],
  ])('runs %s: the one permission that is enough is named', LIMIT, async (_what, permissions) => {
    const run = addRun({ status: 'queued' });
    const { reply, reactions, outputs } = await give('/agent cancel', { permissions });
    expect(run.status).toBe('queued');
    expect(reply).toContain('Could not be cancelled:');
    expect(reply).toContain("Add `actions: write` under `permissions:` in the workflow's job");
    expect(reactions).toEqual(['confused']);
    expect(outputs.reason).toContain('Resource not accessible by integration');
  });

  it('a token that is not shown the run: not told as if there were none', LIMIT, async () => {
    addRun();
    const answer = { status: 404, body: { message: 'Not Found' } };
    world.github.fail({ method: 'GET', path: /\/actions\/runs\/\d+$/, answer, times: 1 });
    const { reply, reactions } = await give('/agent cancel');
    expect(reply).toContain('`actions: write`');
    expect(reactions).toEqual(['confused']);
  });

  it('a run that has ended meanwhile is told as such', LIMIT, async () => {
    const run = addRun();
    const answer = { status: 409, body: { message: 'Cannot cancel a workflow run that is completed.' } };
    world.github.fail({ method: 'POST', path: /\/cancel$/, answer, times: 1 });
    const { reply, reactions } = await give('/agent cancel');
    expect(reply).toContain('Had ended before it could be stopped:');
    expect(reply).toContain(`run ${run.id}`);
    expect(reactions).toEqual(['rocket']);
  });

  it('a sender who may only read', LIMIT, async () => {
    const run = addRun();
    const { replies, reactions, outputs } = await give('/agent cancel', { author: 'reader' });
    expect(run.status).toBe('in_progress');
    expect([replies, reactions]).toEqual([[], ['confused']]);
    expect(outputs.outcome).toBe('refused');
  });
});

describe('a question is answered at once', () => {
  const onPull = async () => {
    await world.github.addPullRequest(world.repository, {
      title: 'More',
      author: 'mona',
      head: { branch: 'more', files: { 'a.js': '' } },
    });
    return { on: 2 };
  };
  const onIssue = async () => ({});

  it.each<[string, () => Promise<RunOptions>, readonly string[]]>([
    [
      '/agent help',
      onIssue,
      ['I know these commands on an issue', '- `/agent implement`: ', '`/agent cancel`'],
    ],
    [
      '/agent help',
      onPull,
      ['I know these commands on a pull request', '- `/agent fix`: ', 'Elsewhere: `implement`'],
    ],
    ['/agent', onIssue, ['After `/agent` comes a command.', '`/agent implement`']],
    ['/agent fixx', onPull, ['I do not know the command `fixx`. Did you mean `/agent fix`?']],
    ['/AGENT   Chekc: it', onIssue, ['Did you mean `/agent check`?']],
    [
      '/agent implement it',
      onPull,
      ['starts from an issue, not from a pull request', 'there is `/agent fix`'],
    ],
    ['/agent refactor it', onIssue, ['The command `/agent refactor` is not available yet.', '`/agent fix`']],
  ])('%s (%#)', LIMIT, async (comment, place, texts) => {
    const { replies, reply, outputs } = await give(comment, await place());
    expect(outputs).toMatchObject({ outcome: 'answered', reason: '' });
    expect(replies).toHaveLength(1);
    for (const text of texts) expect(reply).toContain(text);
  });

  it('by dispatch, in the log and in the summary', LIMIT, async () => {
    const { main, summary, outputs, replies } = await give('', { dispatch: { command: 'help' } });
    expect(outputs.outcome).toBe('answered');
    expect(replies).toEqual([]);
    for (const text of [
      'I know these commands in the input `command`',
      '- `check`: ',
      'command: implement, task: ',
    ]) {
      expect(summary).toContain(text);
      expect(main.stdout).toContain(text);
    }
  });

  it('where nobody may comment, in the log', LIMIT, async () => {
    const { main, replies } = await give('/agent help', {
      permissions: { ...FULL, issues: 'read', pull_requests: 'read' },
    });
    expect(replies).toEqual([]);
    expect(main.stdout).toContain('no reply could be posted');
    expect(main.stdout).toContain('- `/agent implement`: ');
  });
});
