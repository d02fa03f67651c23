import type { Exit, Usage } from '../types.ts';

export const count = (value: number): string => Math.round(value).toLocaleString('en-US');

export const plural = (value: number, noun: string): string =>
  `${count(value)} ${noun}${value === 1 ? '' : 's'}`;

/** `850 ms`, `4.2 s`, `3 min 5 s`, `1 h 2 min`. */
export function duration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
}

export function money(costUsd: number | undefined): string {
  if (costUsd === undefined) return 'price not known';
  return costUsd > 0 && costUsd < 0.01 ? 'less than $0.01' : `$${costUsd.toFixed(2)}`;
}

/** `12 model calls, 45,210 tokens in (30,000 cached) and 2,300 out, $0.12`. */
export function usageText(usage: Usage): string {
  if (usage.calls === 0) return 'no model calls';
  const cached = usage.cachedInputTokens > 0 ? ` (${count(usage.cachedInputTokens)} cached)` : '';
  const tokens = `${count(usage.inputTokens)} tokens in${cached} and ${count(usage.outputTokens)} out`;
  return `${plural(usage.calls, 'model call')}, ${tokens}, ${money(usage.costUsd)}`;
}

/** How a test run ended, for people: with planted tests the exit code is an error by design. */
export function runEndText({
  exit,
  sentinels,
}: {
  readonly exit: Exit;
  readonly sentinels?: 'honest' | 'misreported' | undefined;
}): string {
  if (sentinels === 'honest') return `${exitText(exit)}, as the planted failing test demands`;
  return sentinels === 'misreported' ? 'the planted tests were misreported' : exitText(exit);
}

export function exitText(exit: Exit): string {
  switch (exit.kind) {
    case 'code':
      return `exit code ${exit.code}`;
    case 'signal':
      return `killed by signal ${exit.signal}`;
    case 'timeout':
      return `stopped after ${duration(exit.timeoutMs)}`;
    case 'out-of-memory':
      return 'out of memory';
    case 'output-limit':
      return `stopped after ${count(exit.maxBytes)} bytes of output`;
    case 'cancelled':
      return 'cancelled';
    case 'failed-to-start':
      return `could not be started: ${exit.message}`;
  }
}
