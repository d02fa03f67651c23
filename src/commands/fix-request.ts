import type { FailedCiJob } from '../report/ci-section.ts';
import type { Request } from './deps.ts';
import type { Project } from './project.ts';

/** What a fix is to do. */
export interface FixRequest extends Request {
  /** `failing-tests`: what is red as it is; and if nothing is, what the words describe. `words`: what they describe, whatever else is red. */
  readonly from: 'failing-tests' | 'words';
  /** True when there are words that describe wrong behaviour. */
  readonly describes: boolean;
  /** The commit that a pull request started from. */
  readonly base: (() => Promise<Project | undefined>) | undefined;
  /** What else is known, such as logs of CI and what a pull request changed; quoted as data, or empty. */
  readonly context: string;
  /** What CI said, a sentence each; for the reason when nothing can be shown here. */
  readonly ciSaid: readonly string[];
  /** What failed in CI, for people. */
  readonly ciJobs: readonly FailedCiJob[];
  /** True when CI failed at linting or building alone. */
  readonly ciWithoutTests: boolean;
  /** Names of tests that failed in CI. */
  readonly ciTests: readonly string[];
}
