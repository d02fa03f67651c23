import { UserError } from '../errors.ts';

/** Names under which people keep secrets. */
const SECRET_NAME = /TOKEN|SECRET|PASSW|CREDENTIAL|API_?KEY|(^|_)(KEYS?|PAT|PWD|AUTH)(_|$)/i;
const PROXY_NAME = /^(https?|ftp|all|no)_proxy$/i;

/** What every command inside gets. Caches of tools lie under HOME, in the container's own layer, so that a snapshot has them. */
export const agentEnvironment = (home: string): Readonly<Record<string, string>> => ({
  HOME: home,
  CI: 'true',
  LANG: 'C.UTF-8',
  XDG_CACHE_HOME: `${home}/.cache`,
  npm_config_cache: `${home}/.cache/npm`,
  PIP_CACHE_DIR: `${home}/.cache/pip`,
});

/** Names in a container's environment that look like secrets and that its image did not bring (python's brings `GPG_KEY`). */
export function secretNames(env: readonly string[], ofImage: ReadonlySet<string>): string[] {
  const own = env.filter(pair => !ofImage.has(pair) && !pair.endsWith('='));
  return own.map(nameOf).filter(name => SECRET_NAME.test(name) && name !== 'PWD');
}

/** Proxies that carry a password: emptied in every command. The runner gives its own proxy settings to each service. */
export const proxiesWithPassword = (env: readonly string[]): string[] =>
  env.filter(pair => PROXY_NAME.test(nameOf(pair)) && pair.includes('@')).map(nameOf);

/** What a fresh sandbox must not inherit from the container that its snapshot was taken of. */
export const namesToEmpty = (env: readonly string[]): string[] =>
  env.map(nameOf).filter(name => PROXY_NAME.test(name) || SECRET_NAME.test(name));

/** `docker` arguments that set variables. */
export const environmentArgs = (env: Readonly<Record<string, string>>): string[] =>
  Object.entries(env).flatMap(([name, value]) => ['-e', `${checkedName(name)}=${value}`]);

/** A name with `=` or a line break in it would set another variable. */
export function checkedName(name: string): string {
  if (/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) return name;
  throw new UserError(
    `${JSON.stringify(name)} is not the name of an environment variable.`,
    'Use letters, digits and underscores.',
  );
}

const nameOf = (pair: string): string => pair.split('=', 1)[0] ?? '';
