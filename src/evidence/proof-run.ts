import { createHash } from 'node:crypto';
import type { FileChange, ProofRun, TestRun } from '../types.ts';

/** The part of a test run that goes into events and the proof. */
export function proofRun(name: ProofRun['name'], run: TestRun): ProofRun {
  return { name, ...runFacts(run) };
}

export function runFacts(run: TestRun): Omit<ProofRun, 'name'> {
  const count = (...statuses: string[]) =>
    (run.report?.cases ?? []).filter(test => statuses.includes(test.status)).length;
  const problem = run.problem ?? (run.sentinels && !run.sentinels.honest ? run.sentinels.reason : undefined);
  return {
    command: run.command,
    exit: run.exit,
    reportSha256: run.reportSha256,
    passed: count('passed'),
    failed: count('failed') + (run.report?.fileErrors.length ?? 0),
    skipped: count('skipped', 'todo'),
    durationMs: Math.round(run.durationMs),
    ...(problem && { problem }),
    ...(run.sentinels && {
      sentinels: run.sentinels.honest ? ('honest' as const) : ('misreported' as const),
    }),
  };
}

/** Path → SHA-256 of every file of a change. */
export const hashesOf = (change: readonly FileChange[]): Record<string, string> =>
  Object.fromEntries(
    change.map(file => [
      file.path,
      file.after ? createHash('sha256').update(file.after.bytes).digest('hex') : 'deleted',
    ]),
  );
