import { parseLooseJson } from '../../model/loose-arguments.ts';
import { isRecord, type Shape } from './shape.ts';
import { plainName } from './tool-names.ts';

type Given = Readonly<Record<string, unknown>>;

/** What other agents' tools call these arguments, in letters only. */
const OTHER_NAMES: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    path: 'file filepath filename absolutepath relativepath targetfile directory dir folder',
    file: 'path filepath filename',
    files: 'file path paths testfile testfiles testpath',
    command: 'cmd script shellcommand commandline',
    workdir: 'cwd workingdirectory workingdir',
    timeout_s: 'timeoutseconds timeoutsec',
    pattern: 'regex regexp query searchpattern searchterm',
    glob: 'include filepattern fileglob',
    content: 'contents text filetext filecontent filecontents newcontent',
    edits: 'changes replacements',
    old: 'oldstring oldstr oldtext oldcode search find original',
    new: 'newstring newstr newtext newcode replace replacement',
    offset: 'startline start firstline',
    limit: 'maxlines numlines linecount',
    evidence: 'details explanation',
    summary: 'message',
  }).map(([name, others]) => [name, others.split(' ')]),
);

/** Where some models put all arguments. */
const WRAPPERS = ['arguments', 'args', 'input', 'parameters', 'params'];

/**
 * Arguments as their schema wants them, where there is no doubt what was meant: other names, one thing for a list of them, a list as JSON text, the
 * members of a list's only entry at the top, numbers and truth values as text, numbers above the maximum, null for nothing. The rest stays as it is.
 */
export function fitArguments(shape: Shape, given: unknown): unknown {
  const [only] = Array.isArray(given) && given.length === 1 ? given : [given];
  return fitValue(shape, isRecord(only) ? unwrapped(shape, only) : only);
}

function unwrapped(shape: Shape, given: Given): unknown {
  const [[name, inner] = ['', undefined], ...others] = Object.entries(given);
  if (others.length > 0 || propertyOf(shape, name) || !WRAPPERS.includes(name)) return given;
  const value = parsedText(inner);
  return isRecord(value) ? value : given;
}

function fitValue(shape: Shape, given: unknown): unknown {
  switch (shape.type) {
    case 'object':
      return isRecord(given) ? fitObject(shape, given) : given;
    case 'array':
      return fitList(shape, given);
    case 'integer':
    case 'number':
      return fitNumber(shape, given);
    case 'boolean':
      return given === 'true' ? true : given === 'false' ? false : given;
    case 'string':
      return fitText(shape, given);
    default:
      return given;
  }
}

function fitObject(shape: Shape, given: Given): Given {
  const named = gathered(shape, renamed(shape, given));
  const entries = Object.entries(named).map(([name, value]) => {
    const property = propertyOf(shape, name);
    return [name, property ? fitValue(property, value) : value] as const;
  });
  return Object.fromEntries(entries.filter(([name, value]) => !isNothing(shape, name, value)));
}

/** An optional argument that says nothing: null, or a line 0 where lines count from 1. */
function isNothing(shape: Shape, name: string, value: unknown): boolean {
  if (shape.required?.includes(name)) return false;
  const minimum = propertyOf(shape, name)?.minimum;
  return value === null || (minimum !== undefined && typeof value === 'number' && value < minimum);
}

function renamed(shape: Shape, given: Given): Given {
  const missing = Object.entries(shape.properties ?? {}).filter(([name]) => !Object.hasOwn(given, name));
  const names = new Map<string, string>();
  for (const [name, property] of missing) {
    const meant = Object.keys(given).find(
      key =>
        !names.has(key) && !propertyOf(shape, key) && isNameFor(key, name) && takes(property, given[key]),
    );
    if (meant !== undefined) names.set(meant, name);
  }
  return Object.fromEntries(Object.entries(given).map(([key, value]) => [names.get(key) ?? key, value]));
}

function isNameFor(key: string, name: string): boolean {
  const plain = plainName(key);
  return plain === plainName(name) || (OTHER_NAMES.get(name)?.includes(plain) ?? false);
}

const takes = ({ type, items }: Shape, value: unknown): boolean =>
  type === 'array'
    ? Array.isArray(value) || typeof value === (items?.type ?? 'object')
    : type !== 'string' || typeof value === 'string';

/** The members of a list's only entry, given beside the list's neighbours: `{path, old, new}` for `{path, edits: [{old, new}]}`. */
function gathered(shape: Shape, given: Given): Given {
  const missing = shape.required?.find(name => !Object.hasOwn(given, name));
  const item = missing === undefined ? undefined : propertyOf(shape, missing)?.items;
  if (missing === undefined || !item?.properties) return given;
  const [own, strays] = [true, false].map(isOwn =>
    Object.fromEntries(Object.entries(given).filter(([key]) => Boolean(propertyOf(shape, key)) === isOwn)),
  );
  const entry = renamed(item, strays ?? {});
  return item.required?.every(name => Object.hasOwn(entry, name)) ? { ...own, [missing]: [entry] } : given;
}

function fitList({ items = {} }: Shape, given: unknown): unknown {
  const value = parsedText(given);
  const isOne = items.type === 'object' ? isRecord(value) : typeof value === items.type;
  const list = isOne ? [value] : value;
  return Array.isArray(list) ? list.map(each => fitValue(items, each)) : given;
}

function fitNumber({ type, maximum = Number.POSITIVE_INFINITY }: Shape, given: unknown): unknown {
  const number = typeof given === 'string' && given.trim() !== '' ? Number(given) : given;
  if (typeof number !== 'number' || !Number.isFinite(number)) return given;
  return Math.min(type === 'integer' ? Math.trunc(number) : number, maximum);
}

function fitText(shape: Shape, given: unknown): unknown {
  if (typeof given === 'number' || typeof given === 'boolean') return String(given);
  if (!shape.enum || typeof given !== 'string') return given;
  return shape.enum.find(each => plainName(each) === plainName(given)) ?? given;
}

/** A list or object that came as JSON text; everything else as it is. */
function parsedText(value: unknown): unknown {
  if (typeof value !== 'string' || !/^\s*[[{]/.test(value)) return value;
  const json = parseLooseJson(value);
  return 'value' in json ? json.value : value;
}

const propertyOf = ({ properties = {} }: Shape, name: string): Shape | undefined =>
  Object.hasOwn(properties, name) ? properties[name] : undefined;
