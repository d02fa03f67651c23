/** Types and style. `--fix` lets Biome mend what it can. */
import { run } from './lib/run.ts';

run('tsc', ['-p', 'tsconfig.json']);
run('biome', ['check', ...(process.argv.includes('--fix') ? ['--write'] : []), '.']);
