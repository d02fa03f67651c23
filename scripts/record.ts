/** `npm run record`: makes the recording that `npm start` replays, by a live run. Needs OPENAI_BASE_URL or OPENAI_API_KEY. */
import { copyFileSync } from 'node:fs';
import { runDemo } from './lib/demo.ts';
import { RECORDING, SAMPLE_TASK } from './lib/sample-task.ts';

const { OPENAI_API_KEY = '', OPENAI_BASE_URL, MODEL } = process.env;
if (!MODEL || (!OPENAI_API_KEY && !OPENAI_BASE_URL)) {
  console.error(
    'Set MODEL, and OPENAI_API_KEY or OPENAI_BASE_URL (or both): a recording is made by a live run.',
  );
  process.exit(1);
}
const { result, github } = await runDemo({
  task: SAMPLE_TASK,
  model: { apiKey: OPENAI_API_KEY, baseUrl: OPENAI_BASE_URL, name: MODEL },
  say: line => console.log(line),
});
await github.close();
const { outcome, reason, trajectory } = result.outputs;
if (outcome !== 'proven' || !trajectory) {
  console.error(`Not recorded: the run ended ${outcome}: ${reason}`);
  process.exit(1);
}
copyFileSync(trajectory, RECORDING);
console.log(`Recorded: ${RECORDING}`);
process.exit(0);
