import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { GOOD, ID, IMPLEMENT, SPECIFY, TESTS, UP_TO_RED, WRITE_TESTS } from './lines.ts';
import { playStory } from './story.ts';

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

it('an honest run ends proven, with all of its evidence', async () => {
  const story = await playStory([...UP_TO_RED, ...IMPLEMENT]);
  expect(story.error).toBeUndefined();
  const { result } = story;
  expect(result).toMatchObject({ outcome: 'proven', reason: '', summary: 'Added slugify.' });
  expect(story.gates.map(gate => gate.split(' (')[0])).toEqual([
    'specification: yes',
    'red: yes',
    'green: yes',
  ]);
  expect(result.change.map(file => [file.status, file.path, file.after?.bytes.toString()])).toEqual([
    ['added', 'src/slug.js', GOOD],
    ['added', 'test/slug.test.js', TESTS],
  ]);
  expect([...result.descriptions]).toEqual([
    ['test/slug.test.js', 'Tests of slugify.'],
    ['src/slug.js', 'Slugs.'],
  ]);

  const { proof } = result;
  expect(proof).toMatchObject({
    version: 1,
    proven: true,
    isolated: false,
    reason: '',
    runner: 'node:test',
    sandbox: { kind: 'unsafe-local', snapshot: expect.stringMatching(/^sha256:[0-9a-f]{64}$/) },
    failToPass: [
      { id: ID.joins, before: 'not-implemented', said: 'not implemented: slugify', after: 'passed' },
      { id: ID.nothing, before: 'not-implemented', said: 'not implemented: slugify', after: 'passed' },
    ],
    passToPass: [ID.old],
    brokenTests: [],
    lostTests: [],
    failedBefore: [],
    flaky: [],
    skippedForTime: [],
    frozenTests: { 'test/slug.test.js': sha256(TESTS) },
    change: { 'src/slug.js': sha256(GOOD), 'test/slug.test.js': sha256(TESTS) },
  });
  expect(proof?.base).toMatch(/^[0-9a-f]{40}$/);
  const counts = proof?.runs.map(run => [run.name, run.passed, run.failed, run.skipped, run.sentinels]);
  expect(counts).toEqual([
    ['baseline', 1, 0, 0, undefined],
    ['baseline-again', 1, 0, 0, undefined],
    ['red', 0, 2, 0, 'honest'],
    ['green', 2, 0, 0, 'honest'],
    ['suite', 3, 0, 0, 'honest'],
  ]);
  for (const run of proof?.runs ?? []) {
    expect(run.reportSha256).toMatch(/^[0-9a-f]{64}$/);
    expect(run.command).toContain('node --test');
    expect(run.problem).toBeUndefined();
  }
  expect(story.leftFolders).toEqual([]);
  expect(story.leftProcesses).toEqual([]);
});

it('roles never read each other’s words, only what the gates let through', async () => {
  const [specify, writeTests] = [SPECIFY[0], WRITE_TESTS[0]].map(line => ({
    ...line,
    content: 'a thought of mine',
  }));
  if (!specify || !writeTests) throw new Error('unreachable');
  const story = await playStory([specify, writeTests, ...IMPLEMENT]);
  expect(story.result.outcome).toBe('proven');
  expect(story.requests.map(({ role }) => role)).toEqual(['specifier', 'test-writer', 'implementer']);
  expect(story.requests.every(({ messages }) => messages.length === 2)).toBe(true);
  const briefs = story.requests.map(({ messages }) => messages[1]?.content ?? '');
  expect(briefs.join()).not.toContain('a thought of mine');
  expect(briefs[0]).not.toContain('what slugify is for');
  expect(briefs[1]).toContain('what slugify is for');
  expect(briefs[2]).toContain(TESTS.trim());
});

it('what failed or was skipped before is nobody’s fault, and no part of the claim', async () => {
  const old =
    "import { test } from 'node:test';\ntest('is broken', () => {\n  throw new Error('long ago');\n});\ntest.skip('is off', () => {});\n";
  const story = await playStory([...UP_TO_RED, ...IMPLEMENT], {
    files: { 'test/old.test.js': old, 'test/unloadable.test.js': "import '../src/gone.js';\n" },
  });
  expect(story.result).toMatchObject({ outcome: 'proven', reason: '' });
  expect(story.result.proof).toMatchObject({
    failedBefore: ['test/old.test.js::is broken'],
    passToPass: [ID.old],
    brokenTests: [],
    lostTests: [],
  });
});
