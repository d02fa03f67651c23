/** The other test stacks, the whole way: vitest with dependencies that an earlier step installed, pytest in a container. */
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

type Story = Record<'specifier' | 'test-writer' | 'implementer', readonly Reply[]>;

const tell =
  (story: Story): Script =>
  ({ headers }) => {
    const line =
      story[String(headers['x-redgreen-role']) as keyof Story]?.[Number(headers['x-redgreen-turn']) - 1];
    if (!line)
      return failWith(
        400,
        `the story has no turn ${headers['x-redgreen-turn']} of ${headers['x-redgreen-role']}`,
      );
    return line;
  };
const write = (path: string, content: string) => ({ name: 'write', arguments: { path, content } });
const finish = (more: object = {}) => ({ name: 'finish', arguments: { summary: 'done', ...more } });

describe.skipIf(!engine.available)(`with a Docker engine${unlessDocker(engine)}`, () => {
  it('vitest in TypeScript, with node_modules from the checkout', { timeout: 240_000 }, async () => {
    world = await createWorld({
      files: {
        'package.json': JSON.stringify({
          name: 'sums',
          type: 'module',
          scripts: { test: 'vitest run' },
          devDependencies: { vitest: '*' },
        }),
        '.gitignore': 'node_modules/\n',
        'src/sum.ts': 'export const sum = (a: number, b: number): number => a + b;\n',
        'test/sum.test.ts':
          "import { expect, test } from 'vitest';\nimport { sum } from '../src/sum.ts';\ntest('sums', () => expect(sum(1, 2)).toBe(3));\n",
      },
    });
    const stub =
      'export function mean(values: readonly number[]): number {\n  throw new Error(`not implemented: mean of ${values.length}`);\n}\n';
    const tests = `import { describe, expect, it } from 'vitest';
  import { mean } from '../src/mean.ts';
  describe('mean', () => {
    it('is the sum by the count', () => expect(mean([1, 2, 6])).toBe(3));
    it('refuses an empty list', () => expect(() => mean([])).toThrow(RangeError));
  });
  `;
    const good =
      "export function mean(values: readonly number[]): number {\n  if (values.length === 0) throw new RangeError('no values');\n  return values.reduce((a, b) => a + b) / values.length;\n}\n";
    await using endpoint = await startScriptedEndpoint(
      tell({
        specifier: [
          {
            calls: [
              write('src/mean.ts', stub),
              finish({ functions: [{ name: 'mean', file: 'src/mean.ts', purpose: 'arithmetic mean' }] }),
            ],
          },
        ],
        'test-writer': [
          { calls: [write('test/mean.test.ts', tests), { name: 'run_tests', arguments: {} }] },
          { calls: [finish()] },
        ],
        implementer: [
          {
            calls: [
              write('src/mean.ts', good),
              finish({ files: [{ path: 'src/mean.ts', description: 'Computes the mean.' }] }),
            ],
          },
        ],
      }),
    );
    const image = await buildHostImage({ dockerHost: engine.dockerHost });
    const result = await world.run({
      inputs: {
        'base-url': endpoint.url,
        sandbox: 'docker',
        image,
        include: 'node_modules',
        'setup-command': 'true',
      },
      prepareWorkspace: workspace => copyPackage(ROOT, 'vitest', workspace),
    });
    expect(
      result.outputs,
      result.outputs.reason + JSON.stringify(endpoint.requests.at(-1)?.body.messages.slice(-2)),
    ).toMatchObject({
      outcome: 'proven',
    });
    const diff = await world.github.diff(world.repository, 2);
    expect([...diff.matchAll(/^diff --git a\/(\S+)/gm)].map(match => match[1])).toEqual([
      'src/mean.ts',
      'test/mean.test.ts',
    ]);
  });

  it('pytest, with parameters and an implementation that is wrong at first', {
    timeout: 240_000,
  }, async () => {
    world = await createWorld({
      files: {
        'pyproject.toml': '[tool.pytest.ini_options]\ntestpaths = ["tests"]\npythonpath = ["."]\n',
        'sums.py': 'def total(values):\n    return sum(values)\n',
        'tests/test_sums.py':
          'from sums import total\n\n\ndef test_total():\n    assert total([1, 2]) == 3\n',
      },
    });
    const stub =
      '\n\ndef mean(values):\n    """The arithmetic mean."""\n    raise NotImplementedError("mean")\n';
    const tests = `import pytest

from sums import mean


@pytest.mark.parametrize("values, expected", [([1, 2, 6], 3), ([4], 4)])
def test_mean(values, expected):
    assert mean(values) == expected


def test_mean_of_nothing():
    with pytest.raises(ValueError):
        mean([])
`;
    const edit = (old: string, now: string) => ({
      name: 'edit',
      arguments: { path: 'sums.py', edits: [{ old, new: now }] },
    });
    await using endpoint = await startScriptedEndpoint(
      tell({
        specifier: [
          {
            calls: [
              edit('    return sum(values)\n', `    return sum(values)\n${stub}`),
              finish({ functions: [{ name: 'mean', file: 'sums.py', purpose: 'arithmetic mean' }] }),
            ],
          },
        ],
        'test-writer': [{ calls: [write('tests/test_mean.py', tests), finish()] }],
        implementer: [
          {
            calls: [
              edit('    raise NotImplementedError("mean")\n', '    return sum(values) / len(values)\n'),
              finish(),
            ],
          },
          {
            calls: [
              edit(
                '    return sum(values) / len(values)\n',
                '    if not values:\n        raise ValueError("no values")\n    return sum(values) / len(values)\n',
              ),
              finish(),
            ],
          },
        ],
      }),
    );
    const image = await buildHostImage({ dockerHost: engine.dockerHost, python: true });
    const result = await world.run({
      inputs: { 'base-url': endpoint.url, sandbox: 'docker', image, 'setup-command': 'true' },
    });
    expect(
      result.outputs,
      result.outputs.reason + JSON.stringify(endpoint.requests.at(-1)?.body.messages.slice(-2)),
    ).toMatchObject({
      outcome: 'proven',
    });
    const feedback = JSON.stringify(endpoint.requests.at(-1)?.body.messages.at(-1));
    expect(feedback).toContain('The new tests do not all pass');
    expect(feedback).toContain('ZeroDivisionError');
    const pull = await world.github.pullRequest(world.repository, 2);
    expect(pull.body).toContain('In `tests/test_mean.py`');
    expect(pull.body).toContain('(2 parameters)');
  });
});
