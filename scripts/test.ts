/** Runs every test and closes with one line that says how many passed, failed and were skipped, and why. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

interface Assertion {
  readonly status: string;
  readonly fullName: string;
}
interface Report {
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly assertionResults: readonly Assertion[];
  }[];
}

const folder = mkdtempSync(join(tmpdir(), 'redgreen-test-'));
const reportPath = join(folder, 'report.json');
const vitest = spawnSync(
  'vitest',
  [
    'run',
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${reportPath}`,
    ...process.argv.slice(2),
  ],
  {
    stdio: 'inherit',
  },
);
const report = JSON.parse(readFileSync(reportPath, 'utf8')) as Report;
rmSync(folder, { recursive: true, force: true });

const all = report.testResults.flatMap(file => file.assertionResults);
const count = (status: string) => all.filter(test => test.status === status).length;
const unloadable = report.testResults.filter(
  file => file.status === 'failed' && file.assertionResults.length === 0,
);
const skipped = all.filter(test => !['passed', 'failed'].includes(test.status));
const failed = count('failed') + unloadable.length;

for (const reason of new Set(
  skipped.map(test => /\(skipped: (.*?)\)/.exec(test.fullName)?.[1] ?? test.fullName),
)) {
  console.log(`skipped: ${reason}`);
}
const ok = vitest.status === 0 && failed === 0;
if (!ok && failed === 0)
  console.log(`vitest ended with ${vitest.status ?? 'a signal'} although no test failed`);
console.log(`${count('passed')} passed, ${failed} failed, ${skipped.length} skipped`);
process.exit(ok ? 0 : 1);
