/** Shared by the tests of the model client: a client that loses no time, and a request. */
import type { ModelRequest } from '../../src/model/model.ts';
import { createModel, type OpenAIModelOptions } from '../../src/model/openai-model.ts';

export const KEY = 'sk-test-0123456789abcdef';

export const modelAt = (baseUrl: string, options: Partial<OpenAIModelOptions> = {}) =>
  createModel({ apiKey: KEY, baseUrl, model: 'm', backoffBaseMs: 1, maxAttempts: 3, ...options });

export const READ_TOOL = {
  name: 'read',
  description: 'Reads a file.',
  parameters: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
};

export const BASH_TOOL = {
  name: 'bash',
  description: 'Runs a command.',
  parameters: { type: 'object', properties: { command: { type: 'string' } }, required: ['command'] },
};

export const asking = (more: Partial<ModelRequest> = {}): ModelRequest => ({
  role: 'implementer',
  turn: 1,
  messages: [
    { role: 'system', content: 'Be good.' },
    { role: 'user', content: 'Do it.' },
  ],
  tools: [READ_TOOL],
  ...more,
});
