/** Who asks, and whether that is enough. */
import type { IncomingMessage } from 'node:http';
import type { Permissions, Scope, State, Token } from './state.ts';
import { hasLevel } from './state.ts';

export type Caller =
  | { readonly kind: 'anonymous' }
  | { readonly kind: 'unknown-token' }
  /** Two credentials in one request, which GitHub answers with 400. */
  | { readonly kind: 'duplicate' }
  | { readonly kind: 'known'; readonly token: Token };

/** Reads `token …`, `Bearer …` and, for git, the password of `Basic …`. */
export function identify(state: State, request: IncomingMessage): Caller {
  const headers = request.rawHeaders.filter(
    (_value, at, all) => all[at - (at % 2)]?.toLowerCase() === 'authorization',
  );
  if (headers.length > 2) return { kind: 'duplicate' };
  const [scheme = '', credential = ''] = (request.headers.authorization ?? '').split(' ');
  if (!scheme) return { kind: 'anonymous' };
  const basic = () => Buffer.from(credential, 'base64').toString().split(':').slice(1).join(':');
  const value = scheme.toLowerCase() === 'basic' ? basic() : credential;
  const token = state.tokens.get(value);
  return token && spend(token) ? { kind: 'known', token } : { kind: 'unknown-token' };
}

/** Takes one request from what the token is good for. */
function spend({ expiry }: Token): boolean {
  if (!expiry) return true;
  return expiry.requestsLeft-- > 0 && Date.now() < expiry.at;
}

/** `issues=write; pull_requests=write`: one of them is enough. Needs with a comma want all. */
export type Needs = readonly Permissions[];

export const isEnough = (granted: Permissions, needs: Needs): boolean =>
  needs.length === 0 ||
  needs.some(need =>
    Object.entries(need).every(([scope, level]) => hasLevel(granted[scope as Scope], level)),
  );

/** As the header `x-accepted-github-permissions` says it. */
export const acceptedPermissions = (needs: Needs): string =>
  needs
    .map(need =>
      Object.entries(need)
        .map(([scope, level]) => `${scope}=${level}`)
        .join(','),
    )
    .join('; ');
