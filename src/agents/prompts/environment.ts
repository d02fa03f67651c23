import { quotedData } from './quoted-data.ts';

export interface EnvironmentFacts {
  readonly language: string;
  readonly runner: string;
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
${facts.language}, tests with ${facts.runner}. Dependencies are installed. The harness runs: ${facts.testCommand}
Before any change: ${facts.passing} tests pass${named('fail', facts.failing)}${named('are flaky', facts.flaky)}.
${facts.exampleTests.length > 0 ? `Typical test files: ${facts.exampleTests.join(', ')}\n` : ''}
${facts.tree.join('\n')}
${facts.instructions ? `\nThe repository's own instructions:\n${quotedData('instructions', facts.instructions)}\n` : ''}`;

const named = (what: string, ids: readonly string[]): string =>
  ids.length === 0
    ? ''
    : `, ${ids.length} ${what} (${ids.slice(0, 5).join(', ')}${ids.length > 5 ? ', …' : ''})`;
