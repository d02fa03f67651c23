import type { FileChange, TreeFile } from '../types.ts';

/** A state of the work folder, as its differences from the base commit. */
export type TreeState = readonly FileChange[];

export interface Restoration {
  readonly write: readonly TreeFile[];
  readonly remove: readonly string[];
}

/** Paths at which two states differ. */
export function differing(a: TreeState, b: TreeState): readonly string[] {
  const [left, right] = [byPath(a), byPath(b)];
  return [...new Set([...left.keys(), ...right.keys()])]
    .filter(path => !sameFile(left.get(path), right.get(path)))
    .sort();
}

/** What to write and remove so that `paths`, now as in `current`, are as in `wanted`. */
export function restoration(current: TreeState, wanted: TreeState, paths: readonly string[]): Restoration {
  const [now, then] = [byPath(current), byPath(wanted)];
  const write: TreeFile[] = [];
  const remove: string[] = [];
  for (const path of paths) {
    const target = then.get(path);
    const file = target ? target.after : now.get(path)?.before;
    if (file) write.push(file);
    else remove.push(path);
  }
  return { write, remove };
}

/** The state without some paths. */
export function without(state: TreeState, paths: readonly string[]): TreeState {
  const left = new Set(paths);
  return state.filter(file => !left.has(file.path));
}

const byPath = (state: TreeState) => new Map(state.map(file => [file.path, file]));

function sameFile(a: FileChange | undefined, b: FileChange | undefined): boolean {
  if (!a || !b) return a === b;
  if (!a.after || !b.after) return a.after === b.after;
  return a.after.mode === b.after.mode && a.after.bytes.equals(b.after.bytes);
}
