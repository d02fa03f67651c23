import type { FailureSort } from './error-shapes.ts';

/** Names from a workflow; outside text. */
export interface JobNames {
  readonly job: string;
  /** The step that failed, when it is known. */
  readonly step?: string | undefined;
}

/** What kind of work failed: by the log where it shows, else by the names that people gave step and job. */
export function kindOfJob(
  { job, step }: JobNames,
  digest: { readonly sort: FailureSort; readonly step?: string | undefined },
): FailureSort {
  if (digest.sort !== 'unknown') return digest.sort;
  const names = [step, digest.step, job];
  return names.map(name => kindOfName(name ?? '')).find(kind => kind !== 'unknown') ?? 'unknown';
}

function kindOfName(name: string): FailureSort {
  const words = name.slice(0, 300).toLowerCase();
  return NAMES.find(([, shape]) => shape.test(words))?.[0] ?? 'unknown';
}

/** In this order: `lint tests` is linting, `build and test` is tests. */
const NAMES: readonly (readonly [FailureSort, RegExp])[] = [
  [
    'lint',
    /\b(?:lint\w*|eslint|biome|prettier|format\w*|fmt|style\w*|ruff|flake8|pylint|black|mypy|clippy|golangci\S*)\b/,
  ],
  ['tests', /\b(?:tests?|testing|specs?|jest|vitest|mocha|pytest|unit|e2e|integration|coverage)\b/],
  [
    'build',
    /\b(?:build\w*|compil\w*|bundl\w*|packag\w*|tsc|types?|typecheck\w*|docker|install\w*|set ?up)\b/,
  ],
];
