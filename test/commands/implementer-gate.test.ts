/** What the green gate refuses and puts back, second attempts, and what is kept of work that did not get there. */
import { describe, expect, it } from 'vitest';
import {
  bash,
  finish,
  flagBlocked,
  GOOD,
  HALF,
  ID,
  IMPLEMENT,
  runTests,
  STUB,
  say,
  TESTS,
  UP_TO_RED,
  write,
} from './lines.ts';
import { playStory, SAMPLE, type Story } from './story.ts';

const changed = ({ result }: Story, path: string) =>
  result.change.find(file => file.path === path)?.after?.bytes.toString();
const paths = ({ result }: Story) => result.change.map(file => file.path);
const many = (count: number) => Array.from({ length: count }, () => say(finish()));

describe.concurrent('the green gate', () => {
  it('puts back tests and configuration that a shell changed, and the run still ends proven with the frozen bytes', async () => {
    const show = 'cat test/*.js package.json .github/workflows/*; ls -A . test';
    const story = await playStory([
      ...UP_TO_RED,
      say(bash(show)),
      say(write('test/slug.test.js', 'x'), write('package.json', '{}')),
      say(
        bash(
          'sed -i "s/assert.equal(slugify/void (slugify/" test/slug.test.js; echo >test/text.test.js; echo x >test/helper.js; ' +
            'sed -i "s/node --test/true/" package.json; echo "{}" >node.config.json; echo "{}" >tsconfig.json; rm -r .github; ln -s text.js src/link.js',
        ),
        finish(),
      ),
      say(bash(show)),
      ...IMPLEMENT,
    ]);
    const texts = story.read('implementer');
    expect(texts[1]).toContain(
      'tests and configuration are read-only; a wrong test is reported with flag_blocked',
    );
    const notice = texts.find(text => text.includes('put back')) ?? '';
    const touched = [
      '.github/workflows/ci.yml',
      'node.config.json',
      'package.json',
      'src/link.js',
      'test/helper.js',
      'test/slug.test.js',
      'test/text.test.js',
      'tsconfig.json',
    ];
    for (const path of touched) expect(notice).toContain(`- ${path}: `);
    expect(notice).toContain('new symbolic links are not published');
    expect(texts.at(-1)).toBe(texts[0]);
    expect(story.result).toMatchObject({ outcome: 'proven' });
    expect(paths(story)).toEqual(['src/slug.js', 'test/slug.test.js']);
    expect(changed(story, 'test/slug.test.js')).toBe(TESTS);
  });

  it('puts back a conftest.py for pytest', async () => {
    const story = await playStory(
      [
        say(
          write('tiny.py', 'def slugify(text):\n    raise NotImplementedError("slugify")\n'),
          finish({ functions: [{ name: 'slugify', file: 'tiny.py', purpose: 'slugs' }] }),
        ),
        say(
          write(
            'tests/test_slug.py',
            'from tiny import slugify\n\n\ndef test_slug():\n    assert slugify("A b") == "a-b"\n',
          ),
          finish(),
        ),
        say(write('conftest.py', 'x'), write('pytest.ini', 'x')),
        say(
          bash(
            'echo "def pytest_runtest_makereport(): pass" | tee conftest.py >tests/conftest.py; echo "[pytest]" >pytest.ini',
          ),
          write('tiny.py', 'def slugify(text):\n    return text.lower().replace(" ", "-")\n'),
          finish(),
        ),
        say(bash('ls -A . tests'), finish()),
      ],
      {
        without: Object.keys(SAMPLE),
        files: {
          'pyproject.toml': '[tool.pytest.ini_options]\npythonpath = ["."]\n',
          'tests/test_old.py': 'def test_old():\n    assert True\n',
        },
        settings: { setupCommand: 'true' },
      },
    );
    const texts = story.read('implementer');
    expect(texts[0]).toContain('read-only');
    const notice = texts.find(text => text.includes('put back')) ?? '';
    for (const path of ['conftest.py', 'tests/conftest.py', 'pytest.ini'])
      expect(notice).toContain(`- ${path}: `);
    expect(story.result).toMatchObject({ outcome: 'proven', reason: '' });
    expect(paths(story)).toEqual(['tests/test_slug.py', 'tiny.py']);
  });

  it('names the old test that was broken, and tells of nothing changed', async () => {
    const story = await playStory([
      ...UP_TO_RED,
      say(finish()),
      say(write('src/slug.js', GOOD), write('src/text.js', 'export const shout = text => text;\n'), finish()),
      say(write('src/text.js', SAMPLE['src/text.js'] ?? ''), finish()),
    ]);
    expect(story.gates[2]).toContain('Nothing was changed since the tests were written');
    expect(story.gates[3]).toContain(`What passed before must still pass: ${ID.old} is failed.`);
    const feedback = story.read('implementer').find(text => text.includes('must still pass'));
    expect(feedback).toContain('[passed before!]');
    expect(feedback).toContain('expected: A!');
    expect(story.result).toMatchObject({ outcome: 'proven' });
  });

  it('survives tests that were replaced by folders, files and links', async () => {
    const story = await playStory([
      ...UP_TO_RED,
      say(bash('rm -r test; echo x >test'), finish()),
      say(
        bash(
          'rm test/text.test.js && mkdir -p test/text.test.js/deep && echo x >test/text.test.js/deep/y.js',
        ),
        finish(),
      ),
      say(bash('mv test src/old && ln -s src/old test'), finish()),
      say(bash('rm -rf src/old'), ...IMPLEMENT.flatMap(line => ('calls' in line ? line.calls : []))),
    ]);
    expect(story.error).toBeUndefined();
    for (const gate of story.gates.slice(2, 5)) expect(gate).toMatch(/green: no .*put back/);
    expect(story.result).toMatchObject({ outcome: 'proven' });
    expect(paths(story)).toEqual(['src/slug.js', 'test/slug.test.js']);
  });
});

describe.concurrent('an implementer that gives up', () => {
  it('is followed by another that starts from stubs and tests, and knows how the first ended', async () => {
    const story = await playStory([
      ...UP_TO_RED,
      say(write('src/slug.js', HALF), bash('echo x >src/litter.js; rm src/text.js'), runTests(), finish()),
      ...many(4),
      say(bash('cat src/slug.js; ls -A src')),
      ...IMPLEMENT,
    ]);
    const second = story.requests.filter(request => request.role === 'implementer#2');
    const brief = second[0]?.messages[1]?.content ?? '';
    expect(brief).toContain('# An earlier attempt failed');
    expect(brief).toContain('implementer said that it was done 5 times and was not');
    expect(brief).toContain('1 of 2 new tests passed at its best');
    expect(story.read('implementer#2')[0]).toBe(`exit 0\n${STUB}slug.js\ntext.js`);
    expect(story.result).toMatchObject({ outcome: 'proven' });
    expect(paths(story)).toEqual(['src/slug.js', 'test/slug.test.js']);
  });

  it('twice leaves the best state of both', async () => {
    const story = await playStory([
      ...UP_TO_RED,
      say(
        write('src/slug.js', HALF),
        runTests(),
        write('src/slug.js', 'export const slugify = 1;\n'),
        finish(),
      ),
      ...many(4),
      say(write('src/slug.js', 'export const slugify = () => 0;\n'), runTests(), finish()),
      ...many(4),
    ]);
    expect(story.result).toMatchObject({
      outcome: 'partial',
      reason: 'implementer#2 said that it was done 5 times and was not',
      cure: expect.stringContaining('gate'),
    });
    expect(story.result.proof).toBeUndefined();
    expect(changed(story, 'src/slug.js')).toBe(HALF);
    expect(changed(story, 'test/slug.test.js')).toBe(TESTS);
  });

  it('leaves no state whose tests it had changed: neither they nor what it gained by them', async () => {
    const cheat =
      'sed -i "s/a-b/wrong/" test/slug.test.js; echo "on: issues" >.github/workflows/ci.yml; sed -i "s/node --test/node --test --x/" package.json';
    const story = await playStory([
      ...UP_TO_RED,
      say(write('src/slug.js', HALF), bash(cheat.replace(/; sed -i "s.node.*/, '')), runTests()),
      say(flagBlocked('spec_ambiguous', 'there are two readings')),
    ]);
    expect(story.result.outcome).toBe('blocked');
    expect(paths(story)).toEqual(['src/slug.js', 'test/slug.test.js']);
    expect(changed(story, 'test/slug.test.js')).toBe(TESTS);
  });

  it('with a test that contradicts the request ends blocked, with the test and the cure', async () => {
    const story = await playStory([
      ...UP_TO_RED,
      say(write('src/slug.js', HALF), runTests()),
      say(flagBlocked('test_contradicts_spec', 'nothing is not a slug', ID.nothing)),
    ]);
    expect(story.result).toMatchObject({
      outcome: 'blocked',
      reason: `the agent finds a test that contradicts the request (${ID.nothing}): nothing is not a slug`,
      cure: 'Say in the issue which of the two is right, then give the command again.',
    });
    expect(changed(story, 'src/slug.js')).toBe(HALF);
  });

  it('for want of budget ends partial, with what there is, and is not followed by another', async () => {
    const story = await playStory(
      [...UP_TO_RED, say(write('src/slug.js', HALF), runTests()), say(bash('true')), ...IMPLEMENT],
      { limits: { maxCostUsd: 0.004 } },
    );
    expect(story.result).toMatchObject({
      outcome: 'partial',
      reason: 'the cost budget of $0.00 is spent',
      cure: expect.stringContaining('max-cost-usd'),
    });
    expect(story.requests).toHaveLength(4);
    expect(changed(story, 'src/slug.js')).toBe(HALF);
    expect(story.leftFolders).toEqual([]);
  });
});
