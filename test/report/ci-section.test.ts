import { describe, expect, it } from 'vitest';
import { ciReason, ciSection, ciSummary } from '../../src/report/ci-section.ts';
import { EVIL, whatActs } from './what-acts.ts';

const job = {
  name: 'test (node 24)',
  step: 'Run npm test',
  workflow: 'CI',
  url: 'https://github.com/o/r/actions/runs/1/job/2',
  failingTests: ['cart > sums', 'a|b'],
};

describe('ciSummary', () => {
  it('names job, step, workflow and failing tests', () => {
    expect(ciSummary([job, { name: 'lint' }])).toBe(
      `- Job \`test (node 24)\`, step \`Run npm test\` of workflow \`CI\` failed ([log](${job.url}))
  Failing tests: \`cart > sums\`, <code>a&#124;b</code>
- Job \`lint\` failed`,
    );
  });

  it('is empty without jobs, and counts what it does not list', () => {
    expect(ciSummary([])).toBe('');
    const many = Array.from({ length: 7 }, () => ({ ...job, failingTests: Array(13).fill('t') as string[] }));
    expect(ciSummary(many)).toContain('and 3 more\n');
    expect(ciSummary(many)).toMatch(/\n- and 2 more jobs that failed$/);
  });

  it('lets nothing from outside act, and is short', () => {
    for (const text of [EVIL, `${EVIL} `.repeat(500), '|'.repeat(100_000), '`'.repeat(100_000)]) {
      const jobs = Array.from({ length: 50 }, () => ({
        name: text,
        step: text,
        workflow: text,
        url: text,
        failingTests: Array(50).fill(text) as string[],
      }));
      expect(whatActs(ciSummary(jobs))).toEqual([]);
      expect(ciSummary(jobs)).not.toContain('<!-- redgreen');
      expect(ciSummary(jobs).length).toBeLessThan(50_000);
    }
  });
});

it('ciSection has a heading of its own, and is empty without jobs', () => {
  expect(ciSection([{ name: 'lint' }])).toBe('### What CI said\n\n- Job `lint` failed');
  expect(ciSection([])).toBe('');
});

describe('ciReason', () => {
  it('is part of a sentence', () => {
    expect(ciReason([job])).toBe('job “test (node 24)”, step “Run npm test” of workflow “CI” failed');
    expect(ciReason([])).toBe('');
  });

  it('is one line of bounded length', () => {
    const long = { name: 'a\nb'.repeat(40_000), step: 's'.repeat(100_000), workflow: 'w'.repeat(100_000) };
    const reason = ciReason([long, long, long, long, long]);
    expect(reason).toMatch(/; and 2 more jobs$/);
    expect(reason).not.toContain('\n');
    expect(reason.length).toBeLessThan(1000);
  });
});
