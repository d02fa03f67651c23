import { info, warning } from '@actions/core';

/** Prints lines to the runner's log. The only door to it; callers sanitise outside text first (`report/log-line.ts`). */
export const logLines = (lines: readonly string[]): void => {
  for (const line of lines) info(line);
};

/** A yellow annotation on the run's page. */
export const annotateWarning = (text: string): void => warning(text);
