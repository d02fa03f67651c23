/**
 * `npm run bench`: what redgreen itself costs, beside the model, the tests and the sandbox's own work. Against a mock model and the
 * sample repository. Numbers of one machine in one run; the floors beside them are measured in the same run.
 */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exec } from '../src/lib/exec.ts';
import { readRecording } from '../src/model/replay.ts';
import type { RecordedEvent } from '../src/run-events.ts';
import { openSandbox } from '../src/sandbox/open-sandbox.ts';
import { createWorld, recordingText } from '../test/e2e/scenario.ts';
import { dockerEngine, startService } from '../test/helpers/docker-engine.ts';
import { startReplayEndpoint } from '../test/helpers/replay-endpoint.ts';
import { buildHostImage } from './host-image.ts';

const ROOT = join(import.meta.dirname, '..');
const RUNS = 5;
const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
const rows: (readonly [string, string, string])[] = [];

async function times(count: number, work: () => Promise<unknown>): Promise<number[]> {
  const measured: number[] = [];
  for (let i = 0; i < count; i++) {
    const started = performance.now();
    await work();
    measured.push(performance.now() - started);
  }
  return measured;
}

/** One whole run; the times come from its own events and from when the mock model heard from it. */
async function measureRun() {
  const world = await createWorld();
  await using endpoint = await startReplayEndpoint(readRecording(recordingText()));
  const heard: { at: number; body: string }[] = [];
  const tap = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    heard.push({ at: Date.now(), body: Buffer.concat(chunks).toString() });
    const headers = Object.fromEntries(
      Object.entries(request.headers).filter(
        ([name]) => name.startsWith('x-redgreen') || name === 'content-type',
      ),
    ) as Record<string, string>;
    const answer = await fetch(endpoint.url.replace(/\/v1$/, '') + (request.url ?? ''), {
      method: 'POST',
      headers,
      body: Buffer.concat(chunks),
    });
    response.writeHead(answer.status, {
      'content-type': answer.headers.get('content-type') ?? 'application/json',
    });
    response.end(Buffer.from(await answer.arrayBuffer()));
  });
  await new Promise<void>(resolve => tap.listen(0, '127.0.0.1', resolve));
  const port = (tap.address() as { port: number }).port;
  let startedAt = 0;
  let peakKb = 0;
  let watch: NodeJS.Timeout | undefined;
  const result = await world.run({
    inputs: { 'base-url': `http://127.0.0.1:${port}/v1` },
    more: {
      onStart: (step, child) => {
        clearInterval(watch);
        if (step !== 'main') return;
        startedAt = Date.now();
        watch = setInterval(() => {
          peakKb = Math.max(peakKb, peakOf(child.pid));
        }, 50);
      },
    },
  });
  clearInterval(watch);
  tap.closeAllConnections();
  tap.close();
  await world.close();
  if (result.outputs.outcome !== 'proven')
    throw new Error(`the run was not proven: ${result.outputs.reason}`);
  const { events } = result;
  const foreign = phaseMs(events, 'sandbox') + phaseMs(events, 'baseline');
  const firstBody = JSON.parse(heard[0]?.body ?? '{}') as {
    messages: { role: string; content: string }[];
    tools: unknown;
  };
  const tokens = (value: unknown) => Math.ceil(Buffer.byteLength(JSON.stringify(value)) / 4);
  return {
    toFirstRequestMs: (heard[0]?.at ?? 0) - startedAt - foreign,
    turnsMs: turns(events),
    peakKb,
    prefixTokens: tokens(firstBody.messages[0]) + tokens(firstBody.tools),
    restTokens: tokens(firstBody.messages.slice(1)),
  };
}

function peakOf(pid: number | undefined): number {
  try {
    return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0);
  } catch (error) {
    if (['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) return 0;
    throw error;
  }
}

const at = (event: RecordedEvent | undefined): number => Date.parse(event?.at ?? '');

function phaseMs(events: readonly RecordedEvent[], phase: string): number {
  const find = (kind: string) =>
    events.find(event => event.kind === kind && 'phase' in event && event.phase === phase);
  return at(find('phase-ended')) - at(find('phase-started'));
}

/** From an answer to the next question of the same conversation, less what its tools took. */
function turns(events: readonly RecordedEvent[]): number[] {
  const measured: number[] = [];
  events.forEach((event, i) => {
    if (event.kind !== 'model-answered') return;
    const next = events
      .slice(i + 1)
      .findIndex(later => later.kind === 'model-asked' || later.kind === 'gate-decided');
    const asked = events[i + 1 + next];
    if (asked?.kind !== 'model-asked') return;
    const tools = events
      .slice(i + 1, i + 1 + next)
      .reduce((sum, each) => sum + (each.kind === 'tool-ran' ? each.durationMs : 0), 0);
    measured.push(Math.max(0, at(asked) - at(event) - tools));
  });
  return measured;
}

async function ignoredRuns(): Promise<number[]> {
  const world = await createWorld();
  const measured: number[] = [];
  for (let i = 0; i < RUNS; i++)
    measured.push((await world.run({ comment: 'a nice library' })).main.durationMs);
  await world.close();
  return measured;
}

/** One command in a service container, and the kill that follows it and overlaps the model's thinking. */
async function measureService(): Promise<void> {
  const engine = await dockerEngine();
  if (!engine.available) {
    rows.push(['one command in a service container', 'no Docker engine here', '< 60 ms']);
    return;
  }
  const service = await startService({ image: await buildHostImage() });
  const hostFolder = await mkdtemp(join(tmpdir(), 'redgreen-bench-'));
  const docker = (...args: string[]) =>
    exec({
      file: 'docker',
      args,
      env: { PATH: engine.hostPath, ...(engine.dockerHost && { DOCKER_HOST: engine.dockerHost }) },
    });
  const sandbox = await openSandbox({
    kind: 'service',
    container: service.id,
    image: undefined,
    runLabel: 'bench',
    hostFolder,
    hostPath: engine.hostPath,
    dockerHost: engine.dockerHost,
    note: () => undefined,
  });
  try {
    const floor = median(await times(20, () => docker('exec', '-u', '1001:1001', service.id, 'true')));
    const alone: number[] = [];
    for (let i = 0; i < 20; i++) {
      // Long enough for the kill of the one before, as a model's thinking is.
      await new Promise(resolve => setTimeout(resolve, 400));
      alone.push(...(await times(1, () => sandbox.shell({ script: 'true' }))));
    }
    const command = median(alone);
    const backToBack = median(await times(20, () => sandbox.shell({ script: 'true' })));
    rows.push(['one command in a service container', `${command.toFixed(0)} ms`, '< 60 ms']);
    rows.push([
      '  floor: docker exec true',
      `${floor.toFixed(0)} ms (× ${(command / floor).toFixed(2)})`,
      '',
    ]);
    rows.push([
      '  the kill after it, which overlaps the model',
      `${Math.max(0, backToBack - command).toFixed(0)} ms`,
      '',
    ]);
  } finally {
    await sandbox.dispose();
    await service.stop();
    await rm(hostFolder, { recursive: true, force: true });
  }
}

const runs = [];
for (let i = 0; i < RUNS; i++) runs.push(await measureRun());
rows.push([
  'process start to first model request, without set-up, snapshot, baseline',
  `${median(runs.map(run => run.toFirstRequestMs)).toFixed(0)} ms`,
  '< 300 ms',
]);
rows.push([
  '  floor: node starting an empty script',
  `${median(await times(RUNS, () => exec({ file: process.execPath, args: ['-e', ''], env: {} }))).toFixed(0)} ms`,
  '',
]);
rows.push([
  'own time per turn, without sandbox and model',
  `${median(runs.flatMap(run => run.turnsMs)).toFixed(1)} ms`,
  '< 20 ms',
]);
rows.push(['peak memory', `${(Math.max(...runs.map(run => run.peakKb)) / 1024).toFixed(0)} MB`, '< 150 MB']);
const [first] = runs;
rows.push(['first request: system and tools', `${first?.prefixTokens} tokens (bytes / 4)`, '< 1,700']);
rows.push(['first request: the rest', `${first?.restTokens} tokens (bytes / 4)`, '< 800']);
const bundle = readdirSync(join(ROOT, 'dist')).filter(name => name.endsWith('index.js'));
const bundleBytes = bundle.reduce((sum, name) => sum + statSync(join(ROOT, 'dist', name)).size, 0);
rows.push(['bundle: dist/index.js and its chunks', `${(bundleBytes / 1e6).toFixed(2)} MB`, '< 2.5 MB']);
rows.push(['a comment that is no command', `${median(await ignoredRuns()).toFixed(0)} ms`, '< 200 ms']);
await measureService();
for (const [what, value, aim] of rows) console.log(`${what.padEnd(76)} ${value.padStart(26)}   ${aim}`);
process.exit(0);
