/**
 * Environment of the one child that may talk to `url`: its scheme alone is allowed, and the token travels as a header for its host
 * alone. Never on a command line, where every process of the machine could read it, and never in a file.
 */
export function remoteEnv(url: string, token: string | undefined): Record<string, string> {
  const { protocol, origin, username, password } = new URL(url);
  const scheme = protocol.slice(0, -1);
  if (scheme !== 'https' && scheme !== 'http')
    throw new Error(`git may not use ${scheme}: only https and http`);
  if (username || password) throw new Error('a URL for git must not carry a user or a password');
  return {
    GIT_ALLOW_PROTOCOL: scheme,
    ...(token && {
      GIT_CONFIG_COUNT: '1',
      GIT_CONFIG_KEY_0: `http.${origin}/.extraheader`,
      GIT_CONFIG_VALUE_0: `AUTHORIZATION: basic ${Buffer.from(`x-access-token:${token}`).toString('base64')}`,
    }),
  };
}
