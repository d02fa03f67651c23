/** Jest, Mocha and a package of a monorepo, the whole way in a container: implemented, or fixed on a pull request. */
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { buildHostImage } from '../../scripts/host-image.ts';
import { dockerEngine, unlessDocker } from '../helpers/docker-engine.ts';
import { copyPackage } from '../helpers/package-closure.ts';
import { failWith, type Reply, type Script, startScriptedEndpoint } from '../helpers/scripted-endpoint.ts';
import { createWorld, type World } from './scenario.ts';

const engine = await dockerEngine();
const ROOT = join(import.meta.dirname, '../..');
let world: World;
afterEach(() => world.close());

const LIMIT = { timeout: 240_000 };
const call = (name: string, args: object) => ({ name, arguments: args });
const write = (path: string, content: string) => call('write', { path, content });
const finish = (more: object = {}) => call('finish', { summary: 'done', ...more });
const tell =
  (story: Readonly<Record<string, readonly Reply[]>>): Script =>
  ({ headers }) =>
    story[String(headers['x-redgreen-role'])]?.[Number(headers['x-redgreen-turn']) - 1] ??
    failWith(400, `no turn ${headers['x-redgreen-turn']} of ${headers['x-redgreen-role']}`);

const RIGHT = 'exports.price = cents => (cents / 100).toFixed(2);\n';
const WRONG = 'exports.price = cents => (Math.floor(cents / 10) / 10).toFixed(2);\n';
const fixOf = (path: string, content: string): readonly Reply[] => [
  { calls: [call('read', { path })] },
  {
    calls: [
      call('name_cause', {
        cause: 'The price is floored to ten cents before it is formatted.',
        file: path,
        line: 1,
        evidence: [{ source: path, quote: 'Math.floor(cents / 10)' }],
      }),
      write(path, content),
      finish({ files: [{ path, description: 'Formats prices.' }] }),
    ],
  },
];
const manifest = (name: string, more: object = {}) =>
  JSON.stringify({ name, scripts: { test: name }, devDependencies: { [name]: '*' }, ...more });

describe.skipIf(!engine.available)(`with a Docker engine${unlessDocker(engine)}`, () => {
  const inputs = async (url: string) => ({
    'base-url': url,
    sandbox: 'docker',
    image: await buildHostImage({ dockerHost: engine.dockerHost }),
    include: 'node_modules',
    'setup-command': 'true',
  });

  it('jest implements, with coverage thresholds in the configuration', LIMIT, async () => {
    world = await createWorld({
      files: {
        'package.json': manifest('jest', {
          jest: { collectCoverage: true, coverageThreshold: { global: { lines: 100 } } },
        }),
        '.gitignore': 'node_modules/\n',
        'src/sum.js': 'exports.sum = (a, b) => a + b;\n',
        'test/sum.test.js':
          "const { sum } = require('../src/sum.js');\ntest('sums', () => expect(sum(1, 2)).toBe(3));\n",
      },
    });
    const tests = `const { mean } = require('../src/mean.js');
describe('mean', () => {
  it('is the sum by the count', () => expect(mean([1, 2, 6])).toBe(3));
  it('refuses an empty list', () => expect(() => mean([])).toThrow(RangeError));
});
`;
    await using endpoint = await startScriptedEndpoint(
      tell({
        specifier: [
          {
            calls: [
              write(
                'src/mean.js',
                "exports.mean = () => {\n  throw new Error('not implemented: mean');\n};\n",
              ),
              finish({ functions: [{ name: 'mean', file: 'src/mean.js', purpose: 'arithmetic mean' }] }),
            ],
          },
        ],
        'test-writer': [{ calls: [write('test/mean.test.js', tests), finish()] }],
        implementer: [
          {
            calls: [
              write(
                'src/mean.js',
                "exports.mean = values => {\n  if (values.length === 0) throw new RangeError('no values');\n  return values.reduce((a, b) => a + b) / values.length;\n};\n",
              ),
              finish(),
            ],
          },
        ],
      }),
    );
    const result = await world.run({
      inputs: await inputs(endpoint.url),
      prepareWorkspace: workspace => copyPackage(ROOT, 'jest', workspace),
    });
    expect(result.outputs, result.main.stdout).toMatchObject({ outcome: 'proven', reason: '' });
  });

  it('mocha fixes a pull request', LIMIT, async () => {
    world = await createWorld({
      files: {
        'package.json': manifest('mocha'),
        '.mocharc.json': '{ "spec": "test/**/*.js" }',
        '.gitignore': 'node_modules/\n',
        'src/price.js': RIGHT,
        'test/price.js': `const assert = require('node:assert');
const { price } = require('../src/price.js');
describe('price', () => {
  it('has two digits', () => assert.equal(price(1234), '12.34'));
  it('of nothing', () => assert.equal(price(0), '0.00'));
});
`,
      },
    });
    const { number, pull } = await world.github.addPullRequest(world.repository, {
      title: 'Round prices',
      author: 'mona',
      head: { branch: 'round', files: { 'src/price.js': WRONG } },
    });
    await using endpoint = await startScriptedEndpoint(tell({ debugger: fixOf('src/price.js', RIGHT) }));
    const result = await world.run({
      on: number,
      comment: '/agent fix',
      inputs: await inputs(endpoint.url),
      prepareWorkspace: workspace => copyPackage(ROOT, 'mocha', workspace),
    });
    expect(result.outputs, result.main.stdout).toMatchObject({ outcome: 'proven', reason: '' });
    expect(pull.headSha).toBe(result.outputs['head-sha']);
  });

  it('one package of a monorepo, while another one is red', LIMIT, async () => {
    const suite = (expected: string) => `import assert from 'node:assert';
import { test } from 'node:test';
import { price } from '../src/price.mjs';
test('two digits', () => assert.equal(price(1234), '${expected}'));
`;
    const esm = (text: string) => text.replace('exports.price', 'export const price');
    world = await createWorld({
      files: {
        'package.json': JSON.stringify({ name: 'root', private: true, workspaces: ['packages/*'] }),
        ...Object.fromEntries(
          ['shop', 'tax'].flatMap(name => [
            [`packages/${name}/package.json`, JSON.stringify({ name, scripts: { test: 'node --test' } })],
            [`packages/${name}/src/price.mjs`, esm(WRONG)],
            [`packages/${name}/test/price.test.mjs`, suite('12.34')],
          ]),
        ),
      },
    });
    await using endpoint = await startScriptedEndpoint(
      tell({ debugger: fixOf('packages/shop/src/price.mjs', esm(RIGHT)) }),
    );
    const image = await buildHostImage({ dockerHost: engine.dockerHost });
    const result = await world.run({
      dispatch: { command: 'fix' },
      inputs: {
        'base-url': endpoint.url,
        sandbox: 'docker',
        image,
        'setup-command': 'true',
        'working-directory': './packages/shop/',
      },
    });
    expect(result.outputs, result.main.stdout).toMatchObject({ outcome: 'proven', reason: '' });
    const proof = JSON.stringify(result.events.filter(event => event.kind === 'tests-ran'));
    expect(proof).toContain('cd packages/shop');
    const rows = JSON.parse(result.outputs['file-summary'] ?? '[]') as { path: string }[];
    expect(rows.map(row => row.path)).toEqual(['packages/shop/src/price.mjs']);
  });
});
