/** What an action says to its runner: lines on standard output, and files. */

export interface Annotation {
  readonly level: 'error' | 'warning' | 'notice' | 'debug';
  readonly message: string;
  readonly properties: Readonly<Record<string, string>>;
}

export interface Log {
  /** What a person reads on the run's page: secrets masked, commands taken out. */
  readonly lines: readonly string[];
  readonly annotations: readonly Annotation[];
  readonly masks: readonly string[];
}

const LEVELS = ['error', 'warning', 'notice', 'debug'];

/** Reads an action's standard output as the runner does. `secrets` are masked from the start. */
export function readLog(output: string, secrets: readonly string[]): Log {
  const masks = secrets.filter(Boolean);
  const annotations: Annotation[] = [];
  const lines: string[] = [];
  let resume: string | undefined;
  for (const line of output.split(/\r?\n/)) {
    const command = parseCommandLine(line);
    if (resume !== undefined) {
      if (command?.name === resume) resume = undefined;
      else lines.push(mask(line, masks));
    } else if (!command) lines.push(mask(line, masks));
    else if (command.name === 'stop-commands') resume = command.value;
    else if (command.name === 'add-mask') masks.push(...command.value.split('\n').filter(Boolean));
    else if (command.name === 'group') lines.push(mask(`▸ ${command.value}`, masks));
    else if (LEVELS.includes(command.name)) {
      const level = command.name as Annotation['level'];
      annotations.push({ level, message: mask(command.value, masks), properties: command.properties });
    }
  }
  if (lines.at(-1) === '') lines.pop();
  return { lines, annotations, masks };
}

/** Outputs, state or environment as written to a runner's file: `name=value`, or `name<<mark` up to the mark. */
export function readKeyValues(text: string): Record<string, string> {
  const values: Record<string, string> = {};
  const lines = text.split(/\r?\n/);
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? '';
    if (line === '') continue;
    const [, name, mark] = /^([^=]+?)<<(.+)$/.exec(line) ?? [];
    if (name !== undefined && mark !== undefined) {
      const end = lines.indexOf(mark, at + 1);
      if (end < 0) throw new Error(`Invalid value. Matching delimiter not found '${mark}'`);
      values[name] = lines.slice(at + 1, end).join('\n');
      at = end;
    } else {
      const equals = line.indexOf('=');
      if (equals < 1) throw new Error(`Invalid format '${line}'`);
      values[line.slice(0, equals)] = line.slice(equals + 1);
    }
  }
  return values;
}

/** `::name key=value,key=value::message`, and the older `##[name]message`. */
function parseCommandLine(line: string) {
  const [, name, properties = '', value = ''] =
    /^\s*::([\w-]+)(?:\s+([^:]*(?::(?!:)[^:]*)*))?::(.*)$/.exec(line) ??
    /^.*?##\[([\w-]+)\s?([^\]]*)\](.*)$/.exec(line) ??
    [];
  if (name === undefined) return undefined;
  const pairs = properties.split(/[,;]/).flatMap(pair => {
    const [key = '', ...rest] = pair.split('=');
    return key.trim() ? [[key.trim(), unescapeProperty(rest.join('='))]] : [];
  });
  return {
    name,
    properties: Object.fromEntries(pairs) as Record<string, string>,
    value: unescapeValue(value),
  };
}

const unescapeValue = (text: string) =>
  text.replaceAll('%0D', '\r').replaceAll('%0A', '\n').replaceAll('%25', '%');
const unescapeProperty = (text: string) => unescapeValue(text.replaceAll('%3A', ':').replaceAll('%2C', ','));
const mask = (text: string, masks: readonly string[]) =>
  masks.reduce((masked, secret) => masked.replaceAll(secret, '***'), text);
