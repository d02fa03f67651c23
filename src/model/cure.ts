import type { Endpoint } from './endpoint.ts';
import type { Failure } from './failure.ts';
import { ModelError, type ModelErrorKind } from './model.ts';

/** The error that a caller gets when a call is given up after so many tries. */
export function toModelError(failure: Failure, tries: number, endpoint: Endpoint): ModelError {
  const effort = tries > 1 ? ` (after ${tries} tries)` : '';
  const message = `The model \`${endpoint.model}\` at ${endpoint.shownUrl} ${DEEDS[failure.kind]}${effort}: ${failure.reason}`;
  const { status } = failure;
  return new ModelError(failure.kind, message, cureFor(failure.kind), {
    ...(status !== undefined && { status }),
  });
}

const DEEDS: Readonly<Record<ModelErrorKind, string>> = {
  'no-key': 'needs a key',
  'rejected-key': 'refused the key',
  'unknown-model': 'is not known there',
  'rate-limited': 'is rate-limited',
  'out-of-quota': 'is out of quota',
  'context-too-long': 'found the conversation too long',
  'content-filtered': 'filtered the request',
  'timed-out': 'did not answer in time',
  unreachable: 'cannot be reached',
  'bad-request': 'refused the request',
  'broken-answer': 'gave no usable answer',
  'server-error': 'failed',
};

const CURES: Readonly<Record<ModelErrorKind, string>> = {
  'no-key': 'Set the input `openai-api-key` to a secret.',
  'rejected-key':
    'Check that the secret behind the input `openai-api-key` is a valid key for the server named by `base-url`, and that it may use this model.',
  'unknown-model':
    'Check the inputs `model` and `base-url`: the model must exist at that server under exactly this name, and the address usually ends in `/v1`.',
  'rate-limited': 'Wait and run again, or raise the rate limit of the account behind `openai-api-key`.',
  'out-of-quota':
    'Add credit or raise the spending limit of the account behind `openai-api-key`, then run again.',
  'context-too-long':
    'Set the input `model` to one with a larger context, or start the server with a larger one (llama.cpp: `--ctx-size`, vLLM: `--max-model-len`, Ollama: `num_ctx`).',
  'content-filtered': "Rephrase the request, or adjust the content filter of the model's deployment.",
  'timed-out':
    'Check that the server is not overloaded, choose a faster `model`, or raise `model-timeout-seconds`, and run again.',
  unreachable:
    'Check the input `base-url`, and that the server runs and can be reached from the runner (a service container: by its published port on `localhost`).',
  'bad-request': 'Check the inputs `model` and `base-url`; the message says what the server did not take.',
  'broken-answer':
    'Check that `base-url` is the address of an OpenAI-compatible API (it usually ends in `/v1`), or choose another `model`.',
  'server-error':
    'The server has a problem of its own: run again later, or look into its log when it is yours.',
};

const cureFor = (kind: ModelErrorKind): string => CURES[kind];
