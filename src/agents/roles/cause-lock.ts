import { shellQuote } from '../../lib/shell-quote.ts';
import type { Diagnosis, TestRun } from '../../types.ts';
import type { NamedCause } from '../tools/name-cause.ts';
import { sandboxPath } from '../tools/sandbox-path.ts';
import { differing, type TreeState } from '../tree-state.ts';
import { putBack, type Workbench } from '../workbench.ts';

/** No edit without a cause: what a debugger may change depends on what it has said. */
export interface CauseLock {
  /** Why nothing may be edited now, or undefined. */
  readonly objection: () => string | undefined;
  /** Takes a cause, or says why not; the first time, what experiments left behind is put back. The answer is for the model. */
  readonly take: (named: NamedCause) => Promise<{ readonly ok: boolean; readonly text: string }>;
  /** Sees each run of tests; says so when the cause that was named is worn out. */
  readonly see: (run: TestRun) => Promise<string | undefined>;
  /** What was named, with how it was fixed; undefined while nothing was. */
  readonly diagnosis: (fix: string) => Diagnosis | undefined;
}

export interface LockOptions {
  /** The state in which a cause is looked for. */
  readonly start: TreeState;
  /** `passing` when all is well. */
  readonly goal: number;
  readonly passing: (run: TestRun) => number;
}

/** Changes after which tests fail as before, before another cause has to be named. */
const MAX_VAIN_CHANGES = 3;

export function openCauseLock(bench: Workbench, options: LockOptions): CauseLock {
  const { start, goal, passing: passingOf } = options;
  let named: NamedCause | undefined;
  let isOpen = false;
  let vain = 0;
  let best = 0;
  let last: TreeState = start;

  const take = async (cause: NamedCause) => {
    const place = await placeOf(bench, cause);
    if ('problem' in place) return { ok: false, text: place.problem };
    if (named && !isOpen && cause.cause === named.cause)
      return {
        ok: false,
        text: 'That is the cause that three changes did not cure. Name another one, with new evidence.',
      };
    const undone = named ? [] : await undoExperiments(bench, start);
    named = { ...cause, file: place.file };
    isOpen = true;
    vain = 0;
    const text = `cause named: ${place.file}: ${cause.cause.split('\n')[0]}`;
    bench.emit({ kind: 'note', level: 'info', text });
    const back =
      undone.length > 0
        ? ` What experiments had changed was put back: ${undone.slice(0, 5).join(', ')}.`
        : '';
    return { ok: true, text: `Noted. You may edit now.${back}` };
  };

  const see = async (run: TestRun): Promise<string | undefined> => {
    if (!isOpen) return undefined;
    const passing = passingOf(run);
    const state = await bench.state();
    const isChange = differing(state, last).length > 0;
    last = state;
    if (passing > best) {
      best = passing;
      vain = 0;
    } else if (isChange && passing < goal) vain++;
    if (vain < MAX_VAIN_CHANGES) return undefined;
    isOpen = false;
    return `${vain} changes in a row did not make another test pass, so the cause that you named is probably not the one. Undo what did not help if it is not right by itself, look again, and call name_cause with another cause and new evidence before you edit.`;
  };

  return {
    objection: () => (isOpen ? undefined : 'No edit yet: call name_cause first, with evidence.'),
    take,
    see,
    diagnosis: fix => named && diagnosisOf(named, fix),
  };
}

/** The place that was named, if it is one: a file of the repository's code, with that many lines. */
async function placeOf(
  bench: Workbench,
  { file: given, line }: NamedCause,
): Promise<{ readonly file: string } | { readonly problem: string }> {
  const { inside, path } = sandboxPath(given, bench.sandbox.workdir);
  if (inside && bench.runner.isTestPath(path))
    return {
      problem: `${path} is a test. If it is wrong, call flag_blocked with reason needs_test_change; otherwise name the code that makes it fail.`,
    };
  const name = shellQuote(inside ? `./${path}` : path);
  const { exit, stdout } = await bench.sandbox.shell({
    script: `[ -f ${name} ] || exit 66; awk 'END { print NR }' ${name}`,
    timeoutMs: 20_000,
  });
  if (!inside || exit.kind !== 'code' || exit.code !== 0)
    return { problem: `There is no file ${path} in the repository: name the file where the cause lies.` };
  const lines = Number(stdout.toString().trim());
  return line !== undefined && line > lines
    ? { problem: `${path} has ${lines} lines, so the cause can not lie in line ${line}.` }
    : { file: path };
}

const diagnosisOf = ({ cause, file, line, evidence }: NamedCause, fix: string): Diagnosis => ({
  cause,
  place: line === undefined ? file : `${file}:${line}`,
  evidence,
  fix,
});

async function undoExperiments(bench: Workbench, start: TreeState): Promise<readonly string[]> {
  const current = await bench.state();
  const changed = differing(current, start);
  await putBack(bench, current, start, changed);
  return changed;
}
