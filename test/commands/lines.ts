/** Lines for the scripted model: an honest run of the sample's task, and the calls that it is made of. */
import type { ScriptedReply } from '../helpers/scripted-model.ts';

export interface Call {
  readonly name: string;
  readonly arguments: unknown;
}

export const say = (...calls: readonly Call[]): ScriptedReply => ({ calls });
export const write = (path: string, content: string): Call => ({
  name: 'write',
  arguments: { path, content },
});
export const bash = (command: string): Call => ({ name: 'bash', arguments: { command } });
export const runTests = (scope: 'targeted' | 'full' = 'targeted'): Call => ({
  name: 'run_tests',
  arguments: { scope },
});
export const finish = (more: Readonly<Record<string, unknown>> = {}): Call => ({
  name: 'finish',
  arguments: { summary: 'done', ...more },
});
export const flagBlocked = (reason: string, evidence: string, testId?: string): Call => ({
  name: 'flag_blocked',
  arguments: { reason, evidence, ...(testId && { test_id: testId }) },
});

export const nameCause = (more: Readonly<Record<string, unknown>> = {}): Call => ({
  name: 'name_cause',
  arguments: {
    cause: 'the wrong thing is done at this place',
    file: 'src/price.js',
    line: 2,
    evidence: [{ source: 'src/price.js:2', quote: 'Math.floor(' }],
    ...more,
  },
});
export const read = (path: string): Call => ({ name: 'read', arguments: { path } });

export const spec = (name: string, more: Readonly<Record<string, unknown>> = {}) => ({
  name,
  file: 'src/slug.js',
  purpose: `what ${name} is for`,
  ...more,
});
export const specified = (...names: readonly string[]): Call =>
  finish({ functions: names.map(name => spec(name)) });

export const STUB = `/** A text as part of an address. */
export const slugify = text => {
  throw new Error('not implemented: slugify');
};
`;

export const TESTS = `import assert from 'node:assert';
import { test } from 'node:test';
import { slugify } from '../src/slug.js';

test('slugify joins words with dashes', () => {
  assert.equal(slugify('A b'), 'a-b');
});

test('slugify of nothing is nothing', () => {
  assert.equal(slugify(''), '');
});
`;

export const GOOD = `/** A text as part of an address. */
export const slugify = text => text.trim().toLowerCase().split(/\\s+/).join('-');
`;

/** One of the two tests passes. */
export const HALF = `/** A text as part of an address. */
export const slugify = text => (text === '' ? '' : 'wrong');
`;

export const ID = {
  old: 'test/text.test.js::shout is loud',
  joins: 'test/slug.test.js::slugify joins words with dashes',
  nothing: 'test/slug.test.js::slugify of nothing is nothing',
} as const;

export const SPECIFY = [say(write('src/slug.js', STUB), specified('slugify'))];
export const WRITE_TESTS = [
  say(
    write('test/slug.test.js', TESTS),
    finish({ files: [{ path: 'test/slug.test.js', description: 'Tests of slugify.' }] }),
  ),
];
export const IMPLEMENT = [
  say(
    write('src/slug.js', GOOD),
    finish({ summary: 'Added slugify.', files: [{ path: 'src/slug.js', description: 'Slugs.' }] }),
  ),
];
/** To here, everybody did as asked. */
export const UP_TO_RED = [...SPECIFY, ...WRITE_TESTS];
