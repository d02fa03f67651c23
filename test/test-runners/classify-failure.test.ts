import { expect, it } from 'vitest';
import { classifyFailure } from '../../src/test-runners/classify-failure.ts';

it.each([
  ['Error', 'not implemented: add', 'not-implemented'],
  ['Error', 'Error: Not implemented', 'not-implemented'],
  ['NotImplementedError', 'add', 'not-implemented'],
  ['', 'NotImplementedError: discount', 'not-implemented'],
  [
    'AssertionError',
    'The error is expected to be an instance of "RangeError". Received "Error"\n\nError message:\n\nnot implemented: f',
    'not-implemented',
  ],
  [
    'AssertionError',
    'The error is expected to be an instance of "RangeError". Received "TypeError"\n\nError message:\n\nmath.f is not a function',
    'missing-symbol',
  ],
  [
    'AssertionError',
    "expected [Function] to throw error including 'negative' but got 'f is not defined'",
    'missing-symbol',
  ],
  ['AssertionError', 'Got unwanted exception.\nActual message: "f is not a function"', 'missing-symbol'],
  ['AssertionError', "expected 'x is not a function' to be 'y'", 'assertion'],
  ['AssertionError', 'expected 1 to be 2', 'assertion'],
  ['Failed', "DID NOT RAISE <class 'ValueError'>", 'assertion'],
  ['', 'assert 1 == 2', 'assertion'],
  ['', '[XPASS(strict)] ', 'assertion'],
  ['Error', 'Snapshot `a 1` mismatched', 'assertion'],
  ['TypeError', 'a.b is not a function', 'missing-symbol'],
  ['ReferenceError', 'a is not defined', 'missing-symbol'],
  ['NameError', "name 'a' is not defined", 'missing-symbol'],
  ['', "ModuleNotFoundError: No module named 'a'", 'missing-symbol'],
  ['AttributeError', "module 'a' has no attribute 'b'", 'missing-symbol'],
  ['AttributeError', "'NoneType' object has no attribute 'b'", 'error'],
  ['SyntaxError', "The requested module './a.js' does not provide an export named 'b'", 'missing-symbol'],
  ['Error', "Cannot find module './a.js'", 'missing-symbol'],
  ['Error', 'test timed out after 50ms', 'timeout'],
  ['Error', 'Error: Test timed out in 5000ms.\nIf this is a long-running test', 'timeout'],
  ['Failed', 'Timeout >1.0s', 'timeout'],
  ['Error', 'Error: thrown: "Exceeded timeout of 50 ms for a test.\nAdd a timeout value', 'timeout'],
  ['', 'Error: thrown: "Exceeded timeout of 5000 ms for a hook while waiting for `done()`', 'timeout'],
  [
    'Error',
    'Timeout - Async callback was not invoked within the 5000 ms timeout specified by jest.setTimeout.',
    'timeout',
  ],
  ['Error', 'Timeout of 50ms exceeded. For async tests and hooks, ensure "done()" is called', 'timeout'],
  ['Error', 'Timeout of the server', 'error'],
  [
    'JestAssertionError',
    'expect(received).toThrow(expected)\n\nExpected substring: "a"\nReceived message:   "f is not a function"',
    'missing-symbol',
  ],
  [
    'JestAssertionError',
    'expect(received).not.toThrow()\n\nError name:    "Error"\nError message: "not implemented: f"',
    'not-implemented',
  ],
  ['Error', 'expect(received).toBe(expected)\n\nExpected: "f is not a function"', 'assertion'],
  [
    'AssertionError',
    "expected [Function] to throw 'RangeError' but 'ReferenceError: f is not defined' was thrown",
    'missing-symbol',
  ],
  [
    'AssertionError',
    'assert.throws(function)\n\nThe "RangeError" validation function is expected to return "true". Received TypeError: f is not a function',
    'missing-symbol',
  ],
  ['TimeoutError', 'the server was slow', 'error'],
  ['TypeError', 'Cannot mix BigInt and other types', 'error'],
  ['', 'plain', 'error'],
])('%s %j is %s', (type, message, kind) => {
  expect(classifyFailure({ type, message })).toBe(kind);
});
