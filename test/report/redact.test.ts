import { describe, expect, it } from 'vitest';
import { createRedactor, redactAll } from '../../src/report/redact.ts';

const SECRET = 'p@ss/w+rd "quoted" 123';
const redact = createRedactor([
  SECRET,
  'abc',
  '',
  '-----BEGIN KEY-----\nMIIEpAIBAAKCAQEA0123\n-----END KEY-----\n',
]);
const base64 = (text: string) => Buffer.from(text).toString('base64');

describe('createRedactor hides', () => {
  it.each([
    ['the value', SECRET],
    ['its URL-encoded form', encodeURIComponent(SECRET)],
    ['its JSON form', JSON.stringify(SECRET).slice(1, -1)],
    ['a line of a key of several lines', 'MIIEpAIBAAKCAQEA0123'],
    ['a token of an app', `ghs_12345_${'eyJ.x-_'.repeat(20)}`],
    ['a personal token', `ghp_${'a1B2'.repeat(9)}`],
    ['a fine-grained token', `github_pat_${'a1B2'.repeat(10)}`],
    ['a model key', 'sk-proj-abcdefghij0123456789_-'],
  ])('%s', (_what, text) => {
    expect(redact(`before ${text} after`)).toBe('before *** after');
  });

  it.each(['', 'x', 'xy', 'user:', 'x-access-token:'])('base64 of the value behind %j', prefix => {
    const hidden = redact(`<${base64(`${prefix}${SECRET}`)}>`);
    expect(hidden).toContain('***');
    // What is left of it decodes to nothing of the secret but its edges.
    expect(Buffer.from(hidden.replace(/\*\*\*.*/s, '').slice(1), 'base64').toString()).not.toContain(
      SECRET.slice(0, 3),
    );
  });
});

it('leaves ordinary text and short values alone', () => {
  const text = 'abc sk-short ghp_short task-force-of-twenty-people-and-more';
  expect(redact(text)).toBe(text);
});

it('works without secrets', () => {
  expect(createRedactor([])('text')).toBe('text');
});

it('redactAll cleans every string of plain data, keys included', () => {
  expect(redactAll({ a: [SECRET, 1, null, undefined], [SECRET]: { b: `x${SECRET}` } }, redact)).toEqual({
    a: ['***', 1, null, undefined],
    '***': { b: 'x***' },
  });
});
