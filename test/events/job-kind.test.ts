import { expect, it } from 'vitest';
import { kindOfJob } from '../../src/events/job-kind.ts';

const unseen = { sort: 'unknown' } as const;

it.each([
  ['Lint', undefined, 'lint'],
  ['test (24, ubuntu-latest)', undefined, 'tests'],
  ['Unit', undefined, 'tests'],
  ['build', undefined, 'build'],
  ['build', 'npm test', 'tests'],
  ['ci', 'Check formatting', 'lint'],
  ['ci', 'Typecheck', 'build'],
  ['deploy', 'Upload', 'unknown'],
  ['latest contest', undefined, 'unknown'],
])('job %j with step %j is %s', (job, step, kind) => {
  expect(kindOfJob({ job, step }, unseen)).toBe(kind);
});

it('what the log shows counts more than the names', () => {
  expect(kindOfJob({ job: 'lint', step: 'npm run lint' }, { sort: 'tests' })).toBe('tests');
});

it('the command that the log shows counts when the step is not known', () => {
  expect(kindOfJob({ job: 'ci' }, { sort: 'unknown', step: 'npx eslint .' })).toBe('lint');
});

it('a name of a megabyte is read soon', () => {
  expect(kindOfJob({ job: 'lint'.repeat(250_000) }, unseen)).toBe('lint');
});
