/** `npm run docs`: writes the tables of inputs and outputs in README.md from action.yml. `--check` changes nothing and exits 1 when they are stale. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseMapping } from '../test/local-github/action-yml.ts';

const ROOT = join(import.meta.dirname, '..');
const README = join(ROOT, 'README.md');

const action = parseMapping(readFileSync(join(ROOT, 'action.yml'), 'utf8'));
const before = readFileSync(README, 'utf8');
const after = replaceBetween(
  replaceBetween(before, 'inputs', inputsTable()),
  'outputs',
  table(
    ['Output', 'What it holds'],
    entries('outputs').map(([name, facts]) => [code(name), facts.description ?? '']),
  ),
);

if (after === before) {
  console.log('README.md is up to date with action.yml');
} else if (process.argv.includes('--check')) {
  console.error('README.md is not what action.yml says: run `npm run docs` and commit the result');
  process.exit(1);
} else {
  writeFileSync(README, after);
  console.log('README.md: tables of inputs and outputs written');
}

function inputsTable(): string {
  const rows = entries('inputs').map(([name, facts]) => [
    code(name),
    facts.required === 'true' ? '**required**' : facts.default ? code(facts.default) : '',
    facts.description ?? '',
  ]);
  return table(['Input', 'Default', 'What it does'], rows);
}

/** The entries of a section, in the order of the file; each is a mapping of texts. */
function entries(section: 'inputs' | 'outputs'): [string, Readonly<Record<string, string>>][] {
  const found = action[section];
  if (found === undefined || typeof found === 'string') throw new Error(`action.yml has no ${section}`);
  return Object.entries(found).map(([name, facts]) => {
    if (typeof facts === 'string') throw new Error(`action.yml: ${name} has no description`);
    const texts = Object.entries(facts).map(([key, value]) => {
      if (typeof value !== 'string') throw new Error(`action.yml: ${name}.${key} is no text`);
      return [key, value.trim()] as const;
    });
    return [name, Object.fromEntries(texts)];
  });
}

function code(text: string): string {
  return `\`${text}\``;
}

function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map(cell => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`;
  return [line(header), line(header.map(() => '---')), ...rows.map(line)].join('\n');
}

function replaceBetween(text: string, name: string, content: string): string {
  const [start, end] = [`<!-- ${name}:start -->`, `<!-- ${name}:end -->`];
  const [from, to] = [text.indexOf(start), text.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`README.md has no ${start} … ${end}`);
  return `${text.slice(0, from + start.length)}\n\n${content}\n\n${text.slice(to)}`;
}
