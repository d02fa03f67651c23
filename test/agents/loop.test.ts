import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openBudget } from '../../src/agents/budget.ts';
import { runAgent } from '../../src/agents/loop.ts';
import { toolSet } from '../../src/agents/tools/tool-set.ts';
import { CancelledError } from '../../src/errors.ts';
import { ModelError } from '../../src/model/model.ts';
import type { RunEvent } from '../../src/run-events.ts';
import { localShell } from '../helpers/local-shell.ts';
import { type ScriptedReply, scriptedModel } from '../helpers/scripted-model.ts';

const finish = (summary = 'done'): ScriptedReply => ({ calls: [{ name: 'finish', arguments: { summary } }] });
const bash = (command: string) => ({ name: 'bash', arguments: { command } });

function start(
  script: Parameters<typeof scriptedModel>[0],
  more: Partial<Parameters<typeof runAgent>[0]> = {},
) {
  const folder = mkdtempSync(join(tmpdir(), 'loop-'));
  const model = scriptedModel(script);
  const events: RunEvent[] = [];
  const end = runAgent({
    role: 'tester',
    model,
    system: 'SYSTEM',
    brief: 'BRIEF',
    tools: toolSet({
      shell: localShell(folder),
      workdir: folder,
      objectTo: () => undefined,
      runTests: async () => ({ ok: true, text: 'ran', summary: '' }),
    }),
    budget: openBudget({ maxSteps: 100, maxTokens: 1e6, maxCostUsd: 10, deadline: Date.now() + 60_000 }),
    emit: event => events.push(event),
    signal: undefined,
    maxSteps: 20,
    gate: async () => ({ accepted: true }),
    ...more,
  });
  return { end, model, events };
}
const lastMessage = (model: ReturnType<typeof scriptedModel>, request: number) =>
  model.requests[request]?.messages.at(-1)?.content ?? '';

describe('the loop', () => {
  it('asks, acts, shows, until the gate says yes', async () => {
    const { end, model, events } = start([{ calls: [bash('echo hello')] }, finish()]);
    expect(await end).toMatchObject({ kind: 'finished', report: { summary: 'done' } });
    expect(lastMessage(model, 1)).toBe('exit 0\nhello');
    expect(events.map(event => event.kind)).toEqual([
      'model-asked',
      'model-answered',
      'tool-ran',
      'model-asked',
      'model-answered',
      'tool-ran',
    ]);
  });

  it('only ever appends, so that the prefix can be cached, and tells only what is new', async () => {
    const { end, model, events } = start([
      { calls: [bash('echo 1')] },
      { calls: [bash('echo 2')] },
      finish(),
    ]);
    await end;
    for (const [i, request] of model.requests.slice(1).entries()) {
      const before = model.requests[i]?.messages ?? [];
      expect(request.messages.slice(0, before.length)).toEqual(before);
      expect(request.tools).toEqual(model.requests[0]?.tools);
    }
    const asked = events.filter(event => event.kind === 'model-asked');
    expect(asked.map(event => event.messages.length)).toEqual([2, 1, 1]);
    expect(asked.map(event => event.tools !== undefined)).toEqual([true, false, false]);
  });

  it('gives a gate’s no back as the answer to finish, and stops after five', async () => {
    const once = start([finish('early'), finish('late')], {
      gate: async ({ summary }) =>
        summary === 'late' ? { accepted: true } : { accepted: false, feedback: 'not yet' },
    });
    expect(await once.end).toMatchObject({ kind: 'finished', report: { summary: 'late' } });
    expect(lastMessage(once.model, 1)).toBe('not yet');
    const never = start(
      Array.from({ length: 9 }, () => finish()),
      { gate: async () => ({ accepted: false, feedback: 'no' }) },
    );
    expect(await never.end).toMatchObject({ kind: 'gave-up', why: 'gate' });
    expect(never.model.requests).toHaveLength(5);
  });

  it('ends blocked by flag_blocked', async () => {
    const { end } = start([
      {
        calls: [
          {
            name: 'flag_blocked',
            arguments: { reason: 'spec_ambiguous', evidence: 'there are two readings' },
          },
        ],
      },
    ]);
    expect(await end).toMatchObject({
      kind: 'blocked',
      block: { reason: 'spec_ambiguous', evidence: 'there are two readings' },
    });
  });

  it('answers every call of a reply exactly once, also after the end and beyond eight', async () => {
    const many = { calls: Array.from({ length: 10 }, (_, i) => bash(`echo ${i}`)) };
    const { end, model } = start([many, finish()]);
    await end;
    const answers = model.requests[1]?.messages.filter(message => message.role === 'tool') ?? [];
    expect(answers).toHaveLength(10);
    expect(answers.at(-1)?.content).toContain('at most 8');
  });

  it('skips later changes of a reply whose change failed', async () => {
    const { end, model } = start([
      {
        calls: [
          { name: 'edit', arguments: { path: 'nope', edits: [{ old: 'a', new: 'b' }] } },
          { name: 'write', arguments: { path: 'x', content: 'y' } },
          { name: 'read', arguments: { path: '.' } },
        ],
      },
      finish(),
    ]);
    await end;
    const texts = model.requests[1]?.messages.slice(-3).map(message => message.content);
    expect(texts?.[1]).toContain('Not run');
    expect(texts?.[2]).toBe('(empty folder)');
  });

  it('ends after three malformed replies in a row, not after three with a good one between', async () => {
    const bad: ScriptedReply = { calls: [{ name: 'bash', arguments: 'run the tests please' }] };
    const { end } = start([bad, bad, bad]);
    expect(await end).toMatchObject({ kind: 'gave-up', why: 'malformed' });
    const mixed = start([bad, bad, { calls: [bash('true')] }, bad, finish()]);
    expect(await mixed.end).toMatchObject({ kind: 'finished' });
  });

  it('counts empty and cut replies as malformed', async () => {
    const { end, model } = start([
      { content: '' },
      { content: 'I was', finishReason: 'length' },
      { content: '' },
    ]);
    expect(await end).toMatchObject({ kind: 'gave-up', why: 'malformed' });
    expect(lastMessage(model, 2)).toContain('cut off');
  });

  it('nudges text twice and then takes it as a finish', async () => {
    const { end, model } = start([{ content: 'thinking' }, { content: 'still' }, { content: 'all done' }]);
    expect(await end).toMatchObject({ kind: 'finished', report: { summary: 'all done' } });
    expect(lastMessage(model, 1)).toContain('called no tool');
  });

  it('ends by steps, by budget and by going in circles', async () => {
    const forever = Array.from({ length: 50 }, (_, i) => ({ calls: [bash(`echo ${i}`)] }));
    expect(await start(forever, { maxSteps: 4 }).end).toMatchObject({ kind: 'gave-up', why: 'steps' });
    const budget = openBudget({ maxSteps: 3, maxTokens: 1e6, maxCostUsd: 10, deadline: Date.now() + 60_000 });
    expect(await start(forever, { budget }).end).toMatchObject({ kind: 'gave-up', why: 'budget' });
    const same = Array.from({ length: 20 }, () => ({ calls: [bash('exit 1')] }));
    expect(await start(same).end).toMatchObject({ kind: 'gave-up', why: 'stuck' });
  });

  it('warns in the last fifth of the steps', async () => {
    const { end, model } = start(
      [...Array.from({ length: 4 }, (_, i) => ({ calls: [bash(`echo ${i}`)] })), finish()],
      { maxSteps: 5 },
    );
    await end;
    expect(lastMessage(model, 3)).not.toContain('<harness>');
    expect(lastMessage(model, 4)).toContain('step 4 of 5');
  });

  it('gives a model’s failure back as a value, and a cancellation as an exception', async () => {
    const error = new ModelError('rejected-key', 'the key was rejected', 'set another');
    expect(await start([{ error }]).end).toEqual({ kind: 'model-failed', error });
    const controller = new AbortController();
    controller.abort();
    await expect(start([finish()], { signal: controller.signal }).end).rejects.toBeInstanceOf(CancelledError);
  });

  it('elides old results when the context is full, and goes on', async () => {
    const error = new ModelError('context-too-long', 'too long', '');
    const big = { calls: [bash('seq 1 2000')] };
    const { end, model, events } = start([...Array.from({ length: 8 }, () => big), { error }, finish()], {
      maxSteps: 30,
    });
    expect(await end).toMatchObject({ kind: 'finished' });
    const size = (i: number) => JSON.stringify(model.requests[i]?.messages).length;
    expect(size(9)).toBeLessThan(size(8));
    expect(events.some(event => event.kind === 'note')).toBe(true);
  });

  it('tells both sides when a tool itself breaks', async () => {
    const broken = start([{ calls: [{ name: 'run_tests', arguments: {} }] }, finish()], {
      tools: toolSet({
        shell: localShell('/'),
        workdir: '/',
        objectTo: () => undefined,
        runTests: async () => Promise.reject(new Error('defect')),
      }),
    });
    await broken.end;
    expect(lastMessage(broken.model, 1)).toContain('The tool itself failed: defect');
    expect(broken.events).toContainEqual({ kind: 'note', level: 'warning', text: 'a tool failed: defect' });
  });
});
