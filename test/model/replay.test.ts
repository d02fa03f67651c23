import { describe, expect, it } from 'vitest';
import { answerFor, readRecording } from '../../src/model/replay.ts';
import type { RunEvent } from '../../src/run-events.ts';
import type { AssistantMessage } from '../../src/types.ts';
import { startReplayEndpoint } from '../helpers/replay-endpoint.ts';
import { asking, BASH_TOOL, modelAt, READ_TOOL } from './ask-model.ts';

const jsonl = (...events: readonly RunEvent[]) =>
  events
    .map((event, n) => JSON.stringify({ ...event, seq: n + 1, at: '2026-01-01T00:00:00.000Z' }))
    .join('\n');

const usage = { calls: 1, inputTokens: 1000, cachedInputTokens: 400, outputTokens: 100, costUsd: 0.0022 };
const answered = (
  role: string,
  turn: number,
  message: Partial<AssistantMessage>,
  finishReason = 'tool-calls',
): RunEvent => ({
  kind: 'model-answered',
  role,
  turn,
  message: { role: 'assistant', content: '', toolCalls: [], ...message },
  finishReason,
  usage,
  durationMs: 5,
});
const call = (name: string, args: unknown, id = 'x') => ({
  id,
  name,
  arguments: typeof args === 'string' ? args : JSON.stringify(args),
});

const thoughtful = {
  content: 'I look – at “a”.',
  toolCalls: [call('read', { path: 'a' }), call('bash', { command: 'ls' }, 'y')],
  extra: { reasoning_content: 'hm', tool_call_fields: { y: { extra_content: { google: 's' } } } },
};
const RECORDING = jsonl(
  { kind: 'phase-started', phase: 'tests' },
  answered('tester', 1, { content: 'Tests done.' }, 'stop'),
  answered('implementer', 1, thoughtful),
  answered('implementer', 2, { toolCalls: [call('read', '{"path')] }),
);

describe('a recording', () => {
  it('gives each answer by role and turn', () => {
    const recording = readRecording(`\n${RECORDING}\n\n`);
    expect(recording.answers.length).toBe(3);
    expect(answerFor(recording, 'tester', 1).message.content).toBe('Tests done.');
    expect(answerFor(recording, 'implementer', 1).usage).toEqual(usage);
  });

  it('says what is not in it, and what to do', () => {
    const recording = readRecording(RECORDING);
    expect(() => answerFor(recording, 'implementer', 4)).toThrow(
      'the recording has no turn 4 of implementer: run npm run record',
    );
  });

  it.each([
    ['a line that is no event', `${RECORDING}\n{"kind`, 'line 5 of the recording is not an event'],
    [
      'an answer without a message',
      '{"kind":"model-answered","role":"r","turn":1}',
      'line 1 of the recording is not a whole answer',
    ],
    ['a turn that is there twice', `${RECORDING}\n${RECORDING}`, 'turn 1 of tester twice'],
  ])('is refused for %s', (_what, text, message) => {
    expect(() => readRecording(text)).toThrow(message);
  });
});

describe('the replay endpoint', () => {
  const price = { inputPerMillion: 2, cachedInputPerMillion: 0.5, outputPerMillion: 8 };
  const tools = [READ_TOOL, BASH_TOOL];

  it('answers as the recorded model did, to the letter', async () => {
    const recording = readRecording(RECORDING);
    await using endpoint = await startReplayEndpoint(recording);
    const model = modelAt(endpoint.url, { price });
    for (const { role, turn, message, finishReason } of recording.answers) {
      expect(await model.complete(asking({ role, turn, tools }))).toEqual({ message, finishReason, usage });
    }
    expect(endpoint.problems).toEqual([]);
    expect(endpoint.served).toEqual(['turn 1 of tester', 'turn 1 of implementer', 'turn 2 of implementer']);
    expect(endpoint.unserved()).toEqual([]);
  });

  it('knows what nobody asked for, and refuses what was never answered', async () => {
    await using endpoint = await startReplayEndpoint(readRecording(RECORDING));
    const model = modelAt(endpoint.url);
    await model.complete(asking({ role: 'tester', turn: 1 }));
    await expect(model.complete(asking({ role: 'tester', turn: 2 }))).rejects.toThrow(
      'no turn 2 of tester: run npm run record',
    );
    expect(endpoint.problems).toEqual(['the recording has no turn 2 of tester: run npm run record']);
    expect(endpoint.unserved()).toEqual(['turn 1 of implementer', 'turn 2 of implementer']);
  });

  const strict = {
    name: 'read',
    description: '',
    parameters: { type: 'object', properties: { file: { type: 'string' } }, required: ['file'] },
  };
  const counted = {
    ...strict,
    parameters: { type: 'object', properties: { path: { type: ['integer', 'null'] } } },
  };
  it.each([
    [
      'a tool that is gone',
      [READ_TOOL],
      ['turn 1 of implementer calls `bash`, which is not among the tools sent'],
    ],
    [
      'an argument renamed',
      [strict, BASH_TOOL],
      [
        'turn 1 of implementer calls `read` without its `file`',
        'turn 1 of implementer calls `read` with `path`, which it does not take',
      ],
    ],
    [
      'an argument of another type',
      [counted, BASH_TOOL],
      ['turn 1 of implementer calls `read` with `path` that is no integer or null'],
    ],
    ['nothing', tools, []],
  ])('notices drift: %s', async (_what, offered, problems) => {
    await using endpoint = await startReplayEndpoint(readRecording(RECORDING));
    await modelAt(endpoint.url).complete(asking({ tools: offered }));
    expect(endpoint.problems).toEqual(problems);
  });

  it('does not blame today for a call that was wrong when it was recorded', async () => {
    const text = jsonl(
      { kind: 'model-asked', role: 'implementer', turn: 1, messages: [], tools: [READ_TOOL] },
      answered('implementer', 1, { toolCalls: [call('read', { file: 'a' })] }),
    );
    await using endpoint = await startReplayEndpoint(readRecording(text));
    await modelAt(endpoint.url).complete(asking());
    expect(endpoint.problems).toEqual([]);
  });

  it('takes its time when told to, lists a model, and answers without a stream', async () => {
    await using endpoint = await startReplayEndpoint(readRecording(RECORDING), { delayMs: 60 });
    const started = performance.now();
    const response = await fetch(`${endpoint.url}/chat/completions`, {
      method: 'POST',
      headers: { 'x-redgreen-role': 'tester', 'x-redgreen-turn': '1' },
      body: '{"messages":[]}',
    });
    expect(await response.json()).toMatchObject({
      choices: [{ message: { content: 'Tests done.' }, finish_reason: 'stop' }],
    });
    expect(performance.now() - started).toBeGreaterThan(55);
    expect(await (await fetch(`${endpoint.url}/models`)).json()).toMatchObject({ data: [{ id: 'replay' }] });
    expect((await fetch(`${endpoint.url}/other`)).status).toBe(404);
  });
});
