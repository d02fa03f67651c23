import { describe, expect, it } from 'vitest';
import { COMMANDS, isCommandName, isGivenIn, parseCommand } from '../../src/events/command.ts';

const implement = (words: string) => ({ kind: 'command', name: 'implement', available: true, words });

describe('a comment', () => {
  it.each([
    ['/agent implement', implement('')],
    ['/agent implement with a flag', implement('with a flag')],
    ['/agent implement\nline two\n\nline three\n', implement('line two\n\nline three')],
    ['/agent implement first\r\nsecond', implement('first\nsecond')],
    ['   /agent\timplement', implement('')],
    ['/Agent Implement: this', implement('this')],
    ['/agent implement /agent fix', implement('/agent fix')],
    ['/agent fix', { kind: 'command', name: 'fix', available: true, words: '' }],
    ['/agent exec', { kind: 'command', name: 'exec', available: false, words: '' }],
  ])('%j gives a command', (body, expected) => {
    expect(parseCommand(body)).toEqual(expected);
  });

  it.each([
    [''],
    ['please /agent implement'],
    ['> /agent implement'],
    ['> quoted\n/agent implement'],
    ['\n/agent implement'],
    ['    /agent implement'],
    ['`/agent implement`'],
    ['```\n/agent implement\n```'],
    ['/agents implement'],
    ['/agent: implement'],
    ['agent implement'],
    ['<!-- -->/agent implement'],
    ['\u200b/agent implement'],
  ])('%j is no command', body => {
    expect(parseCommand(body)).toEqual({ kind: 'not-a-command' });
  });

  it.each([
    ['/agent', ''],
    ['/agent  \nimplement', ''],
    ['/agent make it so', 'make'],
    ['/agent constructor', 'constructor'],
    ['/agent `implement`', '`implement`'],
  ])('%j has the trigger but an unknown word', (body, word) => {
    expect(parseCommand(body)).toEqual({ kind: 'unknown-command', word });
  });

  it('is read soon from a long row of dots', () => {
    const word = `${':'.repeat(65_000)}x`;
    const started = performance.now();
    expect(parseCommand(`/agent ${word}`)).toEqual({ kind: 'unknown-command', word });
    expect(performance.now() - started).toBeLessThan(1_500);
  });

  it('is read with another trigger too', () => {
    expect(parseCommand('@bot implement', '@bot')).toEqual(implement(''));
    expect(parseCommand('/agent implement', '@bot')).toEqual({ kind: 'not-a-command' });
  });
});

it('every command says what it does, in one line', () => {
  for (const { summary } of Object.values(COMMANDS)) expect(summary).toMatch(/^[a-z].*[^.]$/);
});

it('these commands are there, and these are the places for them', () => {
  const places = Object.keys(COMMANDS)
    .filter(isCommandName)
    .filter(name => COMMANDS[name].available)
    .map(name => [
      name,
      ...(['issue', 'pull-request', 'dispatch'] as const).filter(place => isGivenIn(name, place)),
    ]);
  expect(places).toEqual([
    ['implement', 'issue', 'dispatch'],
    ['fix', 'issue', 'pull-request', 'dispatch'],
    ['check', 'issue', 'pull-request', 'dispatch'],
    ['cancel', 'issue', 'pull-request'],
    ['help', 'issue', 'pull-request', 'dispatch'],
  ]);
});
