import { OpenAI } from 'openai/client';
import type { Endpoint } from './endpoint.ts';

/**
 * The SDK with every option given by us, so that no environment variable, no retry and no log of its own has a say.
 * Retries and time-outs are this room's; the SDK's is only set beyond ours.
 */
export const createClient = (endpoint: Endpoint, requestTimeoutMs: number): OpenAI =>
  new OpenAI({
    apiKey: endpoint.apiKey,
    adminAPIKey: null,
    baseURL: endpoint.baseUrl,
    organization: null,
    project: null,
    webhookSecret: null,
    maxRetries: 0,
    timeout: requestTimeoutMs + 60_000,
    logLevel: 'off',
    fetch: (url, init) => fetchPlainly(url, init, endpoint),
  });

/**
 * Only headers that we chose go out: the SDK adds some about this machine, and whatever OPENAI_CUSTOM_HEADERS holds,
 * which no option turns off. A redirect is an answer, never followed: it would take the key to a place that nobody named.
 */
function fetchPlainly(
  url: string | URL | Request,
  init: RequestInit = {},
  endpoint: Endpoint,
): Promise<Response> {
  const ofThisRequest = [...new Headers(init.headers)].filter(([name]) => name.startsWith('x-redgreen-'));
  const headers = {
    authorization: `Bearer ${endpoint.apiKey}`,
    ...endpoint.headers,
    accept: 'application/json',
    'content-type': 'application/json',
    'user-agent': 'redgreen',
    ...Object.fromEntries(ofThisRequest),
  };
  return fetch(url, { ...init, headers, redirect: 'manual' });
}
