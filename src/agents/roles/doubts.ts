import { specialCases } from '../../evidence/special-cases.ts';
import type { Diagnosis } from '../../types.ts';
import type { FinishReport } from '../tools/tool.ts';
import { differing, type TreeState } from '../tree-state.ts';
import type { Workbench } from '../workbench.ts';

/** Something about a green fix that a reader would ask: first the agent is asked, and what stays is told to the reader. */
export interface Doubt {
  readonly toAgent: string;
  /** A sentence. */
  readonly toReader: string;
}

export interface DoubtFacts {
  readonly state: TreeState;
  /** The state in which the tests were frozen. */
  readonly start: TreeState;
  readonly report: FinishReport;
  readonly diagnosis: Diagnosis;
  readonly testTexts: readonly string[];
}

/** What is odd about a fix although every test passes. */
export function doubtsAbout(bench: Workbench, facts: DoubtFacts): readonly Doubt[] {
  const touched = differing(facts.state, facts.start);
  const change = facts.state.filter(file => touched.includes(file.path));
  const cases = specialCases(change, facts.testTexts, bench.runner.isTestPath);
  const described = new Set(facts.report.files.map(file => file.path));
  const stray = change.filter(
    file => file.status === 'added' && !bench.runner.isTestPath(file.path) && !described.has(file.path),
  );
  const named = facts.diagnosis.place.replace(/:\d+$/, '');
  return [
    ...cases.map(({ path, literal }) => ({
      toAgent: `${path} now has a condition on ${JSON.stringify(literal)}, a value of the tests. Mend the cause for every input; if the constant belongs there, say in finish why.`,
      toReader: `The change to ${path} has a condition on ${JSON.stringify(literal)}, which stands in the tests: look whether it is a special case for them.`,
    })),
    ...stray.map(({ path }) => ({
      toAgent: `${path} is new and not among the files of your finish: remove it, or say what it is for.`,
      toReader: `${path} is new, and the agent does not say what for.`,
    })),
    ...(touched.includes(named)
      ? []
      : [
          {
            toAgent: `You named ${named} as the place of the cause, but changed ${touched.join(', ')}. Call name_cause again with what you know now, or say in finish why the cure lies elsewhere.`,
            toReader: `The agent names ${named} as the place of the cause, but changed ${touched.join(', ')}.`,
          },
        ]),
  ];
}

/** Asks about each doubt once; what is answered by finishing again stays for the reader. */
export function openDoubts() {
  const asked = new Set<string>();
  return {
    /** The question to the agent, or undefined when all was asked before. */
    question: (doubts: readonly Doubt[]): string | undefined => {
      const fresh = doubts.filter(doubt => !asked.has(doubt.toAgent));
      for (const doubt of fresh) asked.add(doubt.toAgent);
      return fresh.length === 0
        ? undefined
        : `All tests pass, but a reader would ask${fresh.length > 1 ? ` ${fresh.length} things` : ''}:\n${fresh.map(doubt => `- ${doubt.toAgent}`).join('\n')}\nThen call finish again.`;
    },
  };
}
