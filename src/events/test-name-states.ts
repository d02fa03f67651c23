import { type Entry, relativePath, type TestNameBook } from './test-name-book.ts';

type Said = 'account' | 'mention' | undefined;
type LineReader = (line: string) => Said;

/** Readers for runners whose lines mean something only after other lines. Each keeps a few words of state. */
export const openRunnerStates = (book: TestNameBook): readonly LineReader[] => [
  readNodeTest(book),
  readTap(book),
  readVitestOrJest(book),
  readMocha(book),
  readGo(book),
];

/** `test at file:line:column`, then `✖ name (1.2ms)`: the list at the end, which has the files and no groups. */
function readNodeTest(book: TestNameBook): LineReader {
  let place: string | undefined;
  return line => {
    if (line === '✖ failing tests:') book.forget(entry => entry.group !== 'node');
    const [, file] = /^test at (\S.*):\d+:\d+$/.exec(line) ?? [];
    if (file) place = file;
    const [, name] = /^ *✖ (.+) \(\d[\d.]*ms\)$/.exec(line) ?? [];
    if (!name) return undefined;
    const account = place !== undefined;
    book.note({ name, file: place, group: 'node' });
    place = undefined;
    return account ? 'account' : 'mention';
  };
}

/** `not ok 1 - name`, then, from node:test, its place and whether only something inside of it failed. */
function readTap(book: TestNameBook): LineReader {
  let last: Entry | undefined;
  return line => {
    const text = line.trimStart();
    const [, said] = /^not ok\b(?: \d+)?(?: -)?(?: (.*))?$/.exec(text) ?? [];
    if (said !== undefined) {
      const [name = '', directive = ''] = said.split(/ # (?=(?:todo|skip|time)\b)/i);
      last = undefined;
      if (/^(?:todo|skip)/i.test(directive)) return undefined;
      last = book.note({ name: name.replaceAll('\\#', '#'), file: undefined, group: 'tap' });
      return 'account';
    }
    const [, place] = /^location: '(.+):\d+:\d+'$/.exec(text) ?? [];
    if (last && place) last.file = relativePath(place);
    if (last && text === "failureType: 'subtestsFailed'") {
      const parent = last;
      book.forget(entry => entry !== parent);
    }
    return undefined;
  };
}

/** Vitest: `FAIL  file > group > name`. Jest: `FAIL file`, then `● group › name` for each. */
function readVitestOrJest(book: TestNameBook): LineReader {
  let file: string | undefined;
  const readTree = readMarkedTree(book);
  return line => {
    if (/^ ?PASS\s/.test(line)) file = undefined;
    const [, headed] = /^ ?FAIL {1,2}(\S.*)$/.exec(line) ?? [];
    if (headed) {
      file = noteHead(book, headed);
      return 'account';
    }
    return (file === undefined ? undefined : readBullet(book, line, file)) ?? readTree(line, file);
  };
}

function readBullet(book: TestNameBook, line: string, file: string): Said {
  const [, told] = /^ {2}● (.+)$/.exec(line) ?? [];
  if (!told || told === 'Console') return undefined;
  book.note({ name: told === 'Test suite failed to run' ? file : told, file });
  return 'account';
}

/** What follows FAIL: a test with its file, a file that could not be loaded, or the file of the tests to come, which is returned. */
function noteHead(book: TestNameBook, text: string): string | undefined {
  const rest = text.replace(/^\|[^|]*\| +/, '');
  const end = rest.indexOf(' > ');
  const twice = rest.indexOf(' [ ');
  if (end > 0) book.note({ file: rest.slice(0, end), name: rest.slice(end + 3) });
  else if (twice > 0) book.note({ file: rest.slice(0, twice), name: rest.slice(0, twice) });
  if (end > 0 || twice > 0) return undefined;
  // A project's name may stand before the file, and the time that it took behind.
  return rest.replace(/ \(\d[\d.]* m?s\)$/, '').replace(/^[^\s./]+ +(?=\S)/, '');
}

/** `× name 5ms` and `✕ name (5 ms)` in a tree. Linters draw such marks too, but without a file above and a time behind. */
function readMarkedTree(book: TestNameBook) {
  let ruled = false;
  return (line: string, header: string | undefined): Said => {
    if (line.includes('━━━')) ruled = true;
    const [, marked] = /^ *[✕×✗] (.+)$/.exec(line) ?? [];
    if (!marked || ruled) return undefined;
    const timed = marked.replace(/ (?:\(\d[\d.]* ?m?s\)|\d[\d.]*m?s)$/, '');
    if (header === undefined && timed === marked) return undefined;
    book.note(fromTree(timed.replace(/ \(retry x\d+\)$/, ''), header));
    return 'mention';
  };
}

function fromTree(shown: string, header: string | undefined) {
  const end = shown.indexOf(' > ');
  const path = end > 0 && /\.\w+$/.test(shown.slice(0, end)) ? shown.slice(0, end) : undefined;
  return path === undefined
    ? { name: shown, file: header, leaf: true }
    : { name: shown.slice(end + 3), file: path };
}

const MAX_TITLES = 12;

/** After `2 failing`: the titles of each test; in the account's stack the test's own function, which shows the file. */
function readMocha(book: TestNameBook): LineReader {
  const readTitles = readMochaTitles();
  let last: Entry | undefined;
  return line => {
    const name = readTitles(line);
    if (name) {
      last = book.note({ name, file: undefined });
      return 'account';
    }
    const [, place] = /^ +at Context\.<anonymous> \((\S+):\d+:\d+\)$/.exec(line) ?? [];
    if (last && place) last.file ??= relativePath(place);
    return undefined;
  };
}

/** `1) group`, deeper titles each on a line, the last with a colon. */
function readMochaTitles() {
  let listing = false;
  let titles: string[] | undefined;
  return (line: string): string | undefined => {
    if (/^ *\d+ failing$/.test(line)) listing = true;
    if (!listing) return undefined;
    const [, first] = /^ {2}\d+\) (\S.*)$/.exec(line) ?? [];
    if (first) titles = [];
    if (!titles) return undefined;
    const title = first ?? line.trim();
    titles.push(title.replace(/:$/, ''));
    if (!title.endsWith(':') && titles.length < MAX_TITLES) return undefined;
    const name = titles.join(' > ');
    titles = undefined;
    return name;
  };
}

/** `--- FAIL: TestCart/adds (0.00s)`, then `cart_test.go:12: what it says`. */
function readGo(book: TestNameBook): LineReader {
  let last: Entry | undefined;
  return line => {
    const [, name] = /^ *--- FAIL: (\S+) \(/.exec(line) ?? [];
    if (name) {
      last = book.note({ name, file: undefined, group: 'go' });
      return 'account';
    }
    const [, file] = /^ +(\S+_test\.go):\d+: /.exec(line) ?? [];
    if (last && file) last.file ??= relativePath(file);
    return undefined;
  };
}
