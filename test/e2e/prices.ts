/** A small package whose price is wrong on a pull request, and what a scripted model says to mend it or to build on it. */
import { failWith, type Reply, type Script, startScriptedEndpoint } from '../helpers/scripted-endpoint.ts';
import {
  issueCommentEvent,
  labeledEvent,
  type WorkflowEvent,
  workflowRunEvent,
} from '../local-github/events.ts';
import { listRefs } from '../local-github/git-repository.ts';
import type { NewPullRequest, PullRequestIssue } from '../local-github/pull-requests.ts';
import type { NewJob, NewWorkflowRun } from '../local-github/workflow-runs.ts';
import { createWorld, type RunOptions, type World, type WorldOptions } from './scenario.ts';

const price = (body: string) => `/** Cents as a price. */\nexport const price = cents => ${body};\n`;
export const RIGHT = price('(cents / 100).toFixed(2)');
export const WRONG = price('(Math.floor(cents / 10) / 10).toFixed(2)');

const testsOf = (...lines: readonly string[]) =>
  ["import assert from 'node:assert';", "import { test } from 'node:test';", ...lines, ''].join('\n');
const NOTHING = "test('price of nothing', () => assert.equal(price(0), '0.00'));";

export const FILES: Readonly<Record<string, string>> = {
  'package.json': JSON.stringify({ name: 'prices', type: 'module', scripts: { test: 'node --test' } }),
  'src/price.js': RIGHT,
  'test/price.test.js': testsOf(
    "import { price } from '../src/price.js';",
    "test('price has two digits', () => assert.equal(price(1234), '12.34'));",
    NOTHING,
  ),
};

/** The price is wrong, and no test says so. */
export const UNTESTED: Readonly<Record<string, string>> = {
  ...FILES,
  'src/price.js': WRONG,
  'test/price.test.js': testsOf("import { price } from '../src/price.js';", NOTHING),
};

/** Passes and fails in turn, beginning so, as long as it runs in the same folder. */
export const flakyTest = (passes: readonly boolean[]): string =>
  testsOf(
    "import { appendFileSync, readFileSync } from 'node:fs';",
    "test('now and then', () => {",
    "  appendFileSync('.count', 'x');",
    `  assert.ok(${JSON.stringify(passes)}[readFileSync('.count').length - 1] ?? true);`,
    '});',
  );

export const RED_LOG =
  '##[group]Run npm test\nshell: /usr/bin/bash -e {0}\n##[endgroup]\n✖ price has two digits (1.2ms)\n  AssertionError: 12.30 == 12.34\n##[error]Process completed with exit code 1.\n';

// ── what the model says ──────────────────────────────────────────────────────────────────────────

const call = (name: string, args: object) => ({ name, arguments: args });
const write = (path: string, content: string) => call('write', { path, content });
const finish = (path: string, more: object = {}) =>
  call('finish', {
    summary: 'Divides once and rounds last.',
    files: [{ path, description: 'Formats prices.' }],
    ...more,
  });

const DEBUGGER: readonly Reply[] = [
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
  { calls: [write('src/price.js', RIGHT), finish('src/price.js')] },
];

const CENT = (expected: string) =>
  testsOf(
    "import { price } from '../src/price.js';",
    `test('price keeps the last cent', () => assert.equal(price(1234), '${expected}'));`,
  );

const HALF = (body: string) => `/** Half of so many cents. */\nexport function half(cents) {\n  ${body}\n}\n`;

/** Role → its turns: a fix of the price, from tests or from words; and `half(cents)`, which is to be implemented. */
const STORY: Readonly<Record<string, readonly Reply[]>> = {
  debugger: DEBUGGER,
  mender: DEBUGGER,
  reproducer: ['12.30', '12.34'].map(expected => ({
    calls: [write('test/cent.test.js', CENT(expected)), finish('test/cent.test.js')],
  })),
  specifier: [
    {
      calls: [
        write('src/half.js', HALF("throw new Error('not implemented: half of ' + cents);")),
        finish('src/half.js', {
          functions: [{ name: 'half', file: 'src/half.js', purpose: 'half of so many cents' }],
        }),
      ],
    },
  ],
  'test-writer': [
    {
      calls: [
        write(
          'test/half.test.js',
          testsOf(
            "import { half } from '../src/half.js';",
            "test('half is half', () => assert.equal(half(4), 2));",
            "test('half of nothing', () => assert.equal(half(0), 0));",
          ),
        ),
        finish('test/half.test.js'),
      ],
    },
  ],
  implementer: [{ calls: [write('src/half.js', HALF('return cents / 2;')), finish('src/half.js')] }],
};

/** The story; and, before the first answer to a role, what happens elsewhere in the meantime. */
export function tell(meanwhile: Readonly<Record<string, () => unknown>> = {}): Script {
  const happened = new Set<string>();
  return async ({ headers }) => {
    const [role, turn] = [String(headers['x-redgreen-role']), Number(headers['x-redgreen-turn'])];
    if (!happened.has(role)) {
      happened.add(role);
      await meanwhile[role]?.();
    }
    return STORY[role]?.[turn - 1] ?? failWith(400, `the story has no turn ${turn} of ${role}`);
  };
}

/** Of an implementation, a second round: another function, so that there is something to be proven again. */
export function tellAgain(meanwhile: Readonly<Record<string, () => unknown>> = {}): Script {
  const script = tell(meanwhile);
  return async (...asked) =>
    JSON.parse(
      JSON.stringify(await script(...asked))
        .replaceAll('half', 'third')
        .replaceAll('cents / 2', 'cents / 3')
        .replaceAll('(4), 2', '(6), 2'),
    );
}

// ── what happens at GitHub ───────────────────────────────────────────────────────────────────────

export const createPrices = (options: WorldOptions = {}): Promise<World> =>
  createWorld({ files: FILES, ...options });

/** By mona, from the branch `round-prices`, on which the price is wrong and its test fails. */
export const redPullRequest = (
  { github, repository }: World,
  { head, ...more }: Partial<Omit<NewPullRequest, 'head'>> & { head?: Partial<NewPullRequest['head']> } = {},
): Promise<PullRequestIssue> =>
  github.addPullRequest(repository, {
    title: 'Round prices',
    author: 'mona',
    ...more,
    head: { branch: 'round-prices', ...(head?.commits ? {} : { files: { 'src/price.js': WRONG } }), ...head },
  });

export const RED_JOB: NewJob = {
  name: 'test',
  conclusion: 'failure',
  steps: { 'Run npm test': 'failure' },
  log: RED_LOG,
};

/** The event of a workflow run of the pull request's head that failed. */
export function ciFailed(
  { github, repository }: World,
  { pull }: PullRequestIssue,
  jobs: readonly NewJob[] = [RED_JOB],
  more: Partial<NewWorkflowRun> = {},
): WorkflowEvent {
  const run = github.addWorkflowRun(repository, {
    event: 'pull_request',
    headSha: pull.headSha,
    headBranch: pull.headRef,
    ...(pull.head && { headRepository: pull.head }),
    conclusion: 'failure',
    jobs,
    ...more,
  });
  return workflowRunEvent(github, repository, run);
}

/** Puts the label on, and gives its event. */
export function labelled(
  { github, repository }: World,
  number: number,
  label = 'agent:fix',
  by = 'mona',
): Promise<WorkflowEvent> {
  github.addLabel(repository, number, label);
  return labeledEvent(github, repository, number, label, github.addUser(by));
}

/** Writes a comment, and gives its event. */
export function commented(
  { github, repository }: World,
  on: number,
  body: string,
  author = 'mona',
): WorkflowEvent {
  return issueCommentEvent(github, repository, github.addComment(repository, { issue: on, body, author }));
}

/** Branch → commit. */
export async function branchesOf({ repository }: World): Promise<Readonly<Record<string, string>>> {
  const refs = await listRefs(repository.folder, 'refs/heads/');
  return Object.fromEntries(refs.map(({ ref, sha }) => [ref.slice('refs/heads/'.length), sha]));
}

export interface PlayOptions extends RunOptions {
  /** Default the story. */
  readonly script?: Script;
}

/** One run with a model that tells the story, or that script. `asked` are the requests that it got. */
export async function play(world: World, { script = tell(), ...options }: PlayOptions = {}) {
  await using endpoint = await startScriptedEndpoint(script);
  const result = await world.run({ ...options, inputs: { 'base-url': endpoint.url, ...options.inputs } });
  return { ...result, asked: endpoint.requests };
}
export type Played = Awaited<ReturnType<typeof play>>;

/** What a failed expectation should show: how the run ended, and its log. */
export const storyOf = ({ outputs, main }: Played): string =>
  `${outputs.outcome}: ${outputs.reason}\n${main.stdout}\n${main.stderr}`;
