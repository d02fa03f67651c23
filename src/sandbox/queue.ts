export type Queue = <T>(work: () => Promise<T>) => Promise<T>;

/** Runs one piece of work at a time, in the order of asking. A failure is its asker's alone. */
export function createQueue(): Queue {
  let last: Promise<unknown> = Promise.resolve();
  return work => {
    const next = last.then(work);
    last = next.catch(() => undefined);
    return next;
  };
}
