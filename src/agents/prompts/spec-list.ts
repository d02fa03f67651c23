import type { FunctionSpec } from '../../types.ts';

/** Function specs, one after the other, in the order given. */
export const specList = (functions: readonly FunctionSpec[]): string =>
  functions
    .map(spec => {
      const details = [
        ['in', spec.inputs],
        ['out', spec.outputs],
        ['errors', spec.errors],
        ['uses', spec.dependencies.join(', ')],
      ].filter(([, text]) => text);
      return [
        `- ${spec.name} (${spec.file}): ${spec.purpose}`,
        ...details.map(([label, text]) => `  ${label}: ${text}`),
      ].join('\n');
    })
    .join('\n');
