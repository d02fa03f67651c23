import type { Proof, ProofTest } from '../types.ts';
import { codeSpan, escapeInline, fold, table } from './markdown.ts';
import { count, plural } from './numbers.ts';
import { runLines } from './run-lines.ts';

/** The tests that the change turned: what they said before it and after it. Folded when there are more than twelve. */
export function proofTable(proof: Proof, maxRows: number): string {
  const tests = proof.failToPass;
  if (tests.length === 0) return 'No test turned from failing to passing.';
  const groups = [...Map.groupBy(tests, sameRow).values()];
  const file = commonFile(tests);
  const rows = groups.slice(0, maxRows).map(group => testRow(group, file));
  const shown = (file ? `In ${codeSpan(file, 250)}:\n\n` : '') + table(['Test', 'Before', 'After'], rows);
  const rest =
    groups.length > maxRows
      ? `\n\n*${plural(groups.slice(maxRows).flat().length, 'more test')}, not listed.*`
      : '';
  return rows.length > FOLD_ABOVE ? fold(plural(tests.length, 'test'), shown + rest) : shown + rest;
}

/**
 * What else was checked, as a list: every run with its numbers, what was broken, lost, failing before, flaky or skipped. The tests of a fix
 * need not be new.
 */
export function checksList(
  proof: Proof,
  maxNames: number,
  { fix = false }: { readonly fix?: boolean } = {},
): string {
  const names = (ids: readonly string[]) => nameList(ids, maxNames);
  const { brokenTests, lostTests, failedBefore, flaky, skippedForTime, passToPass } = proof;
  return [
    ...runLines(proof.runs, fix),
    `Passing before and after: ${count(passToPass.length)}.`,
    brokenTests.length > 0
      ? `**Broken by the change:** ${names(brokenTests)}.`
      : 'Broken by the change: none.',
    lostTests.length > 0 ? `**No longer run:** ${names(lostTests)}.` : '',
    failedBefore.length > 0
      ? `Failing before already, and not blamed on the change: ${names(failedBefore)}.`
      : '',
    flaky.length > 0 ? `Flaky (two runs of the same code differed): ${names(flaky)}.` : '',
    ...skippedForTime.map(what => `Not done for want of time: ${escapeInline(what, 200)}`),
    `Sandbox: ${escapeInline(proof.sandbox.kind, 50)}, ${codeSpan(shortDigests(proof.sandbox.image), 150)}${proof.isolated ? '' : ', **not isolated**'}.`,
  ]
    .filter(line => line !== '')
    .map(line => `- ${line}`)
    .join('\n');
}

const FOLD_ABOVE = 12;

/** The parameters of one test that all went the same way share a row. */
const sameRow = ({ id, before, said, after }: ProofTest): string =>
  [withoutParameters(id), before, said ?? '', after].join('\0');

/** `a.py::test[1-2]` → `a.py::test`. A folder's name may have brackets too. */
const withoutParameters = (id: string): string => {
  const start = id.endsWith(']') ? id.indexOf('[', id.indexOf('::') + 1) : -1;
  return start < 0 ? id : id.slice(0, start);
};

/** The file that all ids begin with, which then need not stand in every row. */
function commonFile(tests: readonly ProofTest[]): string {
  const [first = '', ...others] = new Set(tests.map(test => test.id.split('::', 1)[0] ?? ''));
  return others.length === 0 && tests.length > 1 && tests.every(test => test.id.includes('::')) ? first : '';
}

function testRow(group: readonly ProofTest[], file: string): string[] {
  const [test] = group;
  if (!test) return [];
  const id = file ? test.id.slice(file.length + 2) : test.id;
  const name =
    group.length > 1
      ? `${codeSpan(withoutParameters(id), 250)} (${count(group.length)} parameters)`
      : codeSpan(id, 250);
  return [name, redText(test), said(test.after)];
}

/** The test's own message says more than the kind of failure; the kind stands where there is none. */
const redText = ({ before, said: message }: ProofTest): string =>
  message && before !== 'passed' ? `❌ ${escapeInline(message, 160)}` : said(before);

/** Twelve characters of a digest name an image well enough; proof.json has them all. */
const shortDigests = (text: string): string => text.replaceAll(/(sha256:[0-9a-f]{12})[0-9a-f]{52}/g, '$1');

const said = (status: ProofTest['before'] | ProofTest['after']): string =>
  status === 'passed' ? '✅ passed' : `❌ ${WORDS[status] ?? status}`;

const WORDS: Readonly<Record<string, string>> = {
  failed: 'failed',
  skipped: 'skipped',
  todo: 'todo',
  missing: 'not there',
  assertion: 'failed: assertion',
  'not-implemented': 'failed: not implemented',
  'missing-symbol': 'failed: symbol not found',
  timeout: 'failed: timeout',
  error: 'failed: error',
};

function nameList(ids: readonly string[], max: number): string {
  const shown = ids
    .slice(0, max)
    .map(id => codeSpan(id, 200))
    .join(', ');
  return ids.length > max ? `${shown} and ${count(ids.length - max)} more` : shown;
}
