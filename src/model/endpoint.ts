import { ModelError } from './model.ts';

/** Where the model is, and how to speak of it without saying a secret. */
export interface Endpoint {
  readonly model: string;
  /** Without a trailing slash. */
  readonly baseUrl: string;
  /** The base URL without credentials and query, for messages. */
  readonly shownUrl: string;
  /** `none` for a server that needs no key. */
  readonly apiKey: string;
  readonly headers: Readonly<Record<string, string>>;
  /** One line of at most 600 characters, without the key. */
  readonly clean: (text: string) => string;
}

export interface EndpointOptions {
  readonly apiKey?: string | undefined;
  /** Default: OpenAI's. */
  readonly baseUrl?: string | undefined;
  readonly model: string;
}

const OPENAI_BASE_URL = 'https://api.openai.com/v1';
const AZURE = /\.azure\.(com|us|cn)$/;

/**
 * Azure works by its v1 address, `https://NAME.openai.azure.com/openai/v1`, or by a deployment's with `?api-version=`:
 * a key is sent as `api-key` besides the bearer, an Entra token as bearer alone.
 * Throws `no-key` for hosts that are known to need a key, and `bad-request` for a base URL that is none.
 */
export function resolveEndpoint(options: EndpointOptions): Endpoint {
  const url = parseBaseUrl(options.baseUrl?.trim() || OPENAI_BASE_URL);
  const apiKey = options.apiKey?.trim() ?? '';
  const azure = AZURE.test(url.hostname);
  if (apiKey === '' && (azure || /(^|\.)openai\.com$/.test(url.hostname))) throw noKey(url.hostname);
  return {
    model: options.model,
    baseUrl: url.href.replace(/\/+$/, ''),
    shownUrl: `${url.origin}${url.pathname}`.replace(/\/+$/, ''),
    apiKey: apiKey || 'none',
    headers: azure && !apiKey.startsWith('eyJ') ? { 'api-key': apiKey } : {},
    clean: text => clean(text, apiKey),
  };
}

function parseBaseUrl(text: string): URL {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password) {
    throw new ModelError(
      'bad-request',
      'The input `base-url` is not an http(s) address without user name and password.',
      'Set `base-url` to the address that ends before `/chat/completions`, for example `http://localhost:8080/v1`.',
    );
  }
  url.hash = '';
  url.pathname = url.pathname.replace(/\/+$/, '').replace(/\/chat\/completions$/, '');
  return url;
}

const noKey = (host: string) =>
  new ModelError(
    'no-key',
    `${host} needs an API key, and none was given.`,
    'Set the input `openai-api-key` to a secret (in the workflow, `secrets.OPENAI_API_KEY`) and check that the secret exists in this repository, or set `base-url` to a server that needs no key.',
  );

// Endpoints like to quote part of the key that they refuse.
const KEY_LIKE = /\b(sk|pk|gsk|xai)-[\w*.-]{6,}|\bBearer\s+[\w.*~+/-]{8,}=*/gi;
const MAX_SHOWN = 600;

function clean(text: string, apiKey: string): string {
  const safe = (apiKey ? text.replaceAll(apiKey, '[key]') : text).replace(KEY_LIKE, '[key]');
  const line = safe.replace(/[\s\p{Cc}]+/gu, ' ').trim();
  return line.length > MAX_SHOWN ? `${line.slice(0, MAX_SHOWN)} …` : line;
}
