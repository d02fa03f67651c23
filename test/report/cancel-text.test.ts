import { describe, expect, it } from 'vitest';
import { cancelText } from '../../src/report/cancel-text.ts';
import { EVIL, whatActs } from './what-acts.ts';

const url = 'https://github.com/o/r/actions/runs/5';

describe('cancelText', () => {
  it('names what was told to stop and what could not be, with the cure', () => {
    expect(
      cancelText({
        cancelled: [{ url, id: 5, what: '/agent fix for @ada' }],
        refused: [{ url, id: 6, reason: 'Resource not accessible.', cure: 'Give the job `actions: write`.' }],
        none: false,
      }),
    ).toBe(`Told to stop; each says in its own comment what became of it:

- [run 5](${url}): \\/agent fix for @\u200bada

Could not be cancelled:

- [run 6](${url}): Resource not accessible. Give the job \`actions: write\`.`);
  });

  it.each([true, false])('says that there was nothing to stop (none: %s)', none => {
    expect(cancelText({ cancelled: [], refused: [], none })).toBe(
      'There is no run of mine under way here, so there was nothing to cancel.',
    );
  });

  it('lets nothing from outside act', () => {
    const text = cancelText({
      cancelled: [{ url: EVIL, id: EVIL, what: EVIL }],
      refused: [{ url: 'javascript:alert(1)', id: 1, reason: EVIL, cure: EVIL }],
      none: false,
    });
    expect(whatActs(text.replaceAll(/\]\(https?:\/\/evil\.example(?:\/\w)?\)/g, ']'))).toEqual([]);
    expect(text).not.toContain('<!-- redgreen');
  });

  it('is short, whatever it is about', () => {
    const long = '|'.repeat(100_000);
    const text = cancelText({
      cancelled: Array.from({ length: 100 }, (_, id) => ({ url, id, what: long })),
      refused: Array.from({ length: 21 }, (_, id) => ({ url, id, reason: long, cure: long })),
      none: false,
    });
    expect(text).toContain('- and 90 more runs\n');
    expect(text).toMatch(/- and 11 more runs$/);
    expect(text.length).toBeLessThan(65_000);
  });
});
