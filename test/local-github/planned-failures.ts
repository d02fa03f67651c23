/** Failures that a test orders in advance. */

/** A planned failure of the routes whose path, without `/api/v3` for the REST side, matches. */
export interface Failure {
  readonly method?: string;
  readonly path: RegExp;
  /** `hang` never answers, `cut` closes the connection. */
  readonly answer:
    | { readonly status: number; readonly body?: unknown; readonly headers?: Record<string, string> }
    | 'hang'
    | 'cut';
  /** Default 1. */
  readonly times?: number;
}

export interface PlannedFailures {
  readonly plan: (failure: Failure) => void;
  /** The failure that this request meets, which then has one time less. */
  readonly take: (method: string, path: string) => Failure['answer'] | undefined;
}

export function createPlannedFailures(): PlannedFailures {
  const planned: { readonly failure: Failure; left: number }[] = [];
  return {
    plan: failure => planned.push({ failure, left: failure.times ?? 1 }),
    take: (method, path) => {
      const met = planned.find(
        ({ failure, left }) => left > 0 && (failure.method ?? method) === method && failure.path.test(path),
      );
      if (met) met.left--;
      return met?.failure.answer;
    },
  };
}
