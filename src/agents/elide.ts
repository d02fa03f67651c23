import type { Message } from '../types.ts';

const KEPT_TURNS = 6;

/** Replaces the tool results before the last six by one-liners; every call keeps its answer, as endpoints require. */
export function elideOldResults(messages: readonly Message[]): readonly Message[] {
  const results = messages.flatMap((message, i) => (message.role === 'tool' ? [i] : []));
  const old = new Set(results.slice(0, -KEPT_TURNS));
  return messages.map((message, i) =>
    message.role === 'tool' && old.has(i) && message.content.length > 200
      ? {
          ...message,
          content: `${message.content.slice(0, 100)}\n[the rest of this result was left out to save space; call the tool again if you need it]`,
        }
      : message,
  );
}
