/** What the specification gate sends back, and what it can not see and a later gate does. */
import { describe, expect, it } from 'vitest';
import {
  bash,
  finish,
  flagBlocked,
  GOOD,
  IMPLEMENT,
  STUB,
  say,
  spec,
  specified,
  WRITE_TESTS,
  write,
} from './lines.ts';
import { playStory, SAMPLE } from './story.ts';

const PACKAGE = SAMPLE['package.json'] ?? '';

describe.concurrent('the specification gate', () => {
  it('sends back what is missing or cyclic; who is not done five times has ended', async () => {
    const circle = [spec('slugify', { dependencies: ['dash'] }), spec('dash', { dependencies: ['slugify'] })];
    const story = await playStory([
      say(finish()),
      say(finish({ functions: circle })),
      say(finish({ functions: [spec('slugify'), spec('slugify')] })),
      say(specified('slugify')),
      say(write('src/slug.js', 'export const other = 1;\n'), specified('slugify')),
    ]);
    const reasons = [
      'finish needs `functions`',
      'cycle: slugify → dash → slugify',
      'same name',
      'Not found in the code: slugify in src/slug.js',
      'Not found in the code: slugify in src/slug.js',
    ];
    expect(story.gates).toEqual(
      reasons.map(reason => expect.stringMatching(new RegExp(`^specification: no .*${reason}`))),
    );
    // The model reads the same words.
    const read = story.read('specifier').slice(0, 4);
    for (const [i, text] of read.entries()) expect(text).toContain(reasons[i]);
    expect(read).toHaveLength(4);
    expect(story.result).toMatchObject({
      outcome: 'partial',
      change: [],
      cure: expect.stringContaining('gate'),
    });
  });

  it('puts functions in the order of their dependencies before anybody else reads them', async () => {
    const story = await playStory([
      say(
        write(
          'src/slug.js',
          `${STUB}export const dash = text => {\n  throw new Error('not implemented: dash');\n};\n`,
        ),
        finish({ functions: [spec('slugify', { dependencies: ['dash', 'toString'] }), spec('dash')] }),
      ),
      say(flagBlocked('spec_ambiguous', 'that was all to be seen')),
    ]);
    expect(story.result.functions.map(({ name }) => name)).toEqual(['dash', 'slugify']);
    const brief = story.requests[1]?.messages[1]?.content ?? '';
    expect(brief.indexOf('- dash (src/slug.js)')).toBeGreaterThan(0);
    expect(brief.indexOf('- slugify (src/slug.js)')).toBeGreaterThan(brief.indexOf('- dash (src/slug.js)'));
  });

  it('sends back a stub that breaks an old test, with the summary of the run', async () => {
    const loud = "export const shout = () => { throw new Error('not implemented: shout'); };\n";
    const story = await playStory([
      say(write('src/text.js', loud), write('src/slug.js', STUB), specified('slugify')),
      say(write('src/text.js', SAMPLE['src/text.js'] ?? ''), specified('slugify')),
      ...WRITE_TESTS,
      ...IMPLEMENT,
    ]);
    const feedback = story.read('specifier').find(text => text.includes('must still pass'));
    expect(feedback).toContain(
      'What passed before must still pass: test/text.test.js::shout is loud is failed.',
    );
    expect(feedback).toContain('[passed before!] test/text.test.js');
    expect(feedback).toContain('not implemented: shout');
    expect(feedback).toContain('old tests 0/1 still pass');
    expect(story.result).toMatchObject({ outcome: 'proven' });
    expect(story.result.change.map(file => file.path)).toEqual(['src/slug.js', 'test/slug.test.js']);
  });

  it('refuses writes to what is not its own, each with the reason and the way out', async () => {
    const cases = [
      ['test/slug.test.js', 'x', 'tests are written in the next step'],
      ['package.json', PACKAGE.replace('node --test', 'true'), 'configuration stays as it is'],
      ['.github/workflows/ci.yml', 'on: issues\n', 'files under .github run on GitHub'],
      ['src/../.github/x', 'x', 'files under .github run on GitHub'],
      ['AGENTS.md', 'x', 'instructs agents'],
      ['package-lock.json', '{}', 'a missing one is reported with flag_blocked'],
      ['.git/hooks/pre-commit', 'x', '.git can not be changed'],
      ['../outside', 'x', 'outside the repository'],
    ] as const;
    const story = await playStory([
      ...cases.map(([path, text]) => say(write(path, text))),
      say(bash('git status --porcelain 2>/dev/null; ls -A . .. .git/hooks 2>/dev/null')),
      say(flagBlocked('out_of_scope', 'there is nothing to do')),
    ]);
    const answers = story.read('specifier');
    for (const [i, [path, , why]] of cases.entries()) {
      expect(answers[i], path).toContain(why);
      if (!/\.git\/|outside/.test(path)) expect(answers[i], path).toContain('call flag_blocked');
    }
    expect(answers.at(-1)).not.toMatch(/outside|AGENTS|package-lock|pre-commit$/m);
    expect(story.result).toMatchObject({ outcome: 'blocked', change: [] });
  });

  it('what a shell changed anyway is put back with a notice, and the files are really as before', async () => {
    const show = 'cat package.json test/text.test.js .github/workflows/ci.yml; ls -A . .github test';
    const story = await playStory([
      say(bash(show)),
      say(
        bash(
          'echo "//" >>test/text.test.js; sed -i "s/node --test/true/" package.json; rm -r .github; echo "*" >.gitattributes; ' +
            'echo x >test/new.test.js; ln -s text.js src/link.js; echo "{}" >package-lock.json',
        ),
        write('src/slug.js', STUB),
        specified('slugify'),
      ),
      say(bash(show)),
      say(specified('slugify')),
      ...WRITE_TESTS,
      ...IMPLEMENT,
    ]);
    const texts = story.read('specifier');
    const notice = texts.find(text => text.includes('put back')) ?? '';
    for (const path of [
      '.gitattributes',
      '.github/workflows/ci.yml',
      'package-lock.json',
      'package.json',
      'src/link.js',
      'test/new.test.js',
      'test/text.test.js',
    ])
      expect(notice).toContain(`- ${path}: `);
    expect(notice).toContain('scripts');
    expect(texts.at(-1)).toBe(texts[0]);
    expect(story.result).toMatchObject({ outcome: 'proven' });
    expect(story.result.change.map(file => file.path)).toEqual(['src/slug.js', 'test/slug.test.js']);
  });

  it('an implementation in place of a stub is caught by the red gate: its tests prove nothing', async () => {
    const story = await playStory([
      say(write('src/slug.js', GOOD), specified('slugify')),
      ...WRITE_TESTS,
      ...Array.from({ length: 4 }, () => say(finish())),
    ]);
    expect(story.gates[0]).toContain('specification: yes');
    expect(story.gates.slice(1)).toEqual(
      Array(5).fill(expect.stringMatching(/^red: no .*passes although nothing is implemented/)),
    );
    expect(story.result.outcome).toBe('partial');
    expect(story.result.proof).toBeUndefined();
  });
});
