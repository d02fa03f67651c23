import { UserError } from '../errors.ts';
import type { RecordedEvent } from '../run-events.ts';
import { asRecord, tryParseJson } from './json.ts';

export type RecordedAnswer = Extract<RecordedEvent, { kind: 'model-answered' }>;

export interface RecordedTool {
  readonly name: string;
  readonly parameters: unknown;
}

/** A model's answers of one run, in order; a conversation's role and turn find each. */
export interface Recording {
  readonly answers: readonly RecordedAnswer[];
  /** The tools that each role was offered then. */
  readonly tools: ReadonlyMap<string, readonly RecordedTool[]>;
}

/** Reads the answers from a trajectory file: one event a line. Throws UserError for lines that are no events, and for a turn that is there twice. */
export function readRecording(jsonl: string): Recording {
  const lines = jsonl.split('\n');
  const events = lines.flatMap((line, n) => (line.trim() === '' ? [] : [eventIn(line, n + 1)]));
  const answers = events.filter(event => event.kind === 'model-answered');
  const keys = answers.map(keyOf);
  const twice = keys.find((key, n) => keys.indexOf(key) !== n);
  if (twice) throw unusable(`the recording has ${twice} twice`);
  const tools = events.flatMap(event =>
    event.kind === 'model-asked' && event.tools ? [[event.role, event.tools] as const] : [],
  );
  return { answers, tools: new Map(tools) };
}

/** The answer that was given in this turn (from 1) of this role's conversation. Throws UserError when there is none. */
export function answerFor(recording: Recording, role: string, turn: number): RecordedAnswer {
  const answer = recording.answers.find(candidate => candidate.role === role && candidate.turn === turn);
  if (answer) return answer;
  throw unusable(`the recording has no ${keyOf({ role, turn })}: run npm run record`);
}

function eventIn(line: string, number: number): RecordedEvent {
  const event = asRecord(tryParseJson(line));
  if (typeof event?.kind !== 'string') throw unusable(`line ${number} of the recording is not an event`);
  const { role, turn, message, usage } = event;
  const whole = typeof role === 'string' && typeof turn === 'number' && asRecord(message) && asRecord(usage);
  if (event.kind === 'model-answered' && !whole) {
    throw unusable(`line ${number} of the recording is not a whole answer`);
  }
  return event as unknown as RecordedEvent;
}

const keyOf = ({ role, turn }: { readonly role: string; readonly turn: number }) => `turn ${turn} of ${role}`;

const unusable = (message: string) => new UserError(message, 'Run `npm run record` to make a new recording.');
