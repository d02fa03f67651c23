import { asRecord, asText } from './json.ts';

/** What an endpoint said went wrong, in whichever of the many shapes it said it. Texts are empty when it did not say. */
export interface EndpointError {
  readonly status: number | undefined;
  readonly code: string;
  readonly param: string;
  readonly message: string;
}

/** Reads the body of an error: OpenAI's, vLLM's flat one, FastAPI's `detail`, Google's array, plain text. */
export function parseError(body: unknown, status: number | undefined): EndpointError {
  const outer = asRecord(Array.isArray(body) ? body[0] : body);
  const inner = asRecord(outer?.error) ?? outer;
  const code = inner?.code;
  return {
    status: status ?? statusIn(code),
    code: [code, inner?.type].filter(word => typeof word === 'string').join(' '),
    param: asText(inner?.param),
    message: messageIn(inner, outer) || asText(body),
  };
}

/** The error inside a stream's chunk, or undefined when the chunk is none. */
export function errorIn(chunk: unknown): EndpointError | undefined {
  const record = asRecord(chunk);
  if (record?.error) return parseError(record, undefined);
  if (record?.object === 'error') return parseError(record, undefined);
  const choices = record?.choices;
  const choice = asRecord(Array.isArray(choices) ? choices[0] : undefined);
  if (choice?.error) return parseError(choice, undefined);
  if (choice?.finish_reason !== 'error') return undefined;
  return { status: undefined, code: '', param: '', message: 'the answer ended with finish_reason "error"' };
}

const statusIn = (code: unknown): number | undefined => {
  const number = Number(code);
  return number >= 400 && number < 600 ? number : undefined;
};

type Body = Readonly<Record<string, unknown>> | undefined;

function messageIn(inner: Body, outer: Body): string {
  const detail = inner?.detail;
  const said =
    asText(inner?.message) ||
    asText(detail) ||
    asText(outer?.error) ||
    (Array.isArray(detail) ? detail.map(validationProblem).join('; ') : '');
  // OpenRouter wraps what the provider behind it said.
  const raw = asText(asRecord(inner?.metadata)?.raw);
  return raw ? `${said}: ${raw}` : said;
}

function validationProblem(entry: unknown): string {
  const problem = asRecord(entry);
  const place = problem?.loc;
  return `${Array.isArray(place) ? place.join('.') : ''}: ${asText(problem?.msg)}`;
}
