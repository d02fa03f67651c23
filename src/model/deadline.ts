export interface Deadline {
  /** Aborts when time is up or the caller's signal speaks. */
  readonly signal: AbortSignal;
  /** Something arrived; from now on silence may last this long (default: as long as before). */
  readonly touch: (idleMs?: number) => void;
  /** Why time was up; undefined when it was not. */
  readonly expired: () => string | undefined;
  readonly end: () => void;
}

/** Limits one exchange: as a whole, and by how long the other side may be silent. */
export function startDeadline(outer: AbortSignal | undefined, wholeMs: number, idleMs: number): Deadline {
  const controller = new AbortController();
  let reason: string | undefined;
  let patience = idleMs;
  const expire = (why: string) => {
    reason ??= why;
    controller.abort(new Error(why));
  };
  const forward = () => controller.abort(outer?.reason);
  const wait = () => setTimeout(() => expire(`nothing arrived for ${patience / 1000} s`), patience);
  const whole = setTimeout(() => expire(`the answer took longer than ${wholeMs / 1000} s`), wholeMs);
  let idle = wait();
  outer?.addEventListener('abort', forward, { once: true });
  if (outer?.aborted) forward();
  return {
    signal: controller.signal,
    touch: nextMs => {
      clearTimeout(idle);
      patience = nextMs ?? patience;
      idle = wait();
    },
    expired: () => reason,
    end: () => {
      clearTimeout(whole);
      clearTimeout(idle);
      outer?.removeEventListener('abort', forward);
    },
  };
}
