import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nodeFor } from '../helpers/unprivileged.ts';
import { parseMapping } from './action-yml.ts';
import { issueCommentEvent, labeledEvent } from './events.ts';
import { FULL, type Sample, startSample } from './fixture.ts';
import { type ActionRun, runAction } from './runner.ts';
import { readKeyValues, readLog } from './workflow-commands.ts';

const ACTION_YML = `name: Sample
description: >-
  An action
  for tests
inputs:
  github-token:
    description: 'A token: the job''s own'
    default: \${{ github.token }}
  base-url: { description: x }
  mode:
    description: Mode
    required: false
    default: "quick"
outputs:
  answer:
    description: The answer
runs:
  using: node24
  main: dist/index.js
  post: dist/post.js
  post-if: always()
`.replace('  base-url: { description: x }\n', '  base url:\n    description: x # none\n');

const MAIN = `
import { appendFileSync, readFileSync, existsSync } from 'node:fs';
const { env } = process;
appendFileSync(env.GITHUB_OUTPUT, 'answer<<ghadelimiter_1\\nforty\\ntwo\\nghadelimiter_1\\nplain=yes\\n');
appendFileSync(env.GITHUB_STATE, 'comment=17\\n');
appendFileSync(env.GITHUB_STEP_SUMMARY, '# Main\\n');
console.log('::add-mask::hunter2');
console.log('my hunter2 and ' + env['INPUT_GITHUB-TOKEN']);
console.log('::warning title=Careful::it is%0Alate');
console.log(JSON.stringify({ env, argv: process.argv, cwd: process.cwd(), uid: process.getuid(), event: JSON.parse(readFileSync(env.GITHUB_EVENT_PATH, 'utf8')).action, modules: existsSync(new URL('../node_modules', import.meta.url)) }));
const mode = env.INPUT_MODE;
if (mode === 'fail') process.exitCode = 3;
if (mode === 'wait') { process.on('SIGINT', () => { console.log('stopping'); process.exit(130); }); setInterval(() => {}, 1000); console.log('waiting'); }
`;
const POST = `
import { appendFileSync } from 'node:fs';
appendFileSync(process.env.GITHUB_STEP_SUMMARY, '# Post\\n');
console.log('comment ' + process.env.STATE_comment + ' ' + process.env.INPUT_MODE);
`;

let sample: Sample;
let action: string;
beforeAll(async () => {
  sample = await startSample();
  action = await mkdtemp(join(tmpdir(), 'sample-action-'));
  await mkdir(join(action, 'dist'));
  await writeFile(join(action, 'action.yml'), ACTION_YML);
  await writeFile(join(action, 'dist', 'package.json'), '{"type":"module"}');
  await writeFile(join(action, 'dist', 'index.js'), MAIN);
  await writeFile(join(action, 'dist', 'post.js'), POST);
});
afterAll(async () => {
  await sample.close();
  await rm(action, { recursive: true });
});

let count = 0;
async function start(more: Partial<ActionRun> = {}) {
  const { github, repository, issue } = sample;
  const folder = join(sample.folder, `job-${++count}`);
  const workspace = join(folder, 'hello', 'hello');
  await mkdir(workspace, { recursive: true });
  const comment = github.addComment(repository, {
    issue: issue.number,
    body: '/agent implement',
    author: 'mona',
  });
  const event = issueCommentEvent(github, repository, comment);
  const token = github.token(FULL);
  const run = { action, folder, workspace, event, github, repository, token, ...more };
  return { result: await runAction(run), token, workspace };
}

const seen = (stdout: string) => JSON.parse(stdout.split('\n').find(line => line.startsWith('{')) ?? '{}');

it('an action gets inputs, event and files as from a runner, and nothing else of this machine', async () => {
  const { result, token, workspace } = await start({ inputs: { 'base url': 'http://x' } });
  expect(result.main.exitCode).toBe(0);
  const { env, cwd, event, modules } = seen(result.main.stdout);
  expect(env).toMatchObject({
    'INPUT_GITHUB-TOKEN': token.value,
    INPUT_BASE_URL: 'http://x',
    INPUT_MODE: 'quick',
    GITHUB_REPOSITORY: 'octo-org/hello',
    GITHUB_ACTOR: 'mona',
    GITHUB_EVENT_NAME: 'issue_comment',
    GITHUB_API_URL: sample.github.apiUrl,
    RUNNER_OS: 'Linux',
  });
  expect(
    Object.keys(env).filter(name => !/^(GITHUB|RUNNER|INPUT)_|^(CI|HOME|LANG|PATH)$/.test(name)),
  ).toEqual([]);
  expect({ cwd, event, modules }).toEqual({ cwd: workspace, event: 'created', modules: false });
});

it('outputs, state, summary, masks and annotations come back', async () => {
  const { result, token } = await start();
  expect(result.outputs).toEqual({ answer: 'forty\ntwo', plain: 'yes' });
  expect(result.state).toEqual({ comment: '17' });
  expect(result.summary).toBe('# Main\n# Post\n');
  expect(result.main.lines[0]).toBe('my *** and ***');
  expect(result.main.lines.join('\n')).not.toContain(token.value);
  expect(result.main.annotations).toEqual([
    { level: 'warning', message: 'it is\nlate', properties: { title: 'Careful' } },
  ]);
});

it.each([
  ['failed', { inputs: { mode: 'fail' } }, { exitCode: 3, signal: null }, 'fail'],
  [
    'was killed',
    { inputs: { mode: 'wait' }, kill: 'SIGKILL' },
    { exitCode: null, signal: 'SIGKILL' },
    'wait',
  ],
])(
  'the post step runs with the state when the main step %s',
  async (_what, { inputs, ...more }, ended, mode) => {
    const kill = 'kill' in more;
    const { result } = await start({
      inputs,
      onStart: (step, child) => {
        if (kill && step === 'main')
          child.stdout?.on('data', text => `${text}`.includes('waiting') && child.kill('SIGKILL'));
      },
    });
    expect(result.main).toMatchObject(ended);
    expect(result.post).toMatchObject({ exitCode: 0, lines: [`comment 17 ${mode}`] });
  },
);

it('a cancelled run gets SIGINT first, and its post step', async () => {
  const controller = new AbortController();
  const { result } = await start({
    inputs: { mode: 'wait' },
    cancel: controller.signal,
    onOutput: (_step, text) => text.includes('waiting') && controller.abort(),
  });
  expect(result.main.exitCode).toBe(130);
  expect(result.main.lines).toContain('stopping');
  expect(result.post?.lines).toEqual(['comment 17 wait']);
});

it('a run is known to the API while it goes on, and is cancelled from there', async () => {
  const { github, repository } = sample;
  const runId = 9_000_000_001;
  const { value } = github.token({ actions: 'write' });
  const ask = (path: string, method = 'GET') =>
    fetch(`${github.apiUrl}/repos/octo-org/hello/actions/runs/${runId}${path}`, {
      method,
      headers: { 'user-agent': 'test', authorization: `Bearer ${value}` },
    });
  let seenBefore: unknown;
  let cancelled = 0;
  const { result } = await start({
    runId,
    inputs: { mode: 'wait' },
    onOutput: async (_step, text) => {
      if (!text.includes('waiting')) return;
      seenBefore = await (await ask('')).json();
      cancelled = (await ask('/cancel', 'POST')).status;
    },
  });
  expect(seenBefore).toMatchObject({
    status: 'in_progress',
    event: 'issue_comment',
    actor: { login: 'mona' },
  });
  expect([cancelled, result.main.exitCode, result.post?.exitCode]).toEqual([202, 130, 0]);
  expect(repository.runs.get(runId)).toMatchObject({ status: 'completed', conclusion: 'cancelled' });
});

it('on a label of a pull request the refs are those of its merge', async () => {
  const { github, repository } = sample;
  const { number, pull } = await github.addPullRequest(repository, {
    title: 'Change',
    head: { branch: 'change', files: { 'c.txt': 'c\n' } },
  });
  github.addLabel(repository, number, 'agent:fix');
  const event = await labeledEvent(github, repository, number, 'agent:fix', github.addUser('mona'));
  const { result } = await start({ event });
  expect(seen(result.main.stdout).env).toMatchObject({
    GITHUB_EVENT_NAME: 'pull_request',
    GITHUB_REF: `refs/pull/${number}/merge`,
    GITHUB_REF_NAME: `${number}/merge`,
    GITHUB_SHA: pull.testMergeSha,
    GITHUB_HEAD_REF: 'change',
    GITHUB_BASE_REF: 'main',
  });
});

it.skipIf(process.getuid?.() !== 0)('an action can run as another user, who owns the folders', async () => {
  await chmod(sample.folder, 0o755);
  const { result } = await start({ user: { uid: 1234, gid: 1234 }, node: nodeFor(sample.folder) });
  expect(result.main.stderr).toBe('');
  expect(seen(result.main.stdout).uid).toBe(1234);
  expect(result.outputs.plain).toBe('yes');
});

it('an input that action.yml does not know is a mistake of the test', async () => {
  await expect(start({ inputs: { nope: 'x' } })).rejects.toThrow("Unexpected input(s) 'nope'");
});

describe('the log of a step', () => {
  it('obeys no command between stop and resume', () => {
    const { lines, masks } = readLog('::stop-commands::abc\n::add-mask::x\n::abc::\n::add-mask::y\nx y', []);
    expect([lines, masks]).toEqual([['::add-mask::x', 'x ***'], ['y']]);
  });

  it('obeys commands in the older spelling, anywhere in a line', () => {
    expect(readLog('text ##[error]bad', []).annotations).toMatchObject([{ level: 'error', message: 'bad' }]);
  });
});

it('a file of outputs without its end mark is refused', () => {
  expect(() => readKeyValues('a<<END\nx\n')).toThrow("Matching delimiter not found 'END'");
});

it('YAML beyond what action.yml needs is refused, not misread', () => {
  expect(() => parseMapping('inputs: {a: 1}')).toThrow(/can not read/);
  expect(() => parseMapping('a:\n  - x')).toThrow(/can not read/);
  expect(parseMapping('a:\n  \'b c\': |\n    x: 1\n\n    y\n  d: "q\\n" # z\n')).toEqual({
    a: { 'b c': 'x: 1\n\ny\n', d: 'q\n' },
  });
});
