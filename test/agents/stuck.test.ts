import { describe, expect, it } from 'vitest';
import { watchForCircles } from '../../src/agents/stuck.ts';

describe('the watch for circles', () => {
  const step = (args: unknown, ok = true, text = 'same', tool = 'bash', readOnly = false) => ({
    tool,
    args,
    ok,
    text,
    readOnly,
  });

  it('notes a repeated result at the third time, of a read-only tool at the fourth', () => {
    const watch = watchForCircles();
    expect([1, 2, 3].map(() => watch.see(step({ command: 'ls' }))?.kind)).toEqual([
      undefined,
      undefined,
      'note',
    ]);
    const reading = watchForCircles();
    expect([1, 2, 3, 4].map(() => reading.see(step({ path: 'a' }, true, 'x', 'read', true))?.kind)).toEqual([
      undefined,
      undefined,
      undefined,
      'note',
    ]);
  });

  it('names what else there is', () => {
    const watch = watchForCircles();
    const last = [1, 2, 3].map(() => watch.see(step({ command: 'ls' }))).at(-1);
    for (const way of ['read', 'search', 'run_tests', 'flag_blocked'])
      expect(last).toMatchObject({ text: expect.stringContaining(way) });
  });

  it('stops at the eighth time of one failing call, whatever stands between', () => {
    const watch = watchForCircles();
    const advice = [];
    for (let i = 0; i < 8; i++) {
      watch.see(step({ other: i }, true, `t${i}`));
      advice.push(watch.see(step({ command: 'x' }, false, `fails ${i}`))?.kind);
    }
    expect(advice).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
      'note',
      undefined,
      undefined,
      'stop',
    ]);
  });

  it('sees two calls that alternate', () => {
    const watch = watchForCircles();
    const kinds = Array.from(
      { length: 12 },
      (_, i) => watch.see(step({ command: i % 2 === 0 ? 'a' : 'b' }, true, `r${i % 2}`))?.kind,
    );
    expect(kinds).toContain('note');
    expect(kinds).toContain('stop');
  });

  it('advises after three failed edits of one file and three time-outs', () => {
    const edits = watchForCircles();
    const last = [1, 2, 3]
      .map(i => edits.see(step({ path: 'a.js', edits: [i] }, false, `no ${i}`, 'edit')))
      .at(-1);
    expect(last).toMatchObject({ kind: 'note', text: expect.stringContaining('a.js') });
    const slow = watchForCircles();
    expect([1, 2, 3].map(i => slow.see(step({ command: i }, false, `timed out after ${i}`))?.kind)).toEqual([
      undefined,
      undefined,
      'note',
    ]);
  });
});
