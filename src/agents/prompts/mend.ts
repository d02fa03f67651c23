import { quotedData } from './quoted-data.ts';

export interface MendBrief {
  readonly environment: string;
  readonly task: string;
  /** What else is known; quoted as data, or empty. */
  readonly context: string;
  readonly command: string;
  /** What it printed. */
  readonly output: string;
  readonly postMortem: string | undefined;
}

/** For a command that shows its failure by its exit code alone: nothing tells apart what was there and what is new but the command itself. */
export const mendPrompt = (brief: MendBrief): string => `${brief.environment}
${brief.task}
${brief.context}
# What fails
This command fails: ${brief.command}
${quotedData('its output', brief.output)}

# Your step: find the cause, then fix it
1. Find out before you change: read what it complains about and the code around it. Edits are refused until you have called name_cause with the root cause, its place, and evidence quoted from what you saw.
2. Mend what is wrong with the smallest change. Never silence the complaint: no ignore comments, disabled rules, casts to any, removed checks. Test files and configuration are read-only; if the fault lies there, call flag_blocked with reason needs_test_change.
3. run_tests runs that command and nothing else. When it succeeds, finish, and say in the summary what was changed and why that cures the cause.${brief.postMortem ? `\n\n# An earlier attempt failed\n${brief.postMortem}\nThe code is back at its start.` : ''}`;
