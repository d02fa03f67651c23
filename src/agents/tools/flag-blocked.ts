import { z } from 'zod';
import { defineTool, failure } from './tool.ts';

const REASONS = [
  'test_contradicts_spec',
  'spec_ambiguous',
  'needs_dependency',
  'needs_test_change',
  'environment',
  'out_of_scope',
] as const;

/** Of a debugger: the failure that was reported may not be there, or be known by failing tests. */
export const DEBUG_REASONS = [...REASONS, 'not_reproducible', 'tests_fail_already'] as const;

const MIN_EVIDENCE = 15;

/**
 * The honest way out. Offered as a success, because models that have it cheat far less (ImpossibleBench: GPT-5 54 % → 9 %). People read the
 * evidence, so empty words are asked about once.
 */
export const flagBlockedTool = (reasons: readonly string[] = REASONS) => {
  let asked = false;
  return defineTool({
    name: 'flag_blocked',
    description:
      'Stop honestly when the task can not be done as asked: a wrong test, an unclear request, a missing dependency. This is a good outcome, not a failure.',
    readOnly: false,
    schema: z.object({
      reason: z.enum(reasons),
      evidence: z.string(),
      test_id: z.string().optional(),
    }),
    run: async ({ reason, evidence, test_id }) => {
      if (evidence.trim().length < MIN_EVIDENCE && !asked) {
        asked = true;
        return failure(
          'Not taken yet. Say what you saw: which command, file or sentence shows it, and what it says. Then call flag_blocked again.',
        );
      }
      return {
        ok: true,
        text: 'Noted.',
        summary: `${reason}: ${evidence.slice(0, 100)}`,
        end: { kind: 'blocked', block: { reason, evidence, testId: test_id } },
      };
    },
  });
};
