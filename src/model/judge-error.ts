import type { Endpoint } from './endpoint.ts';
import type { EndpointError } from './endpoint-error.ts';
import type { Failure } from './failure.ts';
import type { ModelErrorKind } from './model.ts';

const CONTEXT_TOO_LONG =
  /context_length_exceeded|exceed_context_size|maximum (?:context|prompt|model|input) length|context (?:length|window|size)[^.]*exceed|exceeds?[^.]*context (?:length|window|size)|too many (?:input |prompt )?tokens|prompt (?:is )?too long|input (?:is )?too long|reduce the length of|longer than the (?:model's )?(?:maximum )?context/i;
// Only this: of a rate limit, "too many tokens" means those of the minute.
const NEVER_FITS_THE_LIMIT = /request too large/i;
const OUT_OF_QUOTA =
  /insufficient_quota|billing_hard_limit_reached|billing_not_active|insufficient[ _](?:balance|credits|funds)|credit balance is too low/i;
const BAD_KEY =
  /invalid_api_key|(?:invalid|incorrect) api[ _-]?key|api[ _-]?key (?:is )?(?:not valid|invalid|expired)/i;
const NO_MODEL =
  /model_not_found|DeploymentNotFound|invalid model(?: name| id)?|model[^.]{0,120}(?:does not exist|not found|is not available)/i;
const FILTERED = /content_filter|content_policy_violation|ResponsibleAIPolicyViolation/i;

/** Rules in order: an endpoint's words say more than its status, because gateways put both to odd uses. */
const RULES: readonly [ModelErrorKind, retry: boolean, (error: EndpointError, words: string) => boolean][] = [
  ['context-too-long', false, ({ status }) => status === 413],
  [
    'context-too-long',
    false,
    ({ status }, words) => (status === 429 ? NEVER_FITS_THE_LIMIT : CONTEXT_TOO_LONG).test(words),
  ],
  ['out-of-quota', false, ({ status }, words) => status === 402 || OUT_OF_QUOTA.test(words)],
  [
    'unknown-model',
    false,
    ({ status }, words) => status === 404 || (isClient(status) && NO_MODEL.test(words)),
  ],
  ['rejected-key', false, ({ status }, words) => status === 401 || (isClient(status) && BAD_KEY.test(words))],
  ['content-filtered', false, ({ status }, words) => isClient(status) && FILTERED.test(words)],
  ['rejected-key', false, ({ status }) => status === 403],
  ['rate-limited', true, ({ status }) => status === 429],
  ['timed-out', true, ({ status }) => status === 408],
  ['server-error', true, ({ status }) => status === 409 || status === 425 || isServer(status)],
];

/** What an error that an endpoint put into words or a status means for the call. A redirect is never followed: it would carry the key along. */
export function judgeError(error: EndpointError, endpoint: Endpoint): Failure {
  const words = `${error.code} ${error.message}`;
  const rule = RULES.find(([, , applies]) => applies(error, words));
  const [kind, retry] = rule ?? ['bad-request', false];
  return { kind, retry, reason: reasonFor(error, endpoint), ...(error.status && { status: error.status }) };
}

/**
 * An error object inside a stream. The request was taken and begun, so unlike in a status, 400 is mostly
 * the trouble of a provider behind a gateway, and so is an error without a number.
 */
export function judgeStreamError(error: EndpointError, endpoint: Endpoint): Failure {
  const vague = error.status === undefined || error.status === 400 || error.status === 422;
  const failure = judgeError(vague ? { ...error, status: 500 } : error, endpoint);
  return {
    ...failure,
    reason: `error inside the stream: ${endpoint.clean(error.message) || 'without a message'}`,
  };
}

function reasonFor({ status, message, code }: EndpointError, endpoint: Endpoint): string {
  const said = endpoint.clean(message) || endpoint.clean(code);
  return `${status ?? 'error'}${said ? `: ${said}` : ' without a message'}`;
}

const isClient = (status = 0) => status >= 400 && status < 500 && status !== 429;
// 501 and 505 say that it will never work.
const isServer = (status = 0) => status >= 500 && status !== 501 && status !== 505;
