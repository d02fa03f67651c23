import { describe, expect, it } from 'vitest';
import { diagnosisSections } from '../../src/report/diagnosis-section.ts';
import { diagnosis } from './samples.ts';
import { EVIL, whatActs } from './what-acts.ts';

const headings = (text: string) => text.match(/^### .*/gm);

describe('diagnosisSections', () => {
  it('tells how a failure in words was reproduced, between what was wrong and the evidence', () => {
    const sections = diagnosisSections({ ...diagnosis, reproduced: 'One test calls\n`total([])`.' });
    expect(headings(sections)).toEqual([
      '### What was wrong',
      '### How it was reproduced',
      '### Evidence',
      '### How it was fixed',
    ]);
    expect(sections).toContain(
      '### How it was reproduced\n\nOne test calls\n\\`total(\\[\\])\\`.\n\n### Evidence',
    );
  });

  it.each([undefined, '', ' \n'])('has no heading for a reproduction without words: %j', reproduced => {
    const given = reproduced === undefined ? diagnosis : { ...diagnosis, reproduced };
    expect(diagnosisSections(given)).toBe(diagnosisSections(diagnosis));
    expect(diagnosisSections(given)).not.toContain('reproduc');
  });

  it('says once, below the first heading, whose words these are', () => {
    const said = '\n\n<sub>Cause and fix are told in the model’s words; the quotations';
    expect(diagnosisSections(diagnosis)).toMatch(new RegExp(`^### What was wrong${said}`));
    expect(diagnosisSections(diagnosis).match(/<sub>/g)).toHaveLength(1);
    expect(diagnosisSections({ ...diagnosis, cause: '', place: '' })).toMatch(
      new RegExp(`^### Evidence${said}`),
    );
  });

  it('counts a reproduction among the model’s words', () => {
    expect(diagnosisSections({ ...diagnosis, reproduced: 'x' })).toContain(
      '<sub>Cause, reproduction and fix are told in the model’s words',
    );
  });

  it('is empty when nothing is told', () => {
    expect(diagnosisSections({ cause: '', place: '', evidence: [], fix: '' })).toBe('');
  });

  it('lets nothing act in the account of the reproduction, and cuts it', () => {
    expect(whatActs(diagnosisSections({ ...diagnosis, reproduced: EVIL }))).toEqual([]);
    const long = diagnosisSections(
      { ...diagnosis, reproduced: 'x'.repeat(10_000) },
      { explanation: 100, quotes: 1, quote: 100 },
    );
    expect(long.length).toBeLessThan(1000);
  });
});
