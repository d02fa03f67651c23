/** GitHub's expressions, as far as the example workflows use them: what a server would decide by an `if`, a group or a run's name. */

export type Context = Readonly<Record<string, unknown>>;

/** A text with `${{ }}` in it. */
export const expand = (text: string, context: Context): string =>
  text.replaceAll(/\$\{\{(.*?)\}\}/gs, (_, expression: string) => textOf(evaluate(expression, context)));

/** The value of one expression, without `${{ }}`. */
export function evaluate(expression: string, context: Context): unknown {
  const tokens = expression.match(/'(?:[^']|'')*'|&&|\|\||==|!=|[!(),]|[\w.*[\]-]+/g) ?? [];
  const cursor = { at: 0 };
  const value = readOr(tokens, cursor, context);
  if (cursor.at < tokens.length) throw new Error(`can not read "${tokens[cursor.at]}" in ${expression}`);
  return value;
}

interface Cursor {
  at: number;
}
type Read = (tokens: readonly string[], cursor: Cursor, context: Context) => unknown;

const taken = (tokens: readonly string[], cursor: Cursor, token: string): boolean => {
  if (tokens[cursor.at] !== token) return false;
  cursor.at++;
  return true;
};

const readOr: Read = (tokens, cursor, context) => {
  let value = readAnd(tokens, cursor, context);
  while (taken(tokens, cursor, '||')) {
    const next = readAnd(tokens, cursor, context);
    value = isTruthy(value) ? value : next;
  }
  return value;
};

const readAnd: Read = (tokens, cursor, context) => {
  let value = readComparison(tokens, cursor, context);
  while (taken(tokens, cursor, '&&')) {
    const next = readComparison(tokens, cursor, context);
    value = isTruthy(value) ? next : value;
  }
  return value;
};

const readComparison: Read = (tokens, cursor, context) => {
  const left = readOperand(tokens, cursor, context);
  if (taken(tokens, cursor, '==')) return isEqual(left, readOperand(tokens, cursor, context));
  if (taken(tokens, cursor, '!=')) return !isEqual(left, readOperand(tokens, cursor, context));
  return left;
};

const readOperand: Read = (tokens, cursor, context) => {
  if (taken(tokens, cursor, '!')) return !isTruthy(readOperand(tokens, cursor, context));
  if (taken(tokens, cursor, '(')) {
    const value = readOr(tokens, cursor, context);
    if (!taken(tokens, cursor, ')')) throw new Error('a parenthesis is not closed');
    return value;
  }
  const token = tokens[cursor.at++];
  if (token === undefined) throw new Error('the expression ends too early');
  if (token.startsWith("'")) return token.slice(1, -1).replaceAll("''", "'");
  const call = FUNCTIONS[token];
  if (!call || !taken(tokens, cursor, '(')) return lookUp(token, context);
  const values: unknown[] = [];
  do values.push(readOr(tokens, cursor, context));
  while (taken(tokens, cursor, ','));
  if (!taken(tokens, cursor, ')')) throw new Error(`${token} is not closed`);
  return call(...values);
};

const FUNCTIONS: Readonly<Record<string, (...values: readonly unknown[]) => unknown>> = {
  startsWith: (text, start) => textOf(text).toLowerCase().startsWith(textOf(start).toLowerCase()),
  contains: (whole, part) =>
    Array.isArray(whole)
      ? whole.some(each => isEqual(each, part))
      : textOf(whole).toLowerCase().includes(textOf(part).toLowerCase()),
  format: (text, ...values) =>
    textOf(text).replaceAll(/\{(\d)\}/g, (_, index: string) => textOf(values[Number(index)])),
  fromJSON: text => JSON.parse(textOf(text)) as unknown,
};

/** What is not there is null, however deep. */
const lookUp = (path: string, context: Context): unknown =>
  path
    .replaceAll(/\[(\d+)\]/g, '.$1')
    .split('.')
    .reduce<unknown>((value, key) => {
      if (key === '*') return Array.isArray(value) ? value : [];
      if (Array.isArray(value) && !/^\d+$/.test(key))
        return value.map(each => (each as Context)[key] ?? null);
      return typeof value === 'object' && value !== null ? ((value as Context)[key] ?? null) : null;
    }, context);

const isTruthy = (value: unknown): boolean => Boolean(value);

const isEqual = (one: unknown, other: unknown): boolean =>
  typeof one === 'string' && typeof other === 'string'
    ? one.toLowerCase() === other.toLowerCase()
    : one === other || (typeof one !== typeof other && Number(one ?? 0) === Number(other ?? 0));

const textOf = (value: unknown): string => (value === null || value === undefined ? '' : String(value));
