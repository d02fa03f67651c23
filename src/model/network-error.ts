import { messageOf } from '../errors.ts';
import type { Endpoint } from './endpoint.ts';
import type { Failure } from './failure.ts';

/** What it means that no answer came over the network at all, or that it broke off. */
export function judgeNetworkError(thrown: unknown, endpoint: Endpoint): Failure {
  const causes = causesOf(thrown);
  const code = causes.map(codeOf).find(Boolean) ?? '';
  const reason = endpoint.clean(`${code} ${messageOf(causes.at(-1))}`);
  if (code === 'UND_ERR_HEADERS_TIMEOUT' || code === 'UND_ERR_BODY_TIMEOUT') {
    return { kind: 'timed-out', reason, retry: true };
  }
  const never = /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|ERR_TLS|ERR_SSL/.test(code);
  // A name that does not resolve is mostly misspelt.
  return { kind: 'unreachable', reason, retry: !never, ...(code === 'ENOTFOUND' && { maxRetries: 2 }) };
}

/** The error, its cause, and so on; of several attempts at connecting the first. */
function causesOf(thrown: unknown): readonly unknown[] {
  const causes: unknown[] = [];
  let next: unknown = thrown;
  while (next !== undefined && next !== null && causes.length < 6) {
    causes.push(next);
    next = next instanceof AggregateError ? next.errors[0] : (next as { cause?: unknown }).cause;
  }
  return causes;
}

const codeOf = (thrown: unknown): string => {
  const { code } = thrown as { code?: unknown };
  return typeof code === 'string' ? code : '';
};
