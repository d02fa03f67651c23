/** `/agent check`: every thing that a run needs, whole and broken in turn, and the cure of each line. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { buildHostImage } from '../../scripts/host-image.ts';
import {
  dockerEngine,
  type Service,
  type ServiceOptions,
  startService,
  unlessDocker,
} from '../helpers/docker-engine.ts';
import {
  failWith,
  type Handler,
  hang,
  type Reply,
  type Script,
  startScriptedEndpoint,
} from '../helpers/scripted-endpoint.ts';
import { listRefs } from '../local-github/git-repository.ts';
import { createWorld, FULL, type RunOptions, type World, type WorldOptions } from './scenario.ts';

const engine = await dockerEngine();
const LIMIT = { timeout: 120_000 };
const KEY = 'key-that-nobody-may-read-0123456789';
const ANSWER: Reply = { calls: [{ name: 'report', arguments: { result: 5 } }] };
const TEST = (body: string) => `import { test } from 'node:test';\n${body}\n`;
const PASSES = TEST("test('one', () => undefined);");
const FILES = {
  'package.json': JSON.stringify({ name: 'small', type: 'module', scripts: { test: 'node --test' } }),
  'test/one.test.js': PASSES,
};

let world: World | undefined;
afterEach(() => world?.close());

interface Row {
  readonly state: string;
  readonly found: string;
  readonly cure: string;
}

interface Checked extends Awaited<ReturnType<World['run']>> {
  readonly rows: Readonly<Record<string, Row>>;
  readonly order: readonly string[];
  readonly requests: number;
  readonly comment: string;
  readonly reactions: readonly string[];
}

interface CheckOptions extends RunOptions {
  readonly env?: (world: World) => Record<string, string>;
  readonly world?: WorldOptions;
  /** Default: a model that answers as it should. */
  readonly model?: Script | readonly (Reply | Handler)[];
  /** Prepares the world before the run. */
  readonly before?: (world: World) => unknown;
  /** The check is told in the summary alone. */
  readonly silent?: boolean;
}

/** Runs a check, and looks at what each of them must have in common. */
async function check(wanted: CheckOptions = {}): Promise<Checked> {
  const { world: made, model = [ANSWER], before, silent, env, ...options } = wanted;
  world = await createWorld({ files: FILES, ...made });
  await before?.(world);
  await using endpoint = await startScriptedEndpoint(model);
  const seen = await whatThereIs(world);
  let commentId = 0;
  const result = await world.run({
    ...(options.dispatch ? {} : { comment: '/agent check' }),
    ...options,
    ...(env && { more: { env: env(world) } }),
    inputs: { 'base-url': endpoint.url, 'openai-api-key': KEY, 'model-price': '1/1', ...options.inputs },
    onComment: id => {
      commentId = id;
    },
  });
  expect(result.outputs, result.main.stdout).toMatchObject({ outcome: 'answered', branch: '', patch: '' });
  expect([result.main.exitCode, result.post?.exitCode]).toEqual([0, 0]);
  expect(await whatThereIs(world)).toEqual(seen);
  expect(leftInEngine(result.state['run-label'])).toEqual('');
  expect(world.github.unknownRequests).toEqual([]);
  const comments = world.comments();
  expect(comments).toHaveLength(silent ? 0 : 1);
  const table = comments[0] ?? result.summary;
  const told = [
    comments,
    result.summary,
    result.outputs,
    result.events,
    result.main.stdout.replaceAll(`::add-mask::${KEY}`, ''),
  ];
  expect(JSON.stringify(told)).not.toContain(KEY);
  const rows = rowsOf(table);
  return {
    ...result,
    rows: Object.fromEntries(rows.map(({ what, ...row }) => [what, row])),
    order: rows.map(({ what }) => what),
    requests: endpoint.requests.length,
    comment: table,
    reactions: world.reactions(commentId),
  };
}

/** All that a check could leave behind at GitHub. */
const whatThereIs = async ({ repository }: World) => ({
  refs: await listRefs(repository.folder, 'refs/'),
  issues: [...repository.issues.keys()],
  labels: [...repository.labels.keys()],
});

const inEngine = (...args: string[]) => execFileSync('docker', args, { encoding: 'utf8' }).trim();
const leftInEngine = (label = '') =>
  engine.available
    ? inEngine('ps', '-aq', '--filter', `label=redgreen=${label}`) +
      inEngine('images', '-q', '--filter', `label=redgreen=${label}`)
    : '';

const rowsOf = (markdown: string) =>
  markdown
    .split('\n')
    .filter(line => /^\| .* \| (?:✅|⚠️|❌|⬜) /u.test(line))
    .map(line => {
      const [, what = '', found = '', cure = ''] = line.split('|').map(cell => readable(cell.trim()));
      const [state = '', ...rest] = found.split(' ');
      return { what, state, found: rest.join(' '), cure };
    });

/** Without what keeps outside text from acting. */
const readable = (cell: string): string =>
  cell
    .replaceAll('\u200b', '')
    .replaceAll(/\\([\\`*_~[\]$#])/g, '$1')
    .replaceAll('&#124;', '|')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');

/** The rows that are not in place. */
const broken = ({ rows }: Pick<Checked, 'rows'>) =>
  Object.entries(rows).flatMap(([what, { state }]) => (state === '✅' ? [] : [`${state} ${what}`]));

const ORDER = [
  'Inputs',
  'Checkout',
  'Test stack',
  'Sandbox',
  'Set-up',
  'Tests',
  'Model',
  'contents: write',
  'pull-requests: write',
  'setting: Actions may create pull requests',
  'issues: write',
  'actions: read',
  'actions: write',
  'checks: read',
  'statuses: read',
];

describe('with everything in place', () => {
  it.skipIf(!engine.available)(
    `a comment on an issue is answered by one table, from a service container${unlessDocker(engine)}`,
    LIMIT,
    async () => {
      await inService({}, async (inputs, service) => {
        const result = await check({ inputs });
        expect(result.order).toEqual(ORDER);
        expect(broken(result)).toEqual([]);
        expect(result.outputs.reason).toBe('');
        expect(result.rows.Sandbox?.found).toMatch(
          /^service, redgreen-host:\S+ \(sha256:[0-9a-f]{12}\); isolated/,
        );
        expect(result.rows.Tests?.found).toMatch(/^node --test.*: 1 pass, 0 fail, \d+\.\d s$/);
        expect(result.rows.Model?.found).toMatch(/^recorded answered in \d+\.\d s$/);
        expect(result.comment).toContain('### ✅ Everything is in place');
        expect(result.comment).toContain('`/agent implement`');
        expect(result.reactions).toEqual(['rocket']);
        expect(result.requests).toBe(1);
        expect(inEngine('exec', service.id, 'sh', '-c', 'ls -d /*redgreen* 2>/dev/null; true')).toBe('');
        expect(result.main.durationMs).toBeLessThan(60_000);
      });
    },
  );

  it('a comment on a pull request is answered for its head', LIMIT, async () => {
    const result = await check({
      on: 2,
      before: ({ github, repository }) => github.addPullRequest(repository, MORE),
    });
    expect(result.rows.Checkout?.found).toMatch(/^#2 at [0-9a-f]{7}, 3 files$/);
    expect(result.rows.Tests?.found).toContain('2 pass');
    expect(broken(result)).toEqual(['⚠️ Sandbox']);
  });

  it('a pull request that is over is answered for the base branch', LIMIT, async () => {
    const result = await check({
      on: 2,
      before: async ({ github, repository }) => {
        await github.addPullRequest(repository, MORE);
        github.closeIssue(repository, 2);
      },
    });
    expect(result.rows.Checkout?.found).toMatch(/^main at [0-9a-f]{7}, 2 files$/);
    expect(broken(result)).toEqual(['⚠️ Sandbox']);
  });

  it('a dispatch is answered in the summary and in the log', LIMIT, async () => {
    const result = await check({ dispatch: { command: 'check' }, silent: true });
    expect(result.order).toEqual(ORDER);
    expect(result.summary).toContain('Nothing is in the way; 1 thing to look at');
    expect(result.main.stdout).toContain('check ok: Model: recorded answered');
    expect(result.rows.Sandbox).toMatchObject({
      state: '⚠️',
      found: expect.stringContaining('NOT isolated'),
      cure: expect.stringContaining('sandbox-container: ${{ job.services.sandbox.id }}'),
    });
  });
});

const MORE = {
  title: 'More',
  author: 'mona',
  head: { branch: 'more', files: { 'test/two.test.js': PASSES } },
};

/** With a service container as the runner starts it. */
async function inService(
  options: Partial<ServiceOptions>,
  use: (inputs: Record<string, string>, service: Service) => Promise<void>,
) {
  const image = await buildHostImage({ dockerHost: engine.dockerHost });
  const service = await startService({ image, ...options });
  try {
    await use({ sandbox: 'auto', 'sandbox-container': service.id }, service);
  } finally {
    await service.stop();
  }
}

describe.skipIf(!engine.available)(`the engine and the container${unlessDocker(engine)}`, () => {
  it('that is not there: named, with the line of the workflow', LIMIT, async () => {
    const result = await check({ inputs: { sandbox: 'service', 'sandbox-container': 'no-such' } });
    expect(broken(result)).toEqual(['❌ Sandbox', '⬜ Set-up', '⬜ Tests']);
    expect(result.rows.Sandbox).toMatchObject({
      found: expect.stringContaining('There is no container "no-such"'),
      cure: expect.stringContaining('sandbox-container: ${{ job.services.sandbox.id }}'),
    });
    expect(result.outputs.reason).toBe('1 thing to mend; 2 not tried');
    expect(result.comment).toContain('**Next:** Do what the lines marked ❌ say');
  });

  it('that is privileged is refused', LIMIT, async () => {
    await inService({ options: ['--tty', '--init', '--privileged'], startMayFail: true }, async inputs => {
      const result = await check({ inputs });
      expect(broken(result)).toEqual(['❌ Sandbox', '⬜ Set-up', '⬜ Tests']);
      expect(result.rows.Sandbox).toMatchObject({
        found: expect.stringContaining('it is privileged'),
        cure: expect.stringContaining('`options: --tty --init` is all that is needed'),
      });
    });
  });

  it('whose image has not the program of the tests', LIMIT, async () => {
    await inService({}, async inputs => {
      const result = await check({
        inputs: { ...inputs, 'root-setup-command': 'rm -f /usr/local/bin/node' },
      });
      expect(broken(result)).toEqual(['❌ Tests']);
      expect(result.rows['Set-up']?.found).toMatch(/^rm -f \/usr\/local\/bin\/node, \d/);
      expect(result.rows.Tests).toMatchObject({
        found: expect.stringMatching(/node: (command )?not found/),
        cure: expect.stringContaining('has no `node`. Take one that has, such as `image: node:24-bookworm`'),
      });
    });
  });

  it.each([
    [
      'setup-command',
      'Set-up',
      'echo first; echo the reason >&2; exit 7',
      /exit 7\..*the reason$/,
      'Set the input `setup-command`',
    ],
    [
      'setup-command',
      'Set-up',
      'pnpm install',
      /exit 127\..*pnpm: not found$/,
      "The sandbox's image has no `pnpm`",
    ],
    [
      'root-setup-command',
      'Root set-up',
      'no-such --now',
      /exit 127\..*not found$/,
      'Mend the input `root-setup-command`. It runs as root',
    ],
  ])('in which the %s fails (%s: %s)', LIMIT, async (name, row, command, found, cure) => {
    await inService({}, async inputs => {
      const result = await check({ inputs: { ...inputs, [name]: command } });
      const before = row === 'Set-up' ? [] : ['⬜ Set-up'];
      expect(broken(result)).toEqual([`❌ ${row}`, ...before, '⬜ Tests']);
      expect(result.rows[row]).toMatchObject({
        found: expect.stringMatching(found),
        cure: expect.stringContaining(cure),
      });
    });
  });

  it('in which tests want the network', LIMIT, async () => {
    await inService({}, async inputs => {
      const result = await check({
        inputs,
        world: {
          files: { ...FILES, 'test/net.test.js': TEST("test('net', () => fetch('http://example.com/'));") },
        },
      });
      expect(broken(result)).toEqual(['⚠️ Tests']);
      expect(result.rows.Tests).toMatchObject({
        found: expect.stringMatching(/1 pass, 1 fail.*First: net: /),
        cure: expect.stringContaining('the network or another service, and the sandbox has none'),
      });
    });
  });

  it.each([
    ['commit', '❌ Snapshot'],
    ['run', '❌ Fresh sandbox'],
  ])('whose engine answers and fails at `docker %s`', LIMIT, async (verb, row) => {
    await inService({}, async inputs => {
      const result = await check({
        inputs,
        before: ({ folder }) => {
          mkdirSync(join(folder, 'bin'), { mode: 0o755 });
          const real = execFileSync('sh', ['-c', 'command -v docker'], { encoding: 'utf8' }).trim();
          const text = `#!/bin/sh\n[ "$1" = ${verb} ] && { echo no space left on device >&2; exit 1; }\nexec ${real} "$@"\n`;
          writeFileSync(join(folder, 'bin/docker'), text, { mode: 0o755 });
        },
        env: ({ folder }) => ({ PATH: `${folder}/bin:${process.env.PATH}` }),
      });
      expect(broken(result)).toEqual([row, '⬜ Tests']);
      expect(result.rows[row.slice(2)]).toMatchObject({
        found: expect.stringContaining('no space left on device'),
        cure: expect.stringContaining('`docker system df`'),
      });
      expect(result.rows.Sandbox?.state).toBe('✅');
    });
  });
});

it('without an engine the sandbox says so, and the rest is tried', LIMIT, async () => {
  const result = await check({
    inputs: { sandbox: 'service', 'sandbox-container': 'sandbox' },
    env: ({ folder }) => ({ DOCKER_HOST: `unix://${folder}/nobody.sock` }),
  });
  expect(broken(result)).toEqual(['❌ Sandbox', '⬜ Set-up', '⬜ Tests']);
  expect(result.rows.Sandbox).toMatchObject({
    found: expect.stringContaining('no Docker engine answers'),
    cure: expect.stringContaining('Use a runner with Docker'),
  });
});

describe('the files and tests', () => {
  it.each<[string, Record<string, string>, Record<string, string>, string[], string, Partial<Row>]>([
    [
      'without a test stack',
      { 'main.c': 'int main() { return 0; }\n' },
      {},
      ['❌ Test stack', '⬜ Tests'],
      'Test stack',
      {
        found: expect.stringContaining('none was recognised'),
        cure: expect.stringContaining('`test-command`'),
      },
    ],
    [
      'in a working directory that is not there',
      FILES,
      { 'working-directory': 'packages/app', 'setup-command': 'exit 1' },
      ['❌ Test stack', '⬜ Tests'],
      'Test stack',
      {
        found: expect.stringContaining('is not in the commit'),
        cure: expect.stringContaining('Set `working-directory` to a folder of the repository'),
      },
    ],
    [
      'some of which fail',
      { ...FILES, 'test/two.test.js': TEST("test('two', () => { throw new Error('not yet'); });") },
      {},
      ['⚠️ Tests'],
      'Tests',
      {
        found: expect.stringMatching(/1 pass, 1 fail, \d+\.\d s\. First: two: not yet$/),
        cure: expect.stringContaining('`/agent fix`'),
      },
    ],
    [
      'that lack a dependency',
      { ...FILES, 'test/two.test.js': "import 'not-installed';\n" },
      {},
      ['⚠️ Tests'],
      'Tests',
      {
        found: expect.stringContaining('not-installed'),
        cure: expect.stringContaining('Set `setup-command`'),
      },
    ],
    [
      'that are none',
      {
        'package.json': FILES['package.json'],
        'index.js': '',
      },
      {},
      ['⚠️ Tests'],
      'Tests',
      {
        found: expect.stringContaining('ran no tests'),
        cure: expect.stringContaining('can write the first ones'),
      },
    ],
    [
      'that do not end',
      {
        ...FILES,
        'test/one.test.js': TEST("test('hangs', () => new Promise(done => setTimeout(done, 1e8)));"),
      },
      { 'proof-minutes': '0.05' },
      ['❌ Tests'],
      'Tests',
      {
        found: expect.stringContaining('stopped after 3 s'),
        cure: expect.stringContaining('Raise `proof-minutes`'),
      },
    ],
    [
      'whose command fails for something else',
      FILES,
      { 'test-command': 'node --test {args}; exit 3' },
      ['❌ Tests'],
      'Tests',
      { found: expect.stringContaining('exit code 3'), cure: expect.stringContaining('`test-command`') },
    ],
    [
      'and an `include` that is not there',
      FILES,
      { include: 'generated\nother' },
      ['❌ Input include'],
      'Input include',
      {
        found: expect.stringContaining('"generated", which is not in the workspace'),
        cure: expect.stringContaining('Create it in a step before this action'),
      },
    ],
    [
      'on a base branch that is not there',
      FILES,
      { base: 'develop' },
      ['❌ Checkout', '⬜ Sandbox and tests'],
      'Checkout',
      { found: expect.stringContaining('develop does not exist'), cure: expect.stringContaining('`base`') },
    ],
    [
      'of Git LFS',
      {
        ...FILES,
        '.gitattributes': '*.bin filter=lfs diff=lfs merge=lfs -text\n',
        'big.bin': `version https://git-lfs.github.com/spec/v1\noid sha256:${'a'.repeat(64)}\nsize 12345\n`,
      },
      {},
      ['⚠️ Files'],
      'Files',
      {
        found: expect.stringContaining('only pointers in the sandbox: big.bin'),
        cure: expect.stringContaining('`include`'),
      },
    ],
  ])('%s', LIMIT, async (_what, files, inputs, rows, name, row) => {
    const result = await check({ world: { files }, inputs });
    expect(broken(result).filter(each => each !== '⚠️ Sandbox')).toEqual(rows);
    expect(result.rows[name]).toMatchObject(row);
    expect(result.requests).toBe(1);
  });
});

describe('the model', () => {
  const down = 'http://127.0.0.1:49151/v1';
  it.each<[string, CheckOptions, string, RegExp, RegExp]>([
    [
      'without a key where one is needed',
      { inputs: { 'base-url': '', 'openai-api-key': '' } },
      '❌',
      /needs an API key/,
      /`openai-api-key` to a secret/,
    ],
    [
      'that refuses the key',
      { model: [failWith(401, `Incorrect API key provided: ${KEY}`)] },
      '❌',
      /refused the key: 401/,
      /`openai-api-key` is a valid key/,
    ],
    [
      'that is not known',
      { model: [failWith(404, 'The model `recorded` does not exist')] },
      '❌',
      /is not known there: 404/,
      /`model` and `base-url`/,
    ],
    [
      'whose server is not there',
      { inputs: { 'base-url': down } },
      '❌',
      /cannot be reached \(after 3 tries\).*ECONNREFUSED/,
      /`base-url`.*published port/,
    ],
    [
      'whose server does not speak',
      { model: () => hang, inputs: { 'model-timeout-seconds': '1' } },
      '❌',
      /gave no answer within 1 s/,
      /raise `model-timeout-seconds`/,
    ],
    ['that answers in words', { model: [{ content: 'Five.' }] }, '⚠️', /but not by the tool/, /`--jinja`/],
    ['whose price is not known', { inputs: { 'model-price': '' } }, '✅', /price is not known/, /^$/],
  ])('%s', LIMIT, async (_what, options, state, found, cure) => {
    const result = await check(options);
    expect(broken(result)).toEqual(state === '✅' ? ['⚠️ Sandbox'] : ['⚠️ Sandbox', `${state} Model`]);
    expect(result.rows.Model).toMatchObject({
      found: expect.stringMatching(found),
      cure: expect.stringMatching(cure),
    });
    expect(result.main.durationMs).toBeLessThan(30_000);
  });
});

describe('the permissions', () => {
  const MISSING = (permission: string) => ({
    found: expect.stringContaining(`it names ${permission}`),
    cure: expect.stringContaining(`\`${permission}\` under \`permissions:\``),
  });

  it('that runs can do without are warnings, with what they are for', LIMIT, async () => {
    const { actions: _a, checks: _c, statuses: _s, ...permissions } = FULL;
    const result = await check({ permissions });
    const missing = ['actions: read', 'actions: write', 'checks: read', 'statuses: read'];
    expect(broken(result)).toEqual(['⚠️ Sandbox', ...missing.map(name => `⚠️ ${name}`)]);
    for (const name of missing) expect(result.rows[name]).toMatchObject(MISSING(name));
    expect(result.rows['actions: write']?.cure).toMatch(/^Only for `?cancel`?: add /);
  });

  it('to push is named', LIMIT, async () => {
    const result = await check({ permissions: { ...FULL, contents: 'read' } });
    expect(broken(result)).toEqual(['⚠️ Sandbox', '❌ contents: write']);
    expect(result.rows['contents: write']).toMatchObject(MISSING('contents: write'));
  });

  it('to open pull requests is named, and the setting can not be seen without', LIMIT, async () => {
    const result = await check({ permissions: { ...FULL, pull_requests: 'read' } });
    const setting = 'setting: Actions may create pull requests';
    expect(broken(result)).toEqual(['⚠️ Sandbox', '❌ pull-requests: write', `⬜ ${setting}`]);
    expect(result.rows['pull-requests: write']).toMatchObject(MISSING('pull-requests: write'));
  });

  it('to comment is named in the summary, because there is no comment', LIMIT, async () => {
    const result = await check({
      permissions: { ...FULL, issues: 'read', pull_requests: 'read' },
      silent: true,
    });
    expect(broken(result)).toContain('❌ issues: write');
    expect(result.rows['issues: write']).toMatchObject(MISSING('issues: write'));
  });

  it('by the setting that lets Actions open pull requests', LIMIT, async () => {
    const result = await check({ world: { settings: { allowActionsToCreatePullRequests: false } } });
    const setting = 'setting: Actions may create pull requests';
    expect(broken(result)).toEqual(['⚠️ Sandbox', `⚠️ ${setting}`]);
    expect(result.rows[setting]).toMatchObject({
      found: expect.stringContaining('not permitted to create or approve pull requests'),
      cure: expect.stringContaining('Settings → Actions → General'),
    });
  });
});

describe('the inputs', () => {
  it.each<[Record<string, string>, string[], string, string]>([
    [{ model: '' }, ['❌ Inputs', '⬜ Model'], 'The input model is empty.', '`model: gpt-5-mini`'],
    [{ 'max-cost-usd': 'much' }, ['❌ Inputs'], 'The input max-cost-usd is "much".', 'a number above 0'],
    [
      { sandbox: 'jail' },
      ['❌ Inputs', '⬜ Sandbox and tests'],
      'The input sandbox is "jail".',
      'one of auto, service',
    ],
  ])('%j is a line, and the others are tried', LIMIT, async (inputs, rows, found, cure) => {
    const result = await check({ inputs });
    expect(broken(result).filter(row => row !== '⚠️ Sandbox')).toEqual(rows);
    expect(result.rows.Inputs).toMatchObject({ found, cure: expect.stringContaining(cure) });
  });

  it('each group that is wrong has a line of its own', LIMIT, async () => {
    const result = await check({ inputs: { model: '', sandbox: 'jail', 'max-steps': '0' } });
    expect(result.order.filter(what => what === 'Inputs')).toHaveLength(3);
    expect(result.rows['contents: write']?.state).toBe('✅');
  });
});
