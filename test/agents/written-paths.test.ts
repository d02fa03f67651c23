import { describe, expect, it } from 'vitest';
import { writtenPaths } from '../../src/agents/tools/written-paths.ts';

describe('writtenPaths', () => {
  it.each([
    ["cat > test/a.js <<'EOF'\nx => y > z\nrm b.js\nEOF\nrm c.js", ['test/a.js', 'c.js']],
    ['cat <<-A <<B > a.js\nrm x\n\tA\nrm y\nB\nrm z', ['a.js', 'z']],
    ['echo x >> a.txt 2>&1 | tee -a log/b.txt', ['a.txt', 'log/b.txt']],
    ['run 2>err.log &>all.log', ['err.log', 'all.log']],
    ['echo "a > b" > "my file.js"', ['my file.js']],
    ["sed -i 's/a/b/' a.js", ['a.js']],
    ["sed -i.bak -e s/a/b/ -e 's;c;d;' a.js b.js", ['a.js', 'b.js']],
    ["sed -i '' 's/a/b/' a.js", ['a.js']],
    ["sed 's/a/b/' a.js > b.js", ['b.js']],
    ["perl -pi -e 's/x/y/' a.js", ['a.js']],
    ['cd sub && mv a.js ../b.js', ['sub/a.js', 'b.js']],
    ['cp -r a.js b.js test/', ['test/']],
    ['if [ -f a ]; then rm -f a; fi', ['a']],
    ['X=1 rm -- -a.js # > nothing', ['-a.js']],
    ['git checkout -- a.js && git restore b.js', ['a.js', 'b.js']],
    ['git checkout HEAD~1 a.js; git diff b.js', ['a.js']],
    ['rm $FILE "$(pwd)/x" .', []],
    ['node --test test/a.js < in.txt', []],
    ["rm 'a", ["'a"]],
  ])('%s', (script, expected) => {
    expect(writtenPaths(script)).toEqual(expected);
  });

  it.each(['"\\"', "'", '"', '<<x ', '\n<<a\n', '>', '1', '1>', '\\', '$(', '#', "''", '(', '='])(
    'takes no long time for many of %j',
    piece => {
      const started = performance.now();
      writtenPaths(piece.repeat(200_000));
      expect(performance.now() - started).toBeLessThan(2_000);
    },
  );
});
