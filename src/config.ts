import { getInput } from '@actions/core';
import { UserError } from './errors.ts';
import { type Price, parsePrice } from './model/price.ts';
import { SDK_ENVIRONMENT_VARIABLES } from './model/sdk-environment.ts';
import type { SandboxKind } from './sandbox/sandbox.ts';

/** Everything that a run knows of its surroundings. Read once; nothing else reads the environment. */
export interface Config {
  readonly event: { readonly name: string; readonly path: string };
  readonly repository: { readonly owner: string; readonly name: string };
  readonly urls: { readonly api: string; readonly server: string };
  readonly run: { readonly id: string; readonly attempt: string; readonly url: string };
  readonly workspace: string;
  readonly tempFolder: string;
  readonly hostPath: string;
  readonly dockerHost: string | undefined;
  /** True when requests to the API go through a proxy. */
  readonly proxy: boolean;
  /** Proxy and certificate settings, for git. */
  readonly networkEnv: Readonly<Record<string, string>>;
  readonly token: string;
}

/** What the maintainer chose. Read after the sender was acknowledged, so that a mistake in it can be told in a comment. */
export interface Inputs {
  readonly model: ModelConfig;
  readonly sandbox: SandboxConfig;
  readonly testCommand: string | undefined;
  /** Folder of the package that is worked on, as it was given. */
  readonly workingDirectory: string | undefined;
  readonly base: string | undefined;
  readonly limits: LimitsConfig;
}

export interface ModelConfig {
  readonly name: string;
  readonly apiKey: string | undefined;
  readonly baseUrl: string | undefined;
  readonly price: Price | undefined;
  /** Silence of the endpoint, within a request. */
  readonly timeoutMs: number;
}

export interface SandboxConfig {
  readonly kind: 'auto' | SandboxKind;
  readonly container: string | undefined;
  readonly image: string | undefined;
  readonly setupCommand: string | undefined;
  readonly rootSetupCommand: string | undefined;
  readonly include: readonly string[];
}

export interface LimitsConfig {
  readonly maxCostUsd: number;
  readonly maxTokens: number;
  readonly maxSteps: number;
  readonly timeoutMinutes: number;
  readonly proofMinutes: number;
}

/** The event alone, so that a comment that is none of our business costs nothing more. */
export const readEventConfig = (): Config['event'] => ({
  name: variable('GITHUB_EVENT_NAME'),
  path: variable('GITHUB_EVENT_PATH'),
});

/** Reads the surroundings and the token. Removes from the environment what the model SDK would read by itself. */
export function readConfig(): Config {
  for (const name of SDK_ENVIRONMENT_VARIABLES) delete process.env[name];
  const token = required(
    'github-token',
    'Leave it out to use the job’s own token, or give it a token of an app.',
  );
  return Object.freeze({ event: readEventConfig(), ...readPlace(), token });
}

/** Reads the inputs. Throws a UserError that names the first wrong one. */
export const readInputs = (): Inputs =>
  Object.freeze({ model: readModel(), sandbox: readSandbox(), limits: readLimits(), ...readPlaces() });

/** A group of inputs, or what is wrong with it. */
export type InputPart<T> =
  | { readonly value: T; readonly problem?: undefined }
  | { readonly value?: undefined; readonly problem: UserError };

/** The inputs by groups, for a check: what is wrong with one of them does not hide the others. */
export const readInputParts = () => ({
  model: part(readModel),
  sandbox: part(readSandbox),
  limits: part(readLimits),
  places: readPlaces(),
});

function part<T>(read: () => T): InputPart<T> {
  try {
    return { value: read() };
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return { problem: error };
  }
}

const readLimits = (): LimitsConfig => ({
  maxCostUsd: positive('max-cost-usd'),
  maxTokens: positive('max-tokens'),
  maxSteps: positive('max-steps'),
  timeoutMinutes: positive('timeout-minutes'),
  proofMinutes: positive('proof-minutes'),
});

const readPlaces = (): Pick<Inputs, 'testCommand' | 'workingDirectory' | 'base'> => ({
  testCommand: input('test-command'),
  workingDirectory: input('working-directory'),
  base: input('base'),
});

/** Values that must never be shown. Empty when the inputs are. */
export const readSecrets = (): readonly string[] =>
  ['github-token', 'openai-api-key'].flatMap(name => input(name) ?? []);

function readPlace(): Omit<Config, 'event' | 'token'> {
  const [owner = '', name = ''] = variable('GITHUB_REPOSITORY').split('/');
  const server = variable('GITHUB_SERVER_URL');
  const id = variable('GITHUB_RUN_ID');
  return {
    repository: { owner, name },
    urls: { api: variable('GITHUB_API_URL'), server },
    run: {
      id,
      attempt: process.env.GITHUB_RUN_ATTEMPT ?? '1',
      url: `${server}/${owner}/${name}/actions/runs/${id}`,
    },
    workspace: variable('GITHUB_WORKSPACE'),
    tempFolder: variable('RUNNER_TEMP'),
    hostPath: process.env.PATH ?? '/usr/bin:/bin',
    dockerHost: process.env.DOCKER_HOST || undefined,
    proxy: ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy'].some(name => process.env[name]),
    networkEnv: present(NETWORK_VARIABLES),
  };
}

const NETWORK_VARIABLES = [
  'HTTPS_PROXY',
  'HTTP_PROXY',
  'NO_PROXY',
  'https_proxy',
  'http_proxy',
  'no_proxy',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'GIT_SSL_CAINFO',
];

const present = (names: readonly string[]): Record<string, string> =>
  Object.fromEntries(names.flatMap(name => (process.env[name] ? [[name, process.env[name]]] : [])));

function readModel(): ModelConfig {
  const priceText = input('model-price');
  const price = priceText === undefined ? undefined : parsePrice(priceText);
  if (priceText !== undefined && !price)
    throw wrong(
      'model-price',
      priceText,
      'dollars per million tokens as `input/cached/output`, such as `1.25/0.125/10`',
    );
  const baseUrl = input('base-url');
  if (baseUrl !== undefined && !/^https?:\/\/\S+$/.test(baseUrl))
    throw wrong('base-url', baseUrl, 'an http or https address, such as `https://api.openai.com/v1`');
  return {
    name: required('model', 'Set it to one that your endpoint offers, such as `model: gpt-5-mini`.'),
    apiKey: input('openai-api-key'),
    baseUrl,
    price,
    timeoutMs: positive('model-timeout-seconds') * 1000,
  };
}

const SANDBOX_KINDS = ['auto', 'service', 'docker', 'bubblewrap', 'unsafe-local'] as const;

function readSandbox(): SandboxConfig {
  const given = input('sandbox') ?? 'auto';
  const kind = SANDBOX_KINDS.find(each => each === given);
  if (!kind) throw wrong('sandbox', given, `one of ${SANDBOX_KINDS.join(', ')}`);
  return {
    kind,
    container: input('sandbox-container'),
    image: input('image'),
    setupCommand: input('setup-command'),
    rootSetupCommand: input('root-setup-command'),
    include: (input('include') ?? '')
      .split('\n')
      .map(line => line.trim())
      .filter(Boolean),
  };
}

const input = (name: string): string | undefined => getInput(name) || undefined;

function required(name: string, cure: string): string {
  const value = input(name);
  if (value === undefined) throw new UserError(`The input ${name} is empty.`, cure);
  return value;
}

function positive(name: string): number {
  const text = required(name, 'Leave it out to use its default.');
  const value = Number(text.replaceAll('_', ''));
  if (!Number.isFinite(value) || value <= 0) throw wrong(name, text, 'a number above 0');
  return value;
}

const wrong = (name: string, value: string, allowed: string) =>
  new UserError(`The input ${name} is "${value}".`, `It must be ${allowed}.`);

function variable(name: string): string {
  const value = process.env[name];
  if (!value)
    throw new UserError(
      `The environment variable ${name} is missing.`,
      'Run this as a GitHub Action; locally, `npm start` provides what a runner does.',
    );
  return value;
}
