/**
 * A trajectory as a page to read: what the model was sent, what it answered, what the tools and gates said.
 *
 *   node scripts/transcript.ts trajectory.jsonl > transcript.md
 */
import { readFileSync } from 'node:fs';
import type { RecordedEvent } from '../src/run-events.ts';
import type { Message } from '../src/types.ts';

const [path] = process.argv.slice(2);
if (!path) {
  console.error('usage: npm run transcript -- trajectory.jsonl');
  process.exit(2);
}
const events = readFileSync(path, 'utf8')
  .trim()
  .split('\n')
  .map(line => JSON.parse(line) as RecordedEvent);
let role = '';

function render(event: RecordedEvent): string {
  switch (event.kind) {
    case 'model-asked':
      return asked(event);
    case 'model-answered':
      return answered(event);
    case 'gate-decided':
      return `**Gate ${event.gate}: ${event.passed ? 'passed' : 'not passed'}.** ${event.reason}`;
    case 'tests-ran':
      return `*Tests (${event.purpose}): ${event.run.passed} passed, ${event.run.failed} failed, ${event.run.skipped} skipped, ${(event.run.durationMs / 1000).toFixed(1)} s${event.run.problem ? `, ${event.run.problem}` : ''}.*`;
    case 'phase-ended':
      return `*${event.phase}: ${event.note}*`;
    case 'note':
      return event.level === 'warning' ? `*Warning: ${event.text}*` : '';
    case 'proof-decided':
      return `**Proof: ${event.proven ? 'proven' : `not proven, ${event.reason}`}.**`;
    case 'run-ended':
      return `**${event.outcome}** ${event.reason}\n\n${event.usage.calls} model calls, ${event.usage.inputTokens} tokens in, ${event.usage.outputTokens} out.`;
    default:
      return '';
  }
}

function asked(event: Extract<RecordedEvent, { kind: 'model-asked' }>): string {
  const heading = event.role === role ? '' : `# ${event.role}\n\n`;
  role = event.role;
  // The system prompt is the same for every role; once is enough.
  const shown = event.messages.filter(message => message.role !== 'system' || event.seq < 60);
  return `${heading}## Turn ${event.turn}\n\n${shown.map(messageText).join('\n\n')}`;
}

const messageText = (message: Message): string => `**${message.role}**\n\n${fence(message.content)}`;

function answered({ message, usage }: Extract<RecordedEvent, { kind: 'model-answered' }>): string {
  const calls = message.toolCalls.map(call => fence(`${call.name} ${pretty(call.arguments)}`));
  return [`**assistant** (${usage.outputTokens} tokens)`, message.content, ...calls]
    .filter(Boolean)
    .join('\n\n');
}

/** Arguments with their line breaks, as a person would write them. */
function pretty(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), null, 1).replaceAll('\\n', '\n').replaceAll('\\"', '"');
  } catch {
    return json;
  }
}

function fence(text: string): string {
  const longest = Math.max(0, ...[...text.matchAll(/`+/g)].map(run => run[0].length));
  const mark = '`'.repeat(Math.max(3, longest + 1));
  return `${mark}text\n${text}\n${mark}`;
}

for (const event of events) {
  const text = render(event);
  if (text) console.log(`${text}\n`);
}
