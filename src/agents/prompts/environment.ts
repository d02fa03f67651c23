import { quotedData } from './quoted-data.ts';

export interface EnvironmentFacts {
  readonly language: string;
  readonly runner: string;
  /** False when installing them was tried and failed. */
  readonly isInstalled: boolean;
  /** As a person would type it. */
  readonly testCommand: string;
  readonly passing: number;
  readonly failing: readonly string[];
  readonly flaky: readonly string[];
  /** Folder listing to depth two. */
  readonly tree: readonly string[];
  readonly exampleTests: readonly string[];
  /** AGENTS.md or the like, from the base commit. */
  readonly instructions: string | undefined;
}

/** The first part of every brief: facts that were verified, not advice. */
export const environmentPrompt = (facts: EnvironmentFacts): string => `# The repository
${facts.language}, tests with ${facts.runner}. ${facts.isInstalled ? 'Dependencies are installed.' : 'Installing the dependencies failed; tests run with what the repository and the image have.'} The harness runs: ${facts.testCommand}
Before any change: ${facts.passing} ${facts.passing === 1 ? 'test passes' : 'tests pass'}${counted('fails', 'fail', facts.failing)}${counted('is flaky', 'are flaky', facts.flaky)}.
${namesOf(facts)}${facts.exampleTests.length > 0 ? `Typical test files: ${facts.exampleTests.join(', ')}\n` : ''}
${facts.tree.join('\n')}
${facts.instructions ? `\nThe repository's own instructions:\n${quotedData('instructions', facts.instructions)}\n` : ''}`;

const counted = (one: string, more: string, ids: readonly string[]): string =>
  ids.length === 0 ? '' : `, ${ids.length} ${ids.length === 1 ? one : more}`;

const MAX_NAMES = 5;

/** Names are the repository's, and may say anything. */
const namesOf = ({ failing, flaky }: EnvironmentFacts): string => {
  const ids = [...failing, ...flaky];
  if (ids.length === 0) return '';
  const more = ids.length > MAX_NAMES ? `\nand ${ids.length - MAX_NAMES} more` : '';
  return `${quotedData('tests that fail or are flaky', `${ids.slice(0, MAX_NAMES).join('\n')}${more}`)}\n`;
};
