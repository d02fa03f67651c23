import { brokenAnswer } from './failure.ts';
import { tryParseJson } from './json.ts';

/**
 * The JSON values in the body of an answer, as they come: server-sent events up to `[DONE]`, but also one plain JSON
 * document from a server that does not stream, and the bare JSON lines by which some report an error inside a stream.
 * Throws AttemptFailed for an event that is not JSON and for a body that is something else altogether.
 */
export async function* readEvents(body: AsyncIterable<Uint8Array>): AsyncGenerator<unknown> {
  const reader = createLineReader();
  for await (const line of linesOf(body)) {
    const value = reader.take(line);
    if (value === DONE) return;
    if (value !== undefined) yield value;
  }
  const last = reader.end();
  if (last !== undefined && last !== DONE) yield last;
}

const DONE = Symbol('done');

async function* linesOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const bytes of body) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) yield line.replace(/\r$/, '');
  }
  rest += decoder.decode();
  if (rest !== '') yield rest.replace(/\r$/, '');
}

/** Both methods return a value, DONE, or undefined while there is none yet. */
function createLineReader() {
  let data: string[] = [];
  let bare: string[] = [];
  let begun = false;

  const flush = () => {
    const text = data.join('\n').trim();
    data = [];
    if (text === '') return undefined;
    if (text === '[DONE]') return DONE;
    begun = true;
    return parseEvent(text);
  };
  const takeBare = (line: string) => {
    bare.push(line);
    const value = bare.length === 1 && isBraced(line) ? tryParseJson(line) : undefined;
    if (value === undefined) return undefined;
    bare = [];
    begun = true;
    return value;
  };
  return {
    take: (line: string): unknown => {
      const value = dataIn(line);
      if (value !== undefined) {
        data.push(value);
        return data.length === 1 && isWhole(value) ? flush() : undefined;
      }
      if (line === '') return flush();
      return /^(:|event:|id:|retry:)/.test(line) ? undefined : takeBare(line);
    },
    end: (): unknown => flush() ?? (bare.length > 0 && !begun ? parseDocument(bare.join('\n')) : undefined),
  };
}

/** The value of a `data` line, or of the `error` line that older llama.cpp servers write in its place. */
function dataIn(line: string): string | undefined {
  const [, name, value = ''] = /^(data|error):(.*)$/.exec(line) ?? [];
  if (name === undefined) return undefined;
  return name === 'error' ? `{"error":${value}}` : value.trim();
}

const isBraced = (text: string) => text.startsWith('{') && text.endsWith('}');

// A line that is whole by itself is taken at once: some servers leave out the empty line between events.
const isWhole = (value: string) =>
  value === '[DONE]' || (isBraced(value) && tryParseJson(value) !== undefined);

function parseEvent(text: string): unknown {
  const value = tryParseJson(text);
  if (value === undefined) throw brokenAnswer('the stream held an event that is not JSON');
  return value;
}

function parseDocument(text: string): unknown {
  const value = tryParseJson(text);
  if (value !== undefined) return value;
  const page = text.trimStart().startsWith('<');
  throw brokenAnswer(`the answer was ${page ? 'a web page' : 'neither a stream nor JSON'}`, 0);
}
