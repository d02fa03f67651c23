/** A reader for action.yml: mappings, plain and quoted scalars, and block scalars; the rest of YAML is refused. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

export interface ActionFile {
  readonly using: string;
  readonly main: string;
  readonly post: string | undefined;
  readonly postIf: string;
  /** Input → default; undefined when it has none. */
  readonly inputs: ReadonlyMap<string, string | undefined>;
  readonly outputs: readonly string[];
}

interface Mapping {
  readonly [key: string]: string | Mapping;
}

export async function readActionFile(folder: string): Promise<ActionFile> {
  const root = parseMapping(await readFile(join(folder, 'action.yml'), 'utf8'));
  const runs = mappingAt(root, 'runs');
  const inputs = Object.entries(mappingAt(root, 'inputs')).map(([name, value]) => {
    const fallback = typeof value === 'string' ? undefined : value.default;
    return [name, typeof fallback === 'string' ? fallback : undefined] as const;
  });
  const text = (key: string) => (typeof runs[key] === 'string' ? runs[key] : undefined);
  return {
    using: text('using') ?? '',
    main: text('main') ?? '',
    post: text('post'),
    postIf: text('post-if') ?? 'always()',
    inputs: new Map(inputs),
    outputs: Object.keys(mappingAt(root, 'outputs')),
  };
}

const mappingAt = (root: Mapping, key: string): Mapping => {
  const value = root[key];
  return value === undefined || typeof value === 'string' ? {} : value;
};

interface Line {
  readonly indent: number;
  readonly text: string;
}

/** Reads nested mappings by indentation. */
export function parseMapping(yaml: string): Mapping {
  const lines = yaml.split('\n').map(line => ({ indent: line.search(/\S|$/), text: line.trim() }));
  return readMapping(lines, { at: 0 }, 0);
}

function readMapping(lines: readonly Line[], cursor: { at: number }, indent: number): Mapping {
  const mapping: Record<string, string | Mapping> = {};
  for (let line = nextLine(lines, cursor); line && line.indent >= indent; line = nextLine(lines, cursor)) {
    const [, quoted, plain, rest = ''] =
      /^(?:['"]([^'"]+)['"]|(\w[\w .-]*)):(?:\s+(.*))?$/.exec(line.text) ?? [];
    const key = quoted ?? plain;
    if (key === undefined || line.indent > indent) throw new Error(`action.yml: can not read "${line.text}"`);
    cursor.at++;
    mapping[key] = readValue(lines, cursor, indent, rest);
  }
  return mapping;
}

function readValue(
  lines: readonly Line[],
  cursor: { at: number },
  indent: number,
  rest: string,
): string | Mapping {
  if (/^[|>][+-]?$/.test(rest)) return readBlock(lines, cursor, indent, rest);
  const scalar = readScalar(rest);
  if (scalar !== undefined) return scalar;
  const next = nextLine(lines, cursor);
  return next && next.indent > indent ? readMapping(lines, cursor, next.indent) : '';
}

function readBlock(lines: readonly Line[], cursor: { at: number }, indent: number, style: string): string {
  const block: string[] = [];
  for (let line = lines[cursor.at]; line; line = lines[++cursor.at]) {
    if (line.text !== '' && line.indent <= indent) break;
    block.push(line.text);
  }
  const text = block.join(style.startsWith('>') ? ' ' : '\n').trimEnd();
  return style.endsWith('-') ? text : `${text}\n`;
}

/** Undefined when nothing stands there. */
function readScalar(rest: string): string | undefined {
  const [, double, single] = /^(?:"((?:[^"\\]|\\.)*)"|'((?:[^']|'')*)')\s*(?:#.*)?$/.exec(rest) ?? [];
  if (double !== undefined) return JSON.parse(`"${double}"`) as string;
  if (single !== undefined) return single.replaceAll("''", "'");
  const plain = rest.replace(/(^|\s)#.*$/, '').trim();
  if (/^[[{&*!%@`]/.test(plain)) throw new Error(`action.yml: can not read "${rest}"`);
  return plain === '' ? undefined : plain;
}

function nextLine(lines: readonly Line[], cursor: { at: number }): Line | undefined {
  while (cursor.at < lines.length && /^(#.*)?$/.test(lines[cursor.at]?.text ?? '')) cursor.at++;
  return lines[cursor.at];
}
