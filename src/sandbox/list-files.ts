import { posix } from 'node:path';
import { UserError } from '../errors.ts';
import type { ExecResult } from '../types.ts';
import { decodeStrictly, pathProblem } from './path-rules.ts';
import type { Place } from './place.ts';
import { quote } from './quote.ts';
import type { CopyOutOptions } from './sandbox.ts';

export interface Refusal {
  readonly path: string;
  readonly reason: string;
}

/** What stands below the work folder: files and links to read, and what can not be published. */
export interface Listing {
  readonly paths: readonly string[];
  readonly refused: readonly Refusal[];
}

/** Lists the work folder without the folders that `prune` names. Names are judged here, before any is used again. */
export async function listFiles(
  place: Place,
  options: Pick<CopyOutOptions, 'prune' | 'maxFolders'>,
  maxFileBytes: number,
): Promise<Listing> {
  const folders = await listFolders(place);
  const { open, leftOut } = await parted(folders.paths, options);
  const pruned = topmost([...leftOut, ...folders.refused.map(({ path }) => path)]);
  const result = await find(place, filesScript(place, skipping(pruned, open), maxFileBytes));
  const [files = [], large = [], special = []] = groupsOf(records(place, result));
  const below = isBelow(new Set(pruned.map(path => Buffer.from(path).toString('latin1'))));
  const seen = judge(files.filter(raw => !below(raw)));
  const refusedAs = (reason: string) => (raw: string) => ({ path: shown(raw), reason });
  return {
    paths: seen.paths,
    refused: [
      ...folders.refused,
      ...seen.refused,
      ...large.filter(raw => !below(raw)).map(refusedAs(`larger than ${maxFileBytes} bytes`)),
      ...special.filter(raw => !below(raw)).map(refusedAs('neither a file, a folder nor a link')),
      ...incomplete(result),
    ],
  };
}

/** Of the given paths those that are files or links, and that no link leads to. */
export async function listOnly(
  place: Place,
  only: readonly string[],
  maxFileBytes: number,
): Promise<Listing> {
  const odd = only.flatMap(path => refusal(path, pathProblem(path)));
  const paths = only.filter(path => pathProblem(path) === undefined);
  const parents = new Set(paths.flatMap(ancestors));
  const words = [...new Set([...paths, ...parents])].map(path => quote(`./${path}`));
  if (words.length === 0) return { paths: [], refused: odd };
  const print = place.tools.print0 ? '-print0' : '-print';
  const scripts = [
    `\\( -type l -o -type f ! -size +${maxFileBytes}c \\) ${print}`,
    `-type f -size +${maxFileBytes}c ${print}`,
    `! -type f ! -type l ! -type d ${print}`,
  ].map(test =>
    inGroups(words)
      .map(group => `find ${group} -prune ${test} 2>/dev/null`)
      .join('\n'),
  );
  const result = await find(place, scripts.join(`\nfind . -prune ${print}\n`));
  const [found = [], large = [], special = []] = groupsOf(records(place, result)).map(raws =>
    raws.map(shown),
  );
  const links = new Set(found.filter(path => parents.has(path)));
  const asked = new Set(paths);
  const wanted = (path: string) => asked.has(path) && !ancestors(path).some(parent => links.has(parent));
  return {
    paths: found.filter(wanted),
    refused: [
      ...odd,
      ...large.filter(wanted).map(path => ({ path, reason: `larger than ${maxFileBytes} bytes` })),
      ...special.filter(wanted).map(path => ({ path, reason: 'neither a file, a folder nor a link' })),
    ],
  };
}

const MAX_FOLDERS = 200_000;
const LIST_BYTES = 256 * 1024 * 1024;
const LIST_TIMEOUT_MS = 300_000;

/** A folder that its owner may not read would hide what is in it; nothing is hidden from the one who counts. */
async function listFolders(place: Place): Promise<Listing> {
  const print = place.tools.print0 ? '-print0' : '-print';
  const readable = '\\( -perm -500 -o -exec chmod u+rwx {} \\; \\)';
  const script = `find . -name .git -prune -o -type d ${readable} ${print}`;
  const found = records(place, await find(place, script)).filter(raw => raw !== '.');
  const { paths, refused } = judge(found);
  return {
    paths,
    refused: refused.filter(one => !isBelow(new Set(refused.map(each => each.path)))(one.path)),
  };
}

/**
 * Parents first, a level at a time: nothing below a folder that is left out is ever asked about, because installed
 * dependencies hold tens of thousands. Throws a UserError when too many are left to ask about.
 */
async function parted(
  folders: readonly string[],
  { prune, maxFolders = MAX_FOLDERS }: Pick<CopyOutOptions, 'prune' | 'maxFolders'>,
): Promise<{ readonly open: readonly string[]; readonly leftOut: readonly string[] }> {
  const open = new Set(['.']);
  const leftOut: string[] = [];
  let room = maxFolders;
  for (const level of levels(folders)) {
    const asked = level.filter(folder => open.has(posix.dirname(folder)));
    if (asked.length === 0) break;
    room -= asked.length;
    if (room < 0) throw tooManyFiles(`more than ${maxFolders} folders`);
    const answer = await prune(asked);
    for (const folder of asked) {
      if (answer.has(folder)) leftOut.push(folder);
      else open.add(folder);
    }
  }
  return { open: [...open], leftOut };
}

/** Folders by how deep they lie. */
function levels(folders: readonly string[]): string[][] {
  const found: string[][] = [];
  for (const folder of folders) {
    const depth = folder.split('/').length - 1;
    while (found.length <= depth) found.push([]);
    found[depth]?.push(folder);
  }
  return found;
}

/** What find shall not enter. A name of which no folder is open is one test, however many folders have it: each test costs every entry. */
function skipping(pruned: readonly string[], open: readonly string[]): string {
  const openNames = new Set(open.map(folder => posix.basename(folder)));
  const tests = pruned.map(path => {
    const name = posix.basename(path);
    const byName = !openNames.has(name) && pathProblem(path) === undefined;
    return byName ? `-type d -name ${pattern(name)}` : `-path ${pattern(`./${path}`)}`;
  });
  const words = [...new Set(tests)].map(test => `-o ${test}`).join(' ');
  // Longer than a command line may be: then the folders are listed too, and left out on the host.
  return `\\( -name .git ${words.length < 1_000_000 ? words : ''} \\) -prune`;
}

const pattern = (name: string): string => quote(name.replace(/[\\*?[\]]/g, '\\$&'));

function filesScript(place: Place, skip: string, maxFileBytes: number): string {
  const print = place.tools.print0 ? '-print0' : '-print';
  const readable = '\\( -perm -400 -o -exec chmod u+r {} \\; -o -type f \\)';
  const separator = `find . -prune ${print}`;
  return [
    'code=0',
    `find . ${skip} -o -type l ${print} -o -type f ! -size +${maxFileBytes}c ${readable} ${print} || code=1`,
    separator,
    `find . ${skip} -o -type f -size +${maxFileBytes}c ${print} || code=1`,
    separator,
    `find . ${skip} -o ! -type f ! -type l ! -type d ${print} || code=1`,
    'exit $code',
  ].join('\n');
}

async function find(place: Place, script: string): Promise<ExecResult> {
  const request = { script, maxOutputBytes: LIST_BYTES, timeoutMs: LIST_TIMEOUT_MS, ours: true };
  const result = await place.run(request);
  if (result.exit.kind === 'output-limit') throw tooManyFiles('far too many files');
  if (result.exit.kind !== 'code' || result.exit.code > 1) {
    throw new Error(`The work folder could not be listed: ${JSON.stringify(result.exit)} ${result.stderr}`);
  }
  return result;
}

export const tooManyFiles = (what: string): UserError =>
  new UserError(
    `The work folder holds ${what}.`,
    'Add folders of generated files to .gitignore on the default branch, so that they are left out.',
  );

/** Names as latin1, which keeps every byte; `./` is cut off, anything that does not start with it is a torn name. */
function records(place: Place, result: ExecResult): string[] {
  const text = result.stdout.toString('latin1');
  return text.split(place.tools.print0 ? '\0' : '\n').filter(record => record !== '');
}

/** Groups are parted by the record `.`, which no find prints otherwise. */
function groupsOf(raws: readonly string[]): string[][] {
  const groups: string[][] = [[]];
  for (const raw of raws) {
    if (raw === '.') groups.push([]);
    else groups.at(-1)?.push(raw);
  }
  return groups;
}

function judge(raws: readonly string[]): Listing {
  const paths: string[] = [];
  const refused: Refusal[] = [];
  for (const raw of new Set(raws)) {
    const path = decodeStrictly(Buffer.from(raw.slice(2), 'latin1'));
    const problem = raw.startsWith('./') ? nameProblem(path) : 'a line break in the name';
    if (problem || path === undefined) refused.push({ path: shown(raw), reason: problem ?? 'not a name' });
    else paths.push(path);
  }
  return { paths, refused };
}

const nameProblem = (path: string | undefined): string | undefined =>
  path === undefined ? 'the name is not UTF-8' : pathProblem(path);

const shown = (raw: string): string => Buffer.from(raw.replace(/^\.\//, ''), 'latin1').toString('utf8');

const refusal = (path: string, reason: string | undefined): Refusal[] => (reason ? [{ path, reason }] : []);

const ancestors = (path: string): string[] => {
  const parts = path.split('/').slice(0, -1);
  return parts.map((_, index) => parts.slice(0, index + 1).join('/'));
};

const isBelow = (folders: ReadonlySet<string>) => (raw: string) =>
  ancestors(raw.replace(/^\.\//, '')).some(folder => folders.has(folder));

function topmost(folders: readonly string[]): string[] {
  const below = isBelow(new Set(folders));
  return [...new Set(folders)].filter(folder => !below(folder));
}

/** A command line has room for a couple of megabytes; half of one is safe. */
function inGroups(words: readonly string[]): string[] {
  const groups: string[] = [];
  for (const word of words) {
    const last = groups.at(-1);
    if (last === undefined || last.length + word.length > 500_000) groups.push(word);
    else groups[groups.length - 1] = `${last} ${word}`;
  }
  return groups;
}

const incomplete = (result: ExecResult): Refusal[] =>
  result.exit.kind === 'code' && result.exit.code === 0
    ? []
    : [{ path: '.', reason: `not listed completely: ${result.stderr.toString().split('\n')[0]}` }];
