/** The debug agent's real story: real git, a real sandbox, real runs of node:test. Only the model is scripted. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Deps } from '../../src/commands/deps.ts';
import { fixCommand } from '../../src/commands/fix.ts';
import type { FixRequest } from '../../src/commands/fix-request.ts';
import type { Project } from '../../src/commands/project.ts';
import type { ScriptedReply } from '../helpers/scripted-model.ts';
import { bash, finish, flagBlocked, nameCause, read, runTests, say, write } from './lines.ts';
import { playStory, type Script, type StoryOptions } from './story.ts';

const PRICE = (body: string) =>
  `/** Cents as a price. */\nexport const price = cents => ${body};\nexport const half = cents => cents / 2;\n`;
const WRONG = PRICE('(Math.floor(cents / 10) / 10).toFixed(2)');
const RIGHT = PRICE('(cents / 100).toFixed(2)');
const PRICE_TEST = `import assert from 'node:assert';
import { test } from 'node:test';
import { half, price } from '../src/price.js';

test('price has two digits', () => {
  assert.equal(price(1234), '12.34');
});

test('half is half', () => {
  assert.equal(half(4), 2);
});
`;
const TARGET = 'test/price.test.js::price has two digits';
const RED = { 'src/price.js': WRONG, 'test/price.test.js': PRICE_TEST };

const FIX: readonly ScriptedReply[] = [
  say(read('src/price.js')),
  say(nameCause()),
  say(
    write('src/price.js', RIGHT),
    finish({
      summary: 'Divides once and rounds last.',
      files: [{ path: 'src/price.js', description: 'Prices from cents.' }],
    }),
  ),
];

const TASK = { source: 'pull request #1', title: 'Prices', body: '', words: '', comments: [] };

const fix =
  (more: Partial<FixRequest> = {}, compare = false) =>
  (deps: Deps, base: Project) =>
    fixCommand(
      {
        task: TASK,
        from: 'failing-tests',
        describes: false,
        base: compare ? async () => base : undefined,
        context: '',
        ciSaid: [],
        ciTests: [],
        ciJobs: [],
        ciWithoutTests: false,
        ...more,
      },
      deps,
    );

const play = (
  script: Script,
  options: StoryOptions = {},
  request: Partial<FixRequest> = {},
  compare = false,
) => playStory(script, { files: RED, command: fix(request, compare), ...options });

describe('a test that fails', () => {
  it('is reproduced three times, fixed at its named cause, and proven', async () => {
    const story = await play(FIX);
    expect(story.error).toBeUndefined();
    const { result } = story;
    expect(result).toMatchObject({
      outcome: 'proven',
      reason: '',
      diagnosis: {
        cause: 'the wrong thing is done at this place',
        place: 'src/price.js:2',
        evidence: [{ source: 'src/price.js:2', quote: 'Math.floor(' }],
        fix: 'Divides once and rounds last.',
      },
    });
    expect(result.change.map(file => [file.status, file.path])).toEqual([['modified', 'src/price.js']]);
    expect(result.proof).toMatchObject({
      proven: true,
      failToPass: [{ id: TARGET, before: 'assertion', after: 'passed' }],
      failedBefore: [],
      frozenTests: { 'test/price.test.js': expect.stringMatching(/^[0-9a-f]{64}$/) },
    });
    expect(result.proof?.runs.map(run => [run.name, run.passed, run.failed, run.sentinels])).toEqual([
      ['baseline', 2, 1, undefined],
      ['baseline-again', 2, 1, undefined],
      ['reproduction', 1, 1, undefined],
      ['red', 1, 1, 'honest'],
      ['green', 2, 0, 'honest'],
      ['suite', 3, 0, 'honest'],
    ]);
    const runs = story.events.flatMap(event => (event.kind === 'tests-ran' ? [event.purpose] : []));
    expect(runs.slice(0, 3)).toEqual(['baseline', 'baseline again', 'reproduction']);
    expect(story.leftFolders).toEqual([]);
    expect(story.leftProcesses).toEqual([]);
  });

  it('shows its failure to the debugger, who needs to run nothing to see it', async () => {
    const story = await play(FIX);
    const brief = story.requests[0]?.messages[1]?.content ?? '';
    expect(brief).toContain(TARGET);
    expect(brief).toContain('12.34');
  });

  it('is not edited away: tests are read-only, and a wrong one is disputed', async () => {
    const story = await play([
      say(read('src/price.js'), nameCause()),
      say(write('test/price.test.js', PRICE_TEST.replace('12.34', '12.30'))),
      say(flagBlocked('needs_test_change', 'the test expects cents that nobody asked for', TARGET)),
    ]);
    expect(story.read('debugger').join('\n')).toContain('read-only');
    expect(story.result).toMatchObject({ outcome: 'blocked', change: [] });
    expect(story.result.reason).toContain('nobody asked for');
  });

  it('may be a file that can not be loaded at all', async () => {
    const story = await play(
      [
        say(bash('ls src; cat src/price.js; node --test 2>&1 | head -50')),
        say(nameCause({ evidence: [{ source: 'cat', quote: 'export const prize' }] })),
        say(write('src/price.js', RIGHT), finish({ summary: 'The name is right again.' })),
      ],
      { files: { ...RED, 'src/price.js': RIGHT.replace('price =', 'prize =') } },
    );
    expect(story.result).toMatchObject({ outcome: 'proven', reason: '' });
    expect(story.result.proof?.failToPass).toMatchObject([
      { id: 'test/price.test.js::(the file as a whole)', before: 'error', after: 'passed' },
    ]);
  });

  it('is not fixed by a change after which another fails', async () => {
    const story = await play([
      say(read('src/price.js'), nameCause()),
      say(write('src/price.js', RIGHT.replace('cents / 2', 'cents')), finish({ summary: 'Oh, and this.' })),
      say(write('src/price.js', RIGHT), finish({ summary: 'Only this.' })),
    ]);
    expect(story.gates.map(gate => gate.split(' (')[0])).toEqual(['green: no', 'green: yes']);
    expect(story.result.outcome).toBe('proven');
  });
});

describe('a cause', () => {
  it('is named before the first edit, by tool or by shell', async () => {
    const story = await play([
      say(write('src/price.js', RIGHT)),
      say(bash(`cat > src/price.js <<'EOF'\n${RIGHT}EOF`), finish({ summary: 'done' })),
      say(read('test/price.test.js')),
      say(nameCause({ evidence: [{ source: 'x', quote: 'price has two digits' }] })),
      say(runTests()),
      say(write('src/price.js', RIGHT), finish({ summary: 'now' })),
    ]);
    const read1 = story.read('debugger').join('\n');
    expect(read1).toContain('call name_cause first');
    expect(read1).toContain('was put back: src/price.js');
    expect(story.gates.map(gate => gate.split(' (')[0])).toEqual(['cause: no', 'green: yes']);
    expect(story.result.outcome).toBe('proven');
  });

  it('needs evidence that was seen', async () => {
    const story = await play([
      say(nameCause({ evidence: [{ source: 'a hunch', quote: 'the flux capacitor is empty' }] })),
      say(flagBlocked('out_of_scope', 'nothing of it was seen anywhere')),
    ]);
    expect(story.read('debugger').join('\n')).toContain('Not in anything you were shown');
  });

  it('is given up after three changes that did not help', async () => {
    const vain = (digit: number) =>
      say(write('src/price.js', PRICE(`(cents / ${digit}).toFixed(2)`)), runTests());
    const story = await play([
      say(read('src/price.js'), nameCause()),
      vain(1),
      vain(2),
      vain(3),
      say(write('src/price.js', RIGHT)),
      say(nameCause()),
      say(nameCause({ cause: 'the division is by the wrong number of cents' })),
      say(write('src/price.js', RIGHT), finish({ summary: 'ok' })),
    ]);
    const texts = story.read('debugger');
    expect(texts.join('\n')).toContain('probably not the one');
    expect(texts.join('\n')).toContain('Name another one');
    expect(story.result).toMatchObject({
      outcome: 'proven',
      diagnosis: { cause: 'the division is by the wrong number of cents' },
    });
  });
});

describe('nothing to fix', () => {
  it('asks no model when no test fails, and names what CI said', async () => {
    const story = await play(
      [],
      { files: { 'src/price.js': RIGHT } },
      {
        ciSaid: ['job `lint`, step `Run eslint` of workflow CI failed'],
      },
    );
    expect(story.result).toMatchObject({ outcome: 'not-reproduced', change: [] });
    expect(story.result.reason).toContain('step `Run eslint`');
    expect(story.result.cure).toContain('test-command');
    expect(story.requests).toEqual([]);
  });

  it('asks no model when only flaky tests fail', async () => {
    const counter = join(mkdtempSync(join(tmpdir(), 'redgreen-flaky-')), 'count');
    onTestFinished(() => rmSync(dirname(counter), { recursive: true, force: true }));
    const flaky = `import assert from 'node:assert';
import { appendFileSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
test('every other time', () => {
  appendFileSync('${counter}', 'x');
  assert.ok(readFileSync('${counter}').length % 2 === 0);
});
`;
    const story = await play([], { files: { 'src/price.js': RIGHT, 'test/flaky.test.js': flaky } });
    expect(story.result.outcome).toBe('not-reproduced');
    expect(story.result.reason).toContain('only flaky tests fail');
    expect(story.result.reason).toContain('every other time');
    expect(story.requests).toEqual([]);
  });

  it('finds the flaky test that CI names, though it passed here three times', async () => {
    const counter = join(mkdtempSync(join(tmpdir(), 'redgreen-flaky-')), 'count');
    onTestFinished(() => rmSync(dirname(counter), { recursive: true, force: true }));
    const flaky = `import assert from 'node:assert';
import { appendFileSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
test('now and then', () => {
  appendFileSync('${counter}', 'x');
  assert.ok(readFileSync('${counter}').length !== 5);
});
`;
    const story = await play(
      [],
      { files: { 'src/price.js': RIGHT, 'test/flaky.test.js': flaky } },
      { ciTests: ['now and then'], ciSaid: ['job `test` failed'] },
    );
    expect(story.result.reason).toContain('now and then');
    expect(story.result.reason).toContain('flaky');
  });

  it('leaves alone what fails on the base branch too', async () => {
    const story = await play([], { head: { 'docs.md': '# Docs\n' } }, {}, true);
    expect(story.result).toMatchObject({ outcome: 'not-reproduced' });
    expect(story.result.reason).toContain(`fails on the base branch too`);
    expect(story.requests).toEqual([]);
  });

  it('does not say of a test that the head adds that it passes on the base', async () => {
    const added = `${PRICE_TEST}\ntest('a third is a third', () => { assert.equal(half(9), 3); });\n`;
    const files = { 'src/price.js': RIGHT, 'test/price.test.js': PRICE_TEST };
    const script = [say(flagBlocked('needs_test_change', 'half of nine is not three'))];
    const story = await play(script, { files, head: { 'test/price.test.js': added } }, {}, true);
    expect(story.result).toMatchObject({ outcome: 'blocked', passOnBase: false });
    expect(story.requests[0]?.messages[1]?.content).not.toContain('They pass on the base branch');
  });

  it('says of tests that were there that they pass on the base', async () => {
    const files = { 'src/price.js': RIGHT, 'test/price.test.js': PRICE_TEST };
    const story = await play(FIX, { files, head: { 'src/price.js': WRONG } }, {}, true);
    expect(story.result).toMatchObject({ outcome: 'proven', passOnBase: true });
    expect(story.requests[0]?.messages[1]?.content).toContain('They pass on the base branch');
  });

  it('mends what the head alone broke', async () => {
    const old = `${PRICE_TEST}\ntest('was red before', () => { assert.equal(half(1), 7); });\n`;
    const story = await play(
      FIX,
      {
        files: { 'src/price.js': RIGHT, 'test/price.test.js': old },
        head: { 'src/price.js': WRONG },
      },
      {},
      true,
    );
    expect(story.result).toMatchObject({ outcome: 'proven' });
    expect(story.result.proof).toMatchObject({
      failToPass: [{ id: TARGET }],
      failedBefore: ['test/price.test.js::was red before'],
    });
  });
});

const NEW_TEST = (expected: string) => `import assert from 'node:assert';
import { test } from 'node:test';
import { price } from '../src/price.js';

test('price keeps the last cent', () => {
  ${expected}
});
`;
const WORDS = { from: 'words', describes: true } as const;
const ONLY_CODE = { 'src/price.js': WRONG };

describe('words', () => {
  it('become a test that pins the bug down, is turned around, and then leads to the fix', async () => {
    const story = await play(
      [
        say(write('test/cent.test.js', NEW_TEST("assert.equal(price(1234), '12.30');")), finish()),
        say(
          write('test/cent.test.js', NEW_TEST("assert.equal(price(1234), '12.34');")),
          finish({ files: [{ path: 'test/cent.test.js', description: 'Cents are kept.' }] }),
        ),
        ...FIX,
      ],
      { files: ONLY_CODE },
      WORDS,
    );
    expect(story.error).toBeUndefined();
    expect(story.gates.map(gate => gate.split(' (')[0])).toEqual([
      'characterization: yes',
      'reproduction: yes',
      'green: yes',
    ]);
    expect(story.result).toMatchObject({ outcome: 'proven' });
    expect(story.result.change.map(file => [file.status, file.path])).toEqual([
      ['modified', 'src/price.js'],
      ['added', 'test/cent.test.js'],
    ]);
    expect([...story.result.descriptions]).toEqual([
      ['test/cent.test.js', 'Cents are kept.'],
      ['src/price.js', 'Prices from cents.'],
    ]);
  });

  it('may tell of an error that the code throws', async () => {
    const story = await play(
      [
        say(
          write('test/cent.test.js', NEW_TEST('assert.throws(() => price(undefined), TypeError);')),
          finish(),
        ),
        say(write('test/cent.test.js', NEW_TEST("assert.equal(price(undefined), '0.00');")), finish()),
        say(read('src/price.js'), nameCause({ evidence: [{ source: 'x', quote: 'cents.valueOf()' }] })),
        say(write('src/price.js', PRICE('(Number(cents ?? 0) / 100).toFixed(2)')), finish()),
      ],
      { files: { 'src/price.js': PRICE('(cents.valueOf() / 100).toFixed(2)') } },
      WORDS,
    );
    expect(story.result).toMatchObject({ outcome: 'proven', reason: '' });
    expect(story.result.proof?.failToPass).toMatchObject([{ before: 'error', after: 'passed' }]);
  });

  it('are no licence to write other tests than those that were pinned down', async () => {
    const story = await play(
      [
        say(write('test/cent.test.js', NEW_TEST("assert.equal(price(1234), '12.34');")), finish()),
        say(write('test/cent.test.js', NEW_TEST("assert.equal(price(1234), '12.30');")), finish()),
        say(finish()),
        say(
          write(
            'test/cent.test.js',
            NEW_TEST("assert.equal(price(1234), '12.34');").replace('keeps', 'never loses'),
          ),
          finish(),
        ),
        say(flagBlocked('spec_ambiguous', 'it is not clear which cent is meant')),
      ],
      { files: ONLY_CODE },
      WORDS,
    );
    expect(story.gates.map(gate => gate.split(' (')[0])).toEqual([
      'characterization: no',
      'characterization: yes',
      'reproduction: no',
      'reproduction: no',
    ]);
    expect(story.result).toMatchObject({ outcome: 'blocked' });
  });

  it('that do not hold end not-reproduced, with what was seen', async () => {
    const story = await play(
      [say(flagBlocked('not_reproducible', 'price(1234) is 12.34 here'))],
      { files: { 'src/price.js': RIGHT } },
      WORDS,
    );
    expect(story.result).toMatchObject({ outcome: 'not-reproduced', change: [] });
    expect(story.result.reason).toContain('price(1234) is 12.34 here');
  });

  it('may be about tests that fail already', async () => {
    const story = await play([say(flagBlocked('tests_fail_already', TARGET)), ...FIX], {}, WORDS);
    expect(story.result).toMatchObject({ outcome: 'proven' });
  });
});

describe('a command that shows its failure by its exit code alone', () => {
  const LINT = `grep -n 'Math.floor' src/price.js && exit 1; exit 0`;
  const settings = { testCommand: LINT };

  it('is made green, and is not called proven', async () => {
    const story = await play(FIX, { files: ONLY_CODE, settings });
    expect(story.error).toBeUndefined();
    expect(story.result).toMatchObject({
      outcome: 'unproven',
      commandGreen: { command: LINT, before: 'exit 1', after: 'exit 0' },
      diagnosis: { place: 'src/price.js:2' },
      proof: { proven: false, runs: [{ name: 'command-before' }, { name: 'command-after' }] },
    });
    expect(story.result.reason).toContain('command green');
  });

  it('that succeeds is no failure to mend', async () => {
    const story = await play([], { files: { 'src/price.js': RIGHT }, settings });
    expect(story.result.outcome).toBe('not-reproduced');
    expect(story.requests).toEqual([]);
  });
});
