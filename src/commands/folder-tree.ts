import { vendoredFolder } from '../test-runners/suite-facts.ts';

/** Lines up to which folders of source are opened, and all others. It stands in every brief, so the second is shorter. */
const MAX_LINES = 120;
const MAX_OTHER_LINES = 60;
/** A folder of no more files is shown in full: its count would say as little in one line less. */
const MAX_SMALL = 3;

interface Folder {
  /** With its final slash; empty for the root. */
  readonly path: string;
  readonly depth: number;
  /** Paths of files, and folders, in the order of paths. */
  readonly entries: readonly (string | Folder)[];
  readonly count: number;
  readonly isSource: boolean;
  /** Never more than a line: other people's code, or a folder with a dot. */
  readonly isFolded: boolean;
}

/** The files of a repository for a brief: all paths of a small one; of a larger one as many folders opened as fit, source first, and the others counted. */
export function folderTree(paths: readonly string[], isTestPath: (path: string) => boolean): string[] {
  const root = createFolder('', paths, path => CODE.test(path) && !isTestPath(path));
  const whole = listed(root, () => true);
  if (whole.length <= MAX_OTHER_LINES) return whole;
  const open = openedFolders(root);
  const lines = listed(root, folder => open.has(folder));
  return lines.length > MAX_LINES
    ? [...lines.slice(0, MAX_LINES), `… ${lines.length - MAX_LINES} more`]
    : lines;
}

const CODE =
  /\.(?:[cm]?[jt]sx?|vue|svelte|pyi?|pyx|rb|go|rs|java|kt|scala|cs|fs|php|swift|c|h|cc|cpp|hpp|ex|exs|clj|dart|lua)$/;
const SIDE_FOLDER =
  /^(?:docs?|examples?|samples?|demos?|bench(?:marks?)?|scripts?|tools?|fixtures|website|dist|build)\/$/;

function createFolder(path: string, paths: readonly string[], isSource: (path: string) => boolean): Folder {
  const inside = Map.groupBy(paths, each => each.slice(path.length, each.indexOf('/', path.length) + 1));
  const name = path.slice(path.lastIndexOf('/', path.length - 2) + 1);
  const isFolded = vendoredFolder(path) !== undefined || name.startsWith('.');
  const folders = new Map(
    [...inside].flatMap(([child, below]) =>
      child === '' || isFolded ? [] : [[child, createFolder(path + child, below, isSource)] as const],
    ),
  );
  const entries = paths.map(
    each => folders.get(each.slice(path.length, each.indexOf('/', path.length) + 1)) ?? each,
  );
  return {
    path,
    depth: path.split('/').length,
    entries: isFolded ? [] : [...new Set(entries)],
    count: paths.length,
    isSource: !SIDE_FOLDER.test(name) && paths.some(isSource),
    isFolded,
  };
}

const isSmall = ({ count, isFolded }: Folder): boolean => count <= MAX_SMALL && !isFolded;

function listed(folder: Folder, isOpen: (folder: Folder) => boolean): string[] {
  return folder.entries.flatMap(entry => {
    if (typeof entry === 'string') return entry;
    if (!entry.isFolded && (isSmall(entry) || isOpen(entry))) return listed(entry, isOpen);
    return `${entry.path} (${entry.count} ${entry.count === 1 ? 'file' : 'files'})`;
  });
}

/** Opens what fits, source first, then what is nearer to the root. */
function openedFolders(root: Folder): ReadonlySet<Folder> {
  const open = new Set<Folder>();
  const linesOf = (folder: Folder) => listed(folder, () => false).length;
  let lines = linesOf(root);
  let closed = foldersIn(root);
  for (;;) {
    const fitting = closed.filter(
      folder => lines + linesOf(folder) - 1 <= (folder.isSource ? MAX_LINES : MAX_OTHER_LINES),
    );
    const [next] = fitting.sort((a, b) => Number(b.isSource) - Number(a.isSource) || a.depth - b.depth);
    if (!next) return open;
    open.add(next);
    lines += linesOf(next) - 1;
    closed = [...closed.filter(folder => folder !== next), ...foldersIn(next)];
  }
}

const foldersIn = ({ entries }: Folder): readonly Folder[] =>
  entries.filter(entry => typeof entry !== 'string').filter(folder => !folder.isFolded && !isSmall(folder));
