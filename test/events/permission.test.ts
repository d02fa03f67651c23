import { expect, it } from 'vitest';
import { decidePermission } from '../../src/events/permission.ts';

it.each([
  ['admin', 'admin', true],
  ['write', 'write', true],
  ['write', 'maintain', true],
  ['maintain', 'maintain', true],
  ['write', 'Release Engineer', true],
  ['read', 'triage', false],
  ['read', 'read', false],
  ['none', 'none', false],
  ['', '', false],
  ['read', 'admin', false],
])('permission %j with role %j: allowed is %s', (permission, roleName, allowed) => {
  expect(decidePermission({ login: 'mona', permission, roleName }).allowed).toBe(allowed);
});

it.each(['github-actions[bot]', 'Evil[BOT]', 'x[bot] '])('%j is refused whatever it may do', login => {
  expect(decidePermission({ login, permission: 'admin', roleName: 'admin' }).allowed).toBe(false);
});

it('says why: who, what they have, and what is needed', () => {
  expect(decidePermission({ login: 'mona', permission: 'read', roleName: 'triage' })).toEqual({
    allowed: false,
    reason: 'mona has the permission "read" (role triage) here; write or more is needed',
  });
});
