import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { z } from 'zod';

const MAX_BYTES = 32 * 1024 * 1024;

export interface JunitCase {
  readonly classname: string;
  readonly name: string;
  readonly file: string | undefined;
  readonly line: number | undefined;
  readonly seconds: number | undefined;
  /** Empty for a test that passed. */
  readonly outcomes: readonly JunitOutcome[];
}

export interface JunitOutcome {
  readonly kind: 'failure' | 'error' | 'skipped';
  readonly type: string;
  readonly message: string;
  readonly text: string;
}

/**
 * Reads JUnit XML from a hostile place: no document type, no entities but XML's own five and numeric ones, no control
 * characters, 32 MiB at most. Throws for anything that is not whole, well-formed JUnit XML.
 */
export function parseJunit(report: Buffer): JunitCase[] {
  if (report.length > MAX_BYTES) throw new Error(`the report is larger than ${MAX_BYTES} bytes`);
  const xml = report.toString('utf8').replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '');
  if (/<!(DOCTYPE|ENTITY)/i.test(xml))
    throw new Error('the report declares a document type, which no test runner does');
  const valid = XMLValidator.validate(xml);
  if (valid !== true)
    throw new Error(`the report is not well-formed XML: ${valid.err.msg} (line ${valid.err.line})`);
  const root = parser.parse(xml) as Record<string, unknown>;
  if (!('testsuites' in root) && !('testsuite' in root))
    throw new Error('the report is XML, but not JUnit XML');
  return collect(root).map(toCase);
}

const REPEATED = new Set(['testsuites', 'testsuite', 'testcase', 'failure', 'error', 'skipped']);

const parser = new XMLParser({
  ignoreAttributes: false,
  attributeNamePrefix: '@',
  textNodeName: '#text',
  alwaysCreateTextNode: true,
  parseTagValue: false,
  parseAttributeValue: false,
  trimValues: false,
  processEntities: false,
  isArray: name => REPEATED.has(name),
});

/** Every `testcase`, however deep its suite lies, in document order. */
function collect(node: Record<string, unknown>): unknown[] {
  const inner = (key: string) => (Array.isArray(node[key]) ? (node[key] as Record<string, unknown>[]) : []);
  return [
    ...inner('testsuites').flatMap(collect),
    ...inner('testsuite').flatMap(collect),
    ...inner('testcase'),
  ];
}

const attribute = z.string().transform(decode).optional();
const outcomeSchema = z.object({ '@type': attribute, '@message': attribute, '#text': attribute });
const outcomes = z.array(outcomeSchema).default([]);
const caseSchema = z.object({
  '@classname': attribute,
  '@name': attribute,
  '@file': attribute,
  '@line': attribute,
  '@time': attribute,
  failure: outcomes,
  error: outcomes,
  skipped: outcomes,
});

function toCase(node: unknown): JunitCase {
  const raw = caseSchema.parse(node);
  const all = (kind: JunitOutcome['kind']) =>
    raw[kind].map(outcome => ({
      kind,
      type: outcome['@type'] ?? '',
      message: outcome['@message'] ?? '',
      text: outcome['#text'] ?? '',
    }));
  return {
    classname: raw['@classname'] ?? '',
    name: raw['@name'] ?? '',
    file: raw['@file'],
    line: toNumber(raw['@line']),
    seconds: toNumber(raw['@time']),
    outcomes: [...all('failure'), ...all('error'), ...all('skipped')],
  };
}

function toNumber(text: string | undefined): number | undefined {
  const number = Number(text?.replaceAll(',', '') || Number.NaN);
  return Number.isFinite(number) && number >= 0 ? number : undefined;
}

const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

/** One pass, so that nothing decoded is decoded again. */
function decode(text: string): string {
  return text.replace(
    /&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(lt|gt|amp|quot|apos));/gi,
    (all, hex, decimal, name) => {
      if (name) return ENTITIES[name] ?? all;
      const code = hex ? Number.parseInt(hex, 16) : Number(decimal);
      return code <= 0x10ffff ? String.fromCodePoint(code) : all;
    },
  );
}
