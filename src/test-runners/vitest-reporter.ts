/** Name of our reporter for vitest inside the scratch folder. */
export const VITEST_REPORTER = 'redgreen-vitest-reporter.mjs';
/** Where it writes, in the same folder. */
export const STRAY_ERRORS = 'redgreen-stray-errors';

/**
 * Vitest's JSON report is silent about errors outside of tests (a timer that throws later, a lost rejection), and a
 * planted test that fails hides the exit code that speaks of them. This reporter writes them into a file beside
 * itself, one JSON object a line; vitest before version 3 calls `onFinished`, later ones `onTestRunEnd`.
 */
export const vitestReporterSource = String.raw`
import { appendFileSync } from 'node:fs';

export default class StrayErrors {
  onFinished(_files, errors) {
    this.write(errors ?? []);
  }
  onTestRunEnd(_modules, errors) {
    this.write(errors);
  }
  write(errors) {
    for (const error of errors) {
      const file = String(error.VITEST_TEST_PATH ?? '');
      const message = String(error.message ?? error).slice(0, 8000);
      const stray = { stray: { file, type: String(error.name ?? ''), message } };
      appendFileSync(new URL('${STRAY_ERRORS}', import.meta.url), '\n' + JSON.stringify(stray));
    }
  }
}
`;
