import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { SDK_ENVIRONMENT_VARIABLES } from '../../src/model/sdk-environment.ts';
import { startScriptedEndpoint } from '../helpers/scripted-endpoint.ts';
import { asking, KEY, modelAt } from './ask-model.ts';

const PACKAGE = 'node_modules/openai';

/** The names in every `readEnv('NAME')` of the installed package. */
const namesReadBySdk = () => {
  const files = readdirSync(PACKAGE, { recursive: true, encoding: 'utf8' });
  const sources = files
    .filter(file => file.endsWith('.mjs'))
    .map(file => readFileSync(join(PACKAGE, file), 'utf8'));
  return new Set(
    sources.flatMap(text => [...text.matchAll(/readEnv\(\s*['"](\w+)['"]/g)].map(([, name = '']) => name)),
  );
};

describe('the environment variables of the SDK', () => {
  const before = { ...process.env };
  afterEach(() => {
    for (const name of SDK_ENVIRONMENT_VARIABLES) {
      if (before[name] === undefined) delete process.env[name];
      else process.env[name] = before[name];
    }
  });

  it('are all on the list, but for those of clients that we do not use', () => {
    const read = [...namesReadBySdk()].filter(name => !/^(AWS|GOOGLE)_/.test(name));
    expect(read.sort()).toEqual([...SDK_ENVIRONMENT_VARIABLES].sort());
  });

  it('have no effect on a request', async () => {
    await using endpoint = await startScriptedEndpoint([{ content: 'hi' }]);
    for (const name of SDK_ENVIRONMENT_VARIABLES) process.env[name] = 'planted';
    process.env.OPENAI_BASE_URL = 'http://127.0.0.1:9/v1';
    process.env.OPENAI_CUSTOM_HEADERS =
      'x-planted: planted\nAuthorization: Bearer planted\napi-key: planted\nx-redgreen-role: planted';
    process.env.OPENAI_LOG = 'debug';
    await modelAt(endpoint.url).complete(asking());
    const [request] = endpoint.requests;
    expect(request?.headers.authorization).toBe(`Bearer ${KEY}`);
    expect(JSON.stringify(request)).not.toContain('planted');
  });
});
