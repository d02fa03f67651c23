import { join } from 'node:path';
import type { DemoTask } from './demo.ts';

/** The issue that `npm start` works on. Whoever changes it has to record anew. */
export const SAMPLE_TASK: DemoTask = {
  sample: join(import.meta.dirname, '../../test/samples/tiny-text'),
  name: 'tiny-text',
  issue: {
    title: 'Add slugify(text, options)',
    body: `I want to make file names and URLs from titles.

\`slugify('Crème brûlée, twice!')\` should give \`creme-brulee-twice\`:

- lower case, accents removed, every run of other characters becomes one \`-\`, none at the ends
- option \`separator\` (default \`-\`)
- option \`maxLength\`: cut at a word where possible, never leave a separator at the end
- a TypeError if the text is no string, a RangeError if \`maxLength\` is no positive integer

Please export it beside the others and add it to the table in the README.
`,
  },
  command: '/agent implement',
};

export const RECORDING = join(import.meta.dirname, '../../test/recordings/tiny-text.jsonl');
