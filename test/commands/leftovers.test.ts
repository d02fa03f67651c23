/** What belongs to a change, and what is only left lying about. */
import { describe, expect, it } from 'vitest';
import { bash, finish, GOOD, IMPLEMENT, runTests, SPECIFY, say, TESTS, UP_TO_RED, write } from './lines.ts';
import { playStory, SAMPLE, type Story } from './story.ts';

const paths = ({ result }: Story) => result.change.map(file => file.path);
const OURS = ['src/slug.js', 'test/slug.test.js'];

/** An old test that leaves things behind, as suites do. */
const LITTERING = `${SAMPLE['test/text.test.js']}
import { mkdirSync, writeFileSync } from 'node:fs';

test('leaves things behind', () => {
  for (const folder of ['coverage', 'dist', 'node_modules/.cache', 'results']) mkdirSync(folder, { recursive: true });
  for (const path of ['coverage/lcov.info', 'dist/out.js', 'node_modules/.cache/x', 'results/junit.xml', 'test/output.txt', 'run.log'])
    writeFileSync(path, String(Math.random()));
  writeFileSync('data/count.txt', String(Math.random()));
});
`;

describe.concurrent('a change has', () => {
  it('nothing that set-up left', async () => {
    const story = await playStory([...UP_TO_RED, ...IMPLEMENT], {
      settings: {
        setupCommand:
          'echo "{}" >package-lock.json; mkdir -p coverage dist node_modules/x build; for d in coverage dist node_modules/x build; do echo x >$d/x.js; done; echo "// set up" >>src/text.js',
      },
    });
    expect(story.result).toMatchObject({ outcome: 'proven' });
    expect(paths(story)).toEqual(OURS);
    expect(story.result.proof?.setupCommand).toContain('package-lock.json');
    expect(story.events.find(event => event.kind === 'setup-ran')).toMatchObject({ exit: { code: 0 } });
  });

  it('nothing that tests left, and nobody is blamed for it', async () => {
    const story = await playStory(
      [
        ...SPECIFY,
        say(write('test/slug.test.js', TESTS), runTests('full'), finish()),
        say(write('src/slug.js', GOOD), runTests('full'), finish()),
      ],
      { files: { 'test/text.test.js': LITTERING, 'data/count.txt': '0' } },
    );
    expect(story.gates).toEqual([
      expect.stringContaining('specification: yes'),
      expect.stringContaining('red: yes'),
      expect.stringContaining('green: yes'),
    ]);
    expect(story.events).toContainEqual({
      kind: 'note',
      level: 'info',
      text: 'the tests themselves write data/count.txt, results/junit.xml, test/output.txt; no change has that',
    });
    expect(story.result).toMatchObject({ outcome: 'proven' });
    expect(paths(story)).toEqual(OURS);
  });

  it('files with any bytes and modes, and none that is ignored', async () => {
    const story = await playStory(
      [
        ...UP_TO_RED,
        say(
          bash(
            "mkdir -p bin data dist; printf '#!/bin/sh\\n' >bin/new; chmod 755 bin/new bin/plain; printf '\\000\\377\\r\\n' >'data/odd name ü.bin'; echo x >dist/y.js; echo y >z.log; : >empty; git rm -q --cached src/text.js 2>/dev/null; rm -f bin/old",
          ),
          write('bin/tool', '#!/bin/sh\necho 2\n'),
          ...IMPLEMENT.flatMap(line => ('calls' in line ? line.calls : [])),
        ),
      ],
      {
        files: { 'bin/tool': '#!/bin/sh\necho 1\n', 'bin/plain': 'x\n', 'bin/old': 'x\n' },
        executable: ['bin/tool'],
      },
    );
    expect(story.result).toMatchObject({ outcome: 'proven' });
    const facts = story.result.change.map(file => [
      file.status,
      file.path,
      file.after?.mode,
      file.after?.bytes.length,
    ]);
    expect(facts).toEqual(
      [
        ['deleted', 'bin/old', undefined, undefined],
        ['added', 'bin/new', '100755', 10],
        ['modified', 'bin/plain', '100755', 2],
        ['modified', 'bin/tool', '100755', 17],
        ['added', 'data/odd name ü.bin', '100644', 4],
        ['added', 'empty', '100644', 0],
        ['added', 'src/slug.js', '100644', GOOD.length],
        ['added', 'test/slug.test.js', '100644', TESTS.length],
      ].sort((a, b) => (String(a[1]) < String(b[1]) ? -1 : 1)),
    );
    const binary = story.result.change.find(file => file.path.startsWith('data/'))?.after?.bytes;
    expect(binary?.toString('hex')).toBe('00ff0d0a');
    expect(Object.keys(story.result.proof?.change ?? {})).toHaveLength(8);
  });

  it('no link: a new one is objected to, one that leaves the repository is not even read', async () => {
    const story = await playStory([
      ...UP_TO_RED,
      say(
        bash('ln -s text.js src/near.js; ln -s /etc/passwd src/far.js'),
        write('src/slug.js', GOOD),
        finish(),
      ),
      say(finish()),
    ]);
    expect(story.gates[2]).toContain('src/near.js: new symbolic links are not published');
    expect(story.events).toContainEqual(
      expect.objectContaining({
        kind: 'note',
        level: 'warning',
        text: expect.stringContaining('left in the sandbox: src/far.js'),
      }),
    );
    expect(story.result).toMatchObject({ outcome: 'proven' });
    expect(paths(story)).toEqual(OURS);
  });

  it.each([
    [
      'proven',
      'ends blocked',
      [say(write('src/slug.js', `${GOOD}// AKIAABCDEFGHIJKLMNOP\n`), finish())],
      'blocked',
    ],
    [
      'half done',
      'is kept back too',
      [
        say(
          write('src/slug.js', '// AKIAABCDEFGHIJKLMNOP\nexport const slugify = text => text;\n'),
          runTests(),
        ),
        say({ name: 'flag_blocked', arguments: { reason: 'out_of_scope', evidence: 'none of it is ours' } }),
      ],
      'blocked',
    ],
  ])('no secret: what would have been %s %s', async (_what, _end, lines, outcome) => {
    const story = await playStory([...UP_TO_RED, ...lines]);
    expect(story.result).toMatchObject({
      outcome,
      change: [],
      reason: expect.stringContaining('src/slug.js: an added line looks like an AWS key id'),
      cure: expect.stringContaining('Nothing was pushed'),
    });
    expect(story.result.proof).toBeUndefined();
  });
});
