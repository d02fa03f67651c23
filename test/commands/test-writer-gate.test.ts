/** What the red gate refuses, by name and reason. */
import { beforeAll, describe, expect, it } from 'vitest';
import {
  bash,
  finish,
  flagBlocked,
  IMPLEMENT,
  SPECIFY,
  STUB,
  say,
  specified,
  TESTS,
  WRITE_TESTS,
  write,
} from './lines.ts';
import { playStory, SAMPLE } from './story.ts';

const withTest = (body: string, head = '') => `${head}${TESTS}\n${body}`;

/** Five refusals end the step, so this is one story in two. */
const REFUSED = [
  [
    'a vacuous test',
    withTest("test('slugify is there', () => {\n  assert.ok(slugify);\n});\n"),
    ['"slugify is there" (test/slug.test.js) passes although'],
  ],
  [
    'a skipped test',
    withTest("test('slugify later', { skip: true }, () => {});\n"),
    ['"slugify later"', 'is skipped'],
  ],
  [
    'a test that is still to do',
    withTest("test.todo('slugify some day');\n"),
    ['"slugify some day"', 'is todo'],
  ],
  [
    'a test of a name that is not there',
    withTest("test('slugify.all', () => {\n  assert.equal(slugify.all('a'), 'a');\n});\n"),
    ['"slugify.all"', 'a missing name', 'slugify.all is not a function'],
  ],
  [
    'a test with an error of its own',
    withTest("test('slugify of a record', () => {\n  assert.equal(undefined.name, slugify('a'));\n});\n"),
    ['"slugify of a record"', 'an unexpected error'],
  ],
  [
    'a file that can not be loaded',
    withTest('', "import '../src/nowhere.js';\n"),
    ['test/slug.test.js could not be run', 'nowhere.js'],
  ],
  ['a file with a syntax error', withTest('test('), ['test/slug.test.js could not be run']],
  [
    'a file that leaves early',
    withTest('process.exit(0);\n'),
    ['test/slug.test.js could not be run', 'left before its tests had run'],
  ],
  ['a file without tests', 'export {};\n', ['test/slug.test.js']],
] as const;
const HALF = 5;

const refusedStory = (cases: readonly (typeof REFUSED)[number][]) =>
  playStory([
    ...SPECIFY,
    ...cases.map(([, tests]) => say(write('test/slug.test.js', tests), finish())),
    ...WRITE_TESTS,
    say(flagBlocked('out_of_scope', 'that was all to be seen')),
  ]);

describe('the red gate refuses', () => {
  const said: string[] = [];
  beforeAll(async () => {
    const stories = await Promise.all([
      refusedStory(REFUSED.slice(0, HALF)),
      refusedStory(REFUSED.slice(HALF)),
    ]);
    for (const [i, story] of stories.entries()) {
      expect(story.error).toBeUndefined();
      expect(story.gates[0]).toContain('specification: yes');
      // The first half ends the step; after the second, honest tests are still let through.
      expect(story.result.outcome).toBe(i === 0 ? 'partial' : 'blocked');
      said.push(...story.gates.slice(1).filter(gate => gate.startsWith('red: no')));
      expect(story.gates.filter(gate => gate.startsWith('red: yes'))).toHaveLength(i);
    }
  });

  it.each(REFUSED.map((one, i) => [one[0], one[2], i] as const))('%s', (_what, texts, i) => {
    expect(said).toHaveLength(REFUSED.length);
    for (const text of texts) expect(said[i]).toContain(text);
  });
});

describe.concurrent('the red gate refuses, and then lets through', () => {
  it('fewer tests than functions, and no test at all, until there are enough', async () => {
    const stubs = `${STUB}export const unslug = text => {\n  throw new Error('not implemented: unslug');\n};\n`;
    const onlyOne = TESTS.replace(/test\('slugify of nothing[\s\S]*/, '');
    const two = `${TESTS.replace('{ slugify }', '{ slugify, unslug }')}\ntest('unslug', () => {\n  assert.equal(unslug('a-b'), 'a b');\n});\n`;
    const story = await playStory([
      say(write('src/slug.js', stubs), specified('slugify', 'unslug')),
      say(finish()),
      say(write('test/slug.test.js', onlyOne), finish()),
      say(write('test/slug.test.js', two), finish()),
      say(
        write('src/slug.js', `${IMPLEMENTED}export const unslug = text => text.replaceAll('-', ' ');\n`),
        finish(),
      ),
    ]);
    expect(story.gates[1]).toContain('No test file was written');
    expect(story.gates[2]).toContain('2 functions are specified, but there are only 1 new tests');
    expect(story.gates[3]).toContain('3 new tests fail for the right reason');
    expect(story.result).toMatchObject({ outcome: 'proven' });
  });

  it('source, and puts it back: through the tool with the way out, through a shell with a notice', async () => {
    const story = await playStory([
      ...SPECIFY,
      say(write('src/slug.js', 'x')),
      say(bash('cat src/slug.js src/text.js; ls -A src')),
      say(
        bash('echo "export const slugify = () => 1;" >src/slug.js; rm src/text.js; echo x >src/more.js'),
        write('test/slug.test.js', TESTS),
        finish(),
      ),
      say(bash('cat src/slug.js src/text.js; ls -A src')),
      say(finish()),
      ...IMPLEMENT,
    ]);
    const texts = story.read('test-writer');
    expect(texts[0]).toContain('only test files may be changed in this step');
    expect(texts[0]).toContain('flag_blocked');
    const notice = texts.find(text => text.includes('put back')) ?? '';
    for (const path of ['src/slug.js', 'src/text.js', 'src/more.js']) expect(notice).toContain(`- ${path}: `);
    expect(texts.at(-1)).toBe(texts[1]);
    expect(story.result).toMatchObject({ outcome: 'proven' });
  });

  it('an existing test that was deleted, file or test, or made to fail', async () => {
    const old = SAMPLE['test/text.test.js'] ?? '';
    const restore = write('test/text.test.js', old);
    const story = await playStory([
      ...SPECIFY,
      say(write('test/slug.test.js', TESTS), bash('rm test/text.test.js'), finish()),
      say(write('test/text.test.js', old.replace("'A!'", "'B!'")), finish()),
      say(write('test/text.test.js', TESTS), bash('rm test/slug.test.js'), finish()),
      say(restore, write('test/slug.test.js', TESTS), finish()),
      ...IMPLEMENT,
    ]);
    expect(story.gates[1]).toContain('Existing tests may not be deleted: test/text.test.js');
    expect(story.gates[2]).toContain('"shout is loud" (test/text.test.js) passed before and is failed now');
    expect(story.gates[3]).toContain(
      'red: no (Existing tests may not be removed or renamed: test/text.test.js::shout is loud',
    );
    expect(story.gates[4]).toContain('red: yes');
    expect(story.result).toMatchObject({ outcome: 'proven' });
  });
});

const IMPLEMENTED = "export const slugify = text => text.trim().toLowerCase().split(/\\s+/).join('-');\n";

it('an existing test that was weakened is no proof that nothing was broken', async () => {
  const weak = (SAMPLE['test/text.test.js'] ?? '').replace(
    "assert.equal(shout('a'), 'A!')",
    "assert.ok(shout('a'))",
  );
  const story = await playStory([
    ...SPECIFY,
    say(write('test/text.test.js', weak), write('test/slug.test.js', TESTS), finish()),
    say(
      write('src/slug.js', IMPLEMENTED),
      write('src/text.js', "export const shout = text => text + '?';\n"),
      finish(),
    ),
  ]);
  expect(story.gates.at(-1)).toContain('green: yes');
  expect(story.result).toMatchObject({ outcome: 'unproven' });
  expect(story.result.reason).toContain('test/text.test.js::shout is loud');
});

it('neither is what existing tests use', async () => {
  const helper = (check: string) =>
    `import assert from 'node:assert';\nexport const isLoud = text => assert.ok(${check});\n`;
  const story = await playStory(
    [
      ...SPECIFY,
      say(write('test/lib/loud.js', helper('true || text')), write('test/slug.test.js', TESTS), finish()),
      say(
        write('src/slug.js', IMPLEMENTED),
        write('src/text.js', "export const shout = () => '?';\n"),
        finish(),
      ),
    ],
    {
      files: {
        'test/lib/loud.js': helper("text.endsWith('!')"),
        'test/text.test.js':
          "import { test } from 'node:test';\nimport { shout } from '../src/text.js';\nimport { isLoud } from './lib/loud.js';\n\ntest('shout is loud', () => isLoud(shout('a')));\n",
      },
    },
  );
  expect(story.gates.at(-1)).toContain('green: yes');
  expect(story.result).toMatchObject({ outcome: 'unproven' });
});
