import type { AgentEnd } from '../agents/loop.ts';
import type { FrozenTests } from '../agents/roles/frozen-tests.ts';
import { implement } from '../agents/roles/implementer.ts';
import { specify } from '../agents/roles/specifier.ts';
import { writeTests } from '../agents/roles/test-writer.ts';
import { differing } from '../agents/tree-state.ts';
import type { Workbench } from '../agents/workbench.ts';
import type { WorkResult } from './deps.ts';
import { inPhase } from './in-phase.ts';
import { untilGreen } from './until-green.ts';
import { endedEarly, type WorkSoFar } from './work-result.ts';

export type StepsEnd =
  | { readonly kind: 'done'; readonly tests: FrozenTests; readonly work: WorkSoFar }
  | { readonly kind: 'stopped'; readonly result: WorkResult };

/**
 * Specification and stubs, tests first, implementation: three roles that never share a conversation. Work that was done stays when one
 * stops; `keep` hears of it as it grows, for a run that is stopped from outside.
 */
export async function takeSteps(
  bench: Workbench,
  nothing: WorkSoFar,
  keep: (work: WorkSoFar) => void,
): Promise<StepsEnd> {
  const { emit } = bench;
  const specified = await inPhase(
    emit,
    'specification',
    () => specify(bench),
    end =>
      noteOf(end, end.kind === 'specified' ? counted(end.specification.functions.length, 'function') : ''),
  );
  if (specified.kind !== 'specified') return stopped(specified, nothing);
  const { specification } = specified;
  const withSpecs = { ...nothing, functions: specification.functions };

  const red = await inPhase(
    emit,
    'tests',
    () => writeTests(bench, specification),
    end =>
      noteOf(
        end,
        end.kind === 'red' ? `${counted(end.tests.newTests.length, 'new test')} failing as they should` : '',
      ),
  );
  if (red.kind !== 'red') {
    const begun = differing(red.last, specification.stubs).length > 0;
    return stopped(red, { ...withSpecs, change: begun ? red.last : [] });
  }
  const { tests } = red;
  const descriptions = new Map(tests.descriptions.map(file => [file.path, file.description]));

  const withTests = { ...withSpecs, change: tests.state, descriptions };
  keep(withTests);

  const green = await inPhase(
    emit,
    'implementation',
    () =>
      untilGreen(
        bench,
        tests,
        state => keep({ ...withTests, change: state }),
        attempt => implement(bench, specification, tests, attempt),
      ),
    end => noteOf(end, `${counted(tests.newTests.length, 'new test')} passing, none broken`),
  );
  if (green.kind !== 'green')
    return stopped(green, { ...withTests, change: green.best?.state ?? tests.state });

  const { state, report } = green.implementation;
  const changedSince = differing(state, specification.stubs);
  for (const file of specification.descriptions)
    if (!changedSince.includes(file.path)) descriptions.set(file.path, file.description);
  for (const file of report.files) descriptions.set(file.path, file.description);
  const work = { ...withTests, change: state, summary: report.summary };
  keep(work);
  return { kind: 'done', tests, work };
}

type Stopped = Exclude<AgentEnd, { kind: 'finished' }>;

const stopped = (end: Stopped, work: WorkSoFar): StepsEnd => ({
  kind: 'stopped',
  result: endedEarly(end, work),
});

function noteOf(
  end: { readonly kind: 'specified' | 'red' | 'green' } | Stopped,
  good: string,
): { readonly ok: boolean; readonly note: string } {
  switch (end.kind) {
    case 'blocked':
      return { ok: false, note: `blocked: ${end.block.reason.replaceAll('_', ' ')}` };
    case 'gave-up':
      return { ok: false, note: end.reason };
    case 'model-failed':
      return { ok: false, note: end.error.message };
    default:
      return { ok: true, note: good };
  }
}

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;
