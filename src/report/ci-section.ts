import { codeSpan, link } from './markdown.ts';
import { count, plural } from './numbers.ts';
import { cut, oneLine } from './plain-text.ts';
import { section } from './section.ts';

/** A job of a workflow that failed, as the API and its log tell it. All of it is outside text. */
export interface FailedCiJob {
  /** Its name, such as `test (node 24)`. */
  readonly name: string;
  /** The first step that failed. */
  readonly step?: string | undefined;
  readonly workflow?: string | undefined;
  readonly url?: string | undefined;
  /** Names of failing tests that its log shows, if any. */
  readonly failingTests?: readonly string[] | undefined;
}

/** `ciSummary` as a section; empty without jobs. */
export const ciSection = (jobs: readonly FailedCiJob[]): string => section('What CI said', ciSummary(jobs));

/** Which jobs failed, where, and which tests their logs name: a few lines of Markdown, at most 50,000 characters of them. */
export function ciSummary(jobs: readonly FailedCiJob[]): string {
  const rest = jobs.length - MAX_JOBS;
  return [
    ...jobs.slice(0, MAX_JOBS).map(jobLine),
    ...(rest > 0 ? [`- and ${plural(rest, 'more job')} that failed`] : []),
  ].join('\n');
}

/** The same as part of a sentence, in plain text that is not escaped yet; empty without jobs. */
export function ciReason(jobs: readonly FailedCiJob[]): string {
  const said = jobs.slice(0, 3).map(job => partsOf(job, name => `“${cut(oneLine(name), 80)}”`));
  const more = jobs.length > 3 ? [`and ${plural(jobs.length - 3, 'more job')}`] : [];
  return [...said, ...more].join('; ');
}

const MAX_JOBS = 5;
const MAX_TESTS = 10;

function jobLine(job: FailedCiJob): string {
  const log = job.url && job.url.length <= 300 ? ` (${link('log', job.url)})` : '';
  const tests = job.failingTests ?? [];
  const head = `- ${capital(partsOf(job, name => codeSpan(oneLine(name), 80)))}${log}`;
  if (tests.length === 0) return head;
  const rest = tests.length - MAX_TESTS;
  const names = tests.slice(0, MAX_TESTS).map(test => codeSpan(test, 100));
  return `${head}\n  Failing tests: ${names.join(', ')}${rest > 0 ? ` and ${count(rest)} more` : ''}`;
}

function partsOf({ name, step, workflow }: FailedCiJob, show: (name: string) => string): string {
  const where = step ? `, step ${show(step)}` : '';
  return `job ${show(name)}${where}${workflow ? ` of workflow ${show(workflow)}` : ''} failed`;
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
