/** `npm start`: the main job on this machine. Live with OPENAI_API_KEY, otherwise a recorded run is replayed. */
import { readFileSync } from 'node:fs';
import { readRecording } from '../src/model/replay.ts';
import { startReplayEndpoint } from '../test/helpers/replay-endpoint.ts';
import { type Demo, runDemo } from './lib/demo.ts';
import { RECORDING, SAMPLE_TASK } from './lib/sample-task.ts';
import { showResult } from './lib/show-result.ts';

const say = (line: string) => console.log(line);
const { OPENAI_API_KEY, OPENAI_BASE_URL, MODEL = 'gpt-5-mini' } = process.env;

const demo = OPENAI_API_KEY || OPENAI_BASE_URL ? await live(OPENAI_API_KEY ?? '') : await replay();
await showResult(demo, say);
await demo.github.close();
process.exit(demo.result.outputs.outcome === 'proven' ? 0 : 1);

async function live(apiKey: string): Promise<Demo> {
  say(`Live: ${MODEL} at ${OPENAI_BASE_URL ?? "OpenAI's own address"}`);
  return runDemo({ task: SAMPLE_TASK, model: { apiKey, baseUrl: OPENAI_BASE_URL, name: MODEL }, say });
}

async function replay(): Promise<Demo> {
  say(
    'Replay: the model’s replies are a recording (set OPENAI_API_KEY or OPENAI_BASE_URL, and MODEL, for a live run). Everything else is real.',
  );
  await using endpoint = await startReplayEndpoint(readRecording(readFileSync(RECORDING, 'utf8')));
  const made = await runDemo({
    task: SAMPLE_TASK,
    model: { apiKey: '', baseUrl: endpoint.url, name: 'recorded' },
    say,
  });
  for (const problem of endpoint.problems)
    say(`The recording no longer fits: ${problem}. Run npm run record.`);
  return made;
}
