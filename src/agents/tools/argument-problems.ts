import { isRecord, type Shape, shapeText } from './shape.ts';

export interface Misfit {
  readonly shape: Shape;
  /** As the model sent it. */
  readonly sent: unknown;
  /** As it was read. */
  readonly fitted: unknown;
  readonly issues: readonly Issue[];
}

interface Issue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

const MAX_PROBLEMS = 3;

/** Why arguments do not fit, in the words of the tool's own schema: what is missing and what was sent instead, or what should stand there. */
export function argumentProblems({ shape, sent, fitted, issues }: Misfit): string {
  if (!isRecord(fitted)) return `its arguments must be an object. Shape: ${shapeText(shape)}`;
  const byPlace = new Map(issues.map(issue => [placeText(issue.path), issue]));
  const isMissing = ({ path }: Issue) => valueAt(fitted, path) === undefined;
  const missing = [...byPlace].filter(([, issue]) => isMissing(issue)).slice(0, MAX_PROBLEMS);
  const problems = [...byPlace]
    .filter(([, issue]) => !isMissing(issue))
    .slice(0, MAX_PROBLEMS)
    .map(
      ([place, { path, message }]) =>
        `${place} ${wanted(nodeAt(shape, path), valueAt(fitted, path)) ?? message}`,
    );
  const [first] = missing;
  if (!first) return `${problems.join('; ')}.`;
  const beside = first[1].path.slice(0, -1);
  const keys = Object.keys(valueAt(beside.length === 0 ? sent : fitted, beside) ?? {})
    .slice(0, 10)
    .map(key => key.slice(0, 40));
  const names = missing.map(([place]) => place).join(', ');
  const absent = `${names} ${missing.length === 1 ? 'is' : 'are'} missing (you sent ${keys.join(', ') || 'nothing'})`;
  return `${[absent, ...problems].join('; ')}. Shape: ${shapeText(shape)}`;
}

/** What should stand at a place, or undefined when the schema does not say. */
function wanted(node: Shape | undefined, value: unknown): string | undefined {
  if (node?.enum) return `must be one of ${node.enum.join(', ')}`;
  switch (node?.type) {
    case 'array':
      return Array.isArray(value) ? listLength(node, value) : `must be a list of ${entryText(node.items)}`;
    case 'string':
      return typeof value === 'string' ? textLength(node, value) : 'must be a text';
    case 'object':
      return `must be ${shapeText(node)}`;
    case 'boolean':
      return 'must be true or false';
    case 'integer':
    case 'number':
      return 'must be a number';
    default:
      return undefined;
  }
}

const entryText = (items: Shape | undefined): string => (items?.properties ? shapeText(items) : 'texts');

const listLength = ({ maxItems = 0 }: Shape, { length }: readonly unknown[]): string =>
  length === 0 ? 'is empty' : `has ${length} entries; at most ${maxItems} are taken`;

function textLength({ minLength = 1, maxLength = 0 }: Shape, { length }: string): string {
  if (length >= minLength) return `has ${length} characters; at most ${maxLength} are taken`;
  return length === 0 ? 'is empty' : `needs at least ${minLength} characters`;
}

const placeText = (path: readonly PropertyKey[]): string =>
  path.map((key, i) => (typeof key === 'number' ? `[${key}]` : `${i > 0 ? '.' : ''}${String(key)}`)).join('');

const valueAt = (value: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>(
    (inner, key) =>
      typeof inner === 'object' && inner !== null
        ? (inner as Readonly<Record<PropertyKey, unknown>>)[key]
        : undefined,
    value,
  );

const nodeAt = (shape: Shape, path: readonly PropertyKey[]): Shape | undefined =>
  path.reduce<Shape | undefined>(
    (node, key) => (typeof key === 'number' ? node?.items : node?.properties?.[String(key)]),
    shape,
  );
