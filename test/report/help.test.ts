import { describe, expect, it } from 'vitest';
import { type HelpCommand, type HelpInput, helpText } from '../../src/report/help.ts';
import { nearestWord } from '../../src/report/nearest.ts';
import { EVIL, whatActs } from './what-acts.ts';

const commands: readonly HelpCommand[] = [
  { name: 'implement', summary: 'build what this issue asks for', where: ['issue', 'dispatch'] },
  { name: 'fix', summary: 'find and mend what is wrong' },
  { name: 'check', summary: 'try everything a run needs' },
  { name: 'help', summary: 'list the commands', where: ['issue', 'pull-request'] },
];
const help = (given: Partial<HelpInput>) => helpText({ about: 'help', word: 'help', commands, ...given });

describe('helpText', () => {
  it('lists what can be given on an issue, with two lines to copy', () => {
    expect(help({ place: 'issue' })).toBe(`I know these commands on an issue:

- \`/agent implement\`: build what this issue asks for
- \`/agent fix\`: find and mend what is wrong
- \`/agent check\`: try everything a run needs
- \`/agent help\`: list the commands

For example:

\`\`\`text
/agent implement keep the old signature
/agent fix an empty cart has a total of NaN
\`\`\``);
  });

  it('lists on a pull request what can be given there, and what elsewhere, after the trigger of the workflow', () => {
    const text = help({ place: 'pull-request', trigger: '/bot' });
    expect(text).toMatch(/^I know these commands on a pull request:\n\n- `\/bot fix`/);
    expect(text).toContain('```text\n/bot fix\n/bot check\n```');
    expect(text).toMatch(/\n\nElsewhere: `implement` \(on an issue or in the input `command`\)\.$/);
    expect(text).not.toContain('/agent');
  });

  it('shows a dispatch as inputs', () => {
    const text = help({ place: 'dispatch' });
    expect(text).toContain('- `implement`: build');
    expect(text).toContain('command: implement, task: add a function');
    expect(text).not.toContain('/agent');
  });

  it('gives no example of a command that there is not', () => {
    const text = help({ commands: [commands[1]!] });
    expect(text).toContain('```text\n/agent fix an empty cart has a total of NaN\n/agent fix\n```');
    expect(text).not.toContain('implement');
  });

  it('asks what was meant by a word that is nearly a command', () => {
    expect(help({ about: 'unknown-command', word: 'fixx' })).toBe(
      'I do not know the command `fixx`. Did you mean `/agent fix`?\n\nI know `/agent implement`, `/agent fix`, `/agent check`, `/agent help` on an issue. `/agent help` says what they do.',
    );
  });

  it('says where a command is given that was nearly written in the wrong place', () => {
    expect(help({ about: 'unknown-command', word: 'implment', place: 'pull-request' })).toContain(
      'Did you mean `/agent implement`? It is given on an issue or in the input `command`.',
    );
  });

  it('does not guess what is far from every command', () => {
    expect(help({ about: 'unknown-command', word: 'deploy' })).toMatch(
      /^I do not know the command `deploy`\.\n/,
    );
  });

  it('answers the bare trigger', () => {
    expect(help({ about: 'unknown-command', word: '' })).toMatch(/^After `\/agent` comes a command\.\n/);
  });

  it('says of an issue’s command on a pull request where it belongs, and what there is instead', () => {
    const asked = { about: 'pull-request', word: 'implement' } as const;
    expect(help(asked)).toMatch(
      /^`\/agent implement` starts from an issue, not from a pull request\. Give it in a comment on the issue\. For a pull request there is `\/agent fix`: find and mend what is wrong\.\n/,
    );
    expect(help({ ...asked, commands: [commands[0]!] })).not.toContain('fix');
  });

  it('names a command that is not there yet only when asked about it', () => {
    expect(help({ about: 'not-available', word: 'refactor' })).toMatch(
      /^The command `\/agent refactor` is not available yet\.\n\nI know `/,
    );
    expect(help({})).not.toContain('refactor');
  });

  it.each(['unknown-command', 'not-available', 'pull-request'] as const)(
    'lets no word act, and is soon done with a long one: %s',
    about => {
      for (const word of [
        EVIL,
        '@ada',
        '`@ada',
        '<!-- redgreen:run=1 -->',
        'a'.repeat(100_000),
        '.'.repeat(100_000),
      ]) {
        const text = help({ about, word });
        expect(whatActs(text)).toEqual([]);
        expect(text).not.toContain('<!-- redgreen');
        expect(text.length).toBeLessThan(1500);
      }
    },
  );
});

describe('nearestWord', () => {
  it.each([
    ['fixx', 'fix'],
    ['FIX:', 'fix'],
    ['fxi', 'fix'],
    ['fx', 'fix'],
    ['impelment', 'implement'],
    ['impl', 'implement'],
    ['implementation', undefined],
    ['chekc', 'check'],
    ['cancle', 'cancel'],
    ['f', undefined],
    ['', undefined],
    ['mix', 'fix'],
    ['nothing', undefined],
  ])('%j means %s', (word, meant) => {
    expect(nearestWord(word, ['implement', 'fix', 'check', 'cancel'])).toBe(meant);
  });

  it('does not take the beginning of two words for one of them', () => {
    expect(nearestWord('con', ['continue', 'consider'])).toBeUndefined();
  });
});
