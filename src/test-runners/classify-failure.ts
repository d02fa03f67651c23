import type { FailureKind } from '../types.ts';

export interface RawError {
  /** The error's class or code (`TypeError`, `ERR_ASSERTION`), when the report tells. */
  readonly type: string;
  readonly message: string;
}

/** Why a test failed, from its own error alone: never from its output or its stack, where other errors may be quoted. */
export function classifyFailure({ type, message }: RawError): FailureKind {
  const name = type || (/^([\w.]+):\s/.exec(message)?.[1] ?? '');
  const text = message.startsWith(`${name}: `) ? message.slice(name.length + 2) : message;
  if (isTestTimeout(text)) return 'timeout';
  if (isAssertion(name, text)) return classifyAssertion(text);
  if (/NotImplemented/.test(name) || saysNotImplemented(text)) return 'not-implemented';
  return isMissingSymbol(name, text) ? 'missing-symbol' : 'error';
}

const saysNotImplemented = (text: string): boolean =>
  /\bnot[\s_-]?implemented\b|\bNotImplemented(Error|Exception)?\b|\bunimplemented\b/i.test(text);

const isTestTimeout = (text: string): boolean =>
  /^(Error: )?(test|hook) timed out (after|in) \d+ ?ms/i.test(text) ||
  /^(Failed: )?Timeout (>|\(>)\d/.test(text) ||
  /^(thrown: ")?Exceeded timeout of \d+ ?ms for a (test|hook)|^Timeout of \d+ ?ms exceeded\b|^Timeout - Async (callback|function)/.test(
    text,
  );

const isAssertion = (name: string, text: string): boolean =>
  /(^|\.)AssertionError$|^ERR_ASSERTION$|^Failed$|^JestAssertionError$/.test(name) ||
  /^assert\b|^\[XPASS\(strict\)\]|^DID NOT (RAISE|WARN)|^expected number of assertions|^expected any number of assertions|^Snapshot `|^expect\(/.test(
    text,
  );

/**
 * "This must throw a RangeError" quotes what was thrown instead. A stub that says not-implemented is as good as an
 * assertion; a function that is not there at all must not pass for either.
 */
function classifyAssertion(text: string): FailureKind {
  const thrown = THROWN_INSTEAD.map(pattern => pattern.exec(text)?.[1]).find(Boolean);
  if (thrown && isMissingSymbol('', thrown)) return 'missing-symbol';
  return saysNotImplemented(text) ? 'not-implemented' : 'assertion';
}

const THROWN_INSTEAD = [
  /Received "\w+"\s+Error message:\s+([\s\S]*)/,
  /Got unwanted exception\.\s+Actual message: "([\s\S]*)"/,
  /but got (?:error )?'([^']*)'/,
  /but '([^']*)' was thrown/,
  /validation function is expected to return "true"\. Received ([^\n]*)/,
  /^(?:Received|Error) message:[ \t]+"([^\n]*)/m,
  /^Rejected to value:[ \t]+\[?([^\n]*)/m,
];

const isMissingSymbol = (name: string, text: string): boolean =>
  /(^|\.)(ImportError|ModuleNotFoundError|NameError)$|^ERR_MODULE_NOT_FOUND$|^MODULE_NOT_FOUND$/.test(name) ||
  /\bis not (a function|a constructor|defined)\b|\bCannot find (module|package)\b|does not provide an export named|Failed to (resolve import|load url)/.test(
    text,
  ) ||
  /^(module|type object) '[^']*' has no attribute|^'(?!NoneType)\w+' object has no attribute/.test(text);
