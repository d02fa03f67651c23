import { type Objection, objections, type StepPolicy } from '../evidence/change-policy.ts';
import { differing, type TreeState, without } from './tree-state.ts';
import { putBack, type Workbench } from './workbench.ts';

export interface Enforced {
  /** The state after forbidden changes were put back. */
  readonly state: TreeState;
  readonly objections: readonly Objection[];
}

/**
 * Compares the work folder with what it was when the step began, and puts back whatever the step may not change.
 * Tools refuse such changes already; a shell command can still make them.
 */
export async function enforcePolicy(
  bench: Workbench,
  before: TreeState,
  policy: StepPolicy,
): Promise<Enforced> {
  const current = await bench.state();
  const touched = new Set(differing(current, before));
  const changed = current.filter(file => touched.has(file.path));
  const present = new Set(changed.map(file => file.path));
  const reverted = [...touched].filter(path => !present.has(path));
  const forbidden = [
    ...objections(changed, policy),
    ...reverted.flatMap(path => {
      const reason = policy.objectTo(path);
      return reason ? [{ path, reason }] : [];
    }),
  ];
  const objected = [...forbidden, ...inTheWay(changed, forbidden)];
  const paths = objected.map(objection => objection.path);
  await putBack(bench, current, before, paths);
  const back = new Set(paths);
  const kept = before.filter(file => back.has(file.path));
  return {
    state: [...without(current, paths), ...kept].sort((a, b) => (a.path < b.path ? -1 : 1)),
    objections: objected,
  };
}

/** Allowed files where the folder of something that is put back has to be. */
const inTheWay = (changed: TreeState, forbidden: readonly Objection[]): readonly Objection[] =>
  changed
    .filter(file => file.after && !forbidden.some(({ path }) => path === file.path))
    .filter(file => forbidden.some(({ path }) => path.startsWith(`${file.path}/`)))
    .map(({ path }) => ({ path, reason: 'a folder belongs there' }));

/** What the model reads when something was put back. */
export const objectionText = (list: readonly Objection[]): string =>
  `These changes are not allowed in this step and were put back:\n${list.map(({ path, reason }) => `- ${path}: ${reason}`).join('\n')}`;
