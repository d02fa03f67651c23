import type { FunctionSpec } from '../types.ts';

export type SpecOrder =
  | { readonly ok: true; readonly functions: readonly FunctionSpec[] }
  | { readonly ok: false; readonly problem: string };

/**
 * Sorts specifications so that each stands after those that it depends on (depth first, otherwise in the order given).
 * Dependencies on functions that are not specified are existing code and do not count. A cycle is an error.
 */
export function orderSpecs(functions: readonly FunctionSpec[]): SpecOrder {
  const byName = new Map(functions.map(spec => [spec.name, spec]));
  if (byName.size < functions.length)
    return { ok: false, problem: 'Two functions have the same name. Qualify the names, like Class.method.' };
  const ordered: FunctionSpec[] = [];
  const done = new Set<string>();
  const visit = (spec: FunctionSpec, path: readonly string[]): string | undefined => {
    if (done.has(spec.name)) return undefined;
    const at = path.indexOf(spec.name);
    if (at >= 0) return [...path.slice(at), spec.name].join(' → ');
    for (const name of spec.dependencies) {
      const needed = byName.get(name);
      const cycle = needed && visit(needed, [...path, spec.name]);
      if (cycle) return cycle;
    }
    done.add(spec.name);
    ordered.push(spec);
    return undefined;
  };
  for (const spec of functions) {
    const cycle = visit(spec, []);
    if (cycle)
      return {
        ok: false,
        problem: `The dependencies form a cycle: ${cycle}. Break it: let one of them not depend on the other.`,
      };
  }
  return { ok: true, functions: ordered };
}
